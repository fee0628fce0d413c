package watcher

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// pattern is one line of an ignore file, prepared for matching paths below the folder of that file.
// It follows git's wildmatch exactly. go-git's matcher does not: it takes a match of a folder for a
// match of everything below, and has neither [!a] nor ** between other characters.
type pattern struct {
	negated bool
	dirOnly bool
	whole   bool   // it has a slash, so it is matched against the whole path, else against the base name
	equal   string // without a wildcard: the text itself
	suffix  string // for a pattern such as *.log: the text after the *
	lead    string // the text before the first wildcard, if whole is set
	// The rest, compiled when it is first needed. It is nil if the pattern matches nothing.
	rest func() *regexp.Regexp
}

// maxPattern is the number of bytes of a pattern. A longer one matches nothing, as no path is longer.
const maxPattern = 4096

// parsePattern reads one line of an ignore file. ok is false for blank lines and comments. If fold
// is true, letters match in both cases, and the paths to match are in lower case.
func parsePattern(line string, fold bool) (p pattern, ok bool) {
	line = strings.TrimSuffix(line, "\r")
	if line == "" || line[0] == '#' || len(line) > maxPattern {
		return p, false
	}
	text := trimSpaces(line)
	text, p.negated = strings.CutPrefix(text, "!")
	text, p.dirOnly = strings.CutSuffix(text, "/")
	p.whole = strings.Contains(text, "/")
	if text = strings.TrimPrefix(text, "/"); text == "" {
		return p, false
	}
	wild := func(s string) int { return strings.IndexAny(s, `*?[\`) }
	first := wild(text)
	switch {
	case first < 0:
		p.equal = lowerIf(fold, text)
		return p, true
	case !p.whole && text[0] == '*' && wild(text[1:]) < 0:
		p.suffix = lowerIf(fold, text[1:])
		return p, true
	case p.whole:
		p.lead, text = lowerIf(fold, text[:first]), text[first:]
	}
	p.rest = sync.OnceValue(func() *regexp.Regexp { return compile(text, fold) })
	return p, true
}

// lowerIf returns a text in lower case if fold is true, else as it is.
func lowerIf(fold bool, s string) string {
	if fold {
		return event.Lower(s)
	}
	return s
}

// trimSpaces removes trailing spaces that no backslash protects.
func trimSpaces(s string) string {
	short := strings.TrimRight(s, " ")
	slashes := len(short) - len(strings.TrimRight(short, `\`))
	if slashes%2 == 1 && len(short) < len(s) {
		short += " "
	}
	return short
}

// match reports whether the pattern matches path, which is relative to the pattern's folder; base
// is its base name.
func (p *pattern) match(path, base string, isDir bool) bool {
	if p.dirOnly && !isDir {
		return false
	}
	s := base
	if p.whole {
		s = path
	}
	if p.rest == nil {
		return s == p.equal || p.equal == "" && strings.HasSuffix(s, p.suffix)
	}
	// Like git, compare the part without wildcards first. So a ** right after it counts as being at
	// the beginning and crosses slashes, although git's manual says otherwise.
	s, ok := strings.CutPrefix(s, p.lead)
	if !ok {
		return false
	}
	re := p.rest()
	return re != nil && re.MatchString(byBytes(s))
}

// byBytes returns a text that has a character for each byte of s, because git matches bytes.
func byBytes(s string) string {
	runes := make([]rune, len(s))
	for i, c := range []byte(s) {
		runes[i] = rune(c)
	}
	return string(runes)
}

// compile translates git's pattern syntax: ? and [...] match one byte, * any run of bytes, none of
// them a slash; "**/" at the start or after a slash, and "**" at the end after a slash, cross
// slashes. It returns nil for a pattern that matches nothing.
func compile(p string, fold bool) *regexp.Regexp {
	var b strings.Builder
	for begin := true; p != ""; { // begin: at the start or after a slash
		c := p[0]
		rest := strings.TrimLeft(p, "*")
		stars := len(p) - len(rest)
		switch cross := stars > 1 && begin; {
		case cross && rest == "":
			b.WriteString(`.*`)
		case cross && rest[0] == '/': // it also matches nothing
			b.WriteString(`(?:.*/)?`)
			c, rest = '/', rest[1:]
		case stars > 0:
			b.WriteString(`[^/]*`)
		case c == '?':
			b.WriteString(`[^/]`)
			rest = p[1:]
		case c == '[':
			set, n := bracket(p, fold)
			if n == 0 {
				return nil
			}
			b.WriteString(set)
			rest = p[n:]
		default:
			if fold && c != '\\' {
				c = event.LowerByte(c)
			}
			if c == '\\' {
				if p = p[1:]; p == "" {
					return nil
				}
				c = p[0]
			}
			fmt.Fprintf(&b, `\x{%x}`, c)
			rest = p[1:]
		}
		begin, p = c == '/', rest
	}
	re, err := regexp.Compile(`^(?s:` + b.String() + `)$`)
	if err != nil {
		return nil // too large
	}
	return re
}

// bracket translates the bracket expression at the beginning of p and returns its length, 0 if it
// has no end. With fold, as in git, the upper-case form of a letter counts in ranges and in
// [:upper:], but not as a single letter.
func bracket(p string, fold bool) (set string, n int) {
	var in [256]bool
	add := func(low, high byte) {
		for c := int(low); c <= int(high); c++ {
			in[c] = true
			if fold {
				in[event.LowerByte(byte(c))] = true
			}
		}
	}
	negated := len(p) > 1 && (p[1] == '!' || p[1] == '^')
	i := 1
	if negated {
		i++
	}
	literal := func() (c byte) { // i is then behind it, and beyond the end if none exists
		if i < len(p) && p[i] == '\\' {
			i++
		}
		if i < len(p) {
			c = p[i]
		}
		i++
		return c
	}
	for first := true; first || i < len(p) && p[i] != ']'; first = false {
		if name, _, ended := strings.Cut(p[min(i+2, len(p)):], ":]"); ended && strings.HasPrefix(p[i:], "[:") {
			for class := posixClasses[name]; class != ""; class = class[2:] {
				add(class[0], class[1])
			}
			i += len("[::]") + len(name)
			continue
		}
		low := literal()
		in[low] = true
		if i+1 < len(p) && p[i] == '-' && p[i+1] != ']' {
			i++
			add(low, literal())
		}
	}
	if i >= len(p) {
		return "", 0
	}
	var b strings.Builder
	for c := range 256 {
		if in[c] != negated && c != '/' {
			fmt.Fprintf(&b, `\x{%x}`, c)
		}
	}
	if b.Len() == 0 {
		return `[^\x00-\x{10FFFF}]`, i + 1
	}
	return "[" + b.String() + "]", i + 1
}

// posixClasses are the POSIX classes in the C locale, as pairs of first and last byte.
var posixClasses = map[string]string{
	"alnum": "09AZaz", "alpha": "AZaz", "blank": "  \t\t", "cntrl": "\x00\x1f\x7f\x7f", "digit": "09", "graph": "!~",
	"lower": "az", "print": " ~", "punct": "!/:@[`{~", "space": "  \t\r", "upper": "AZ", "xdigit": "09AFaf",
}
