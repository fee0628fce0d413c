package watcher

import (
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// pattern is one line of an ignore file, prepared for matching paths below the folder of that file.
// It follows git's wildmatch exactly. go-git's matcher does not: it takes a match of a folder for a
// match of everything below, and has neither [!a] nor ** between other characters.
type pattern struct {
	text    string
	negated bool
	dirOnly bool
	whole   bool // it has a slash, so it is matched against the whole path, else against the base name
	fold    bool // ASCII letters match in both cases
	lead    int  // bytes before the first wildcard, if whole is set
	kind    patternKind
}

type patternKind uint8

const (
	wild   patternKind = iota
	equal              // no wildcard at all
	suffix             // "*" followed by text without a wildcard
)

// parsePattern reads one line of an ignore file. ok is false for blank lines and comments.
func parsePattern(line string, fold bool) (p pattern, ok bool) {
	line = strings.TrimSuffix(line, "\r")
	if line == "" || line[0] == '#' {
		return p, false
	}
	line = trimSpaces(line)
	if strings.HasPrefix(line, "!") {
		p.negated, line = true, line[1:]
	}
	text := line
	if strings.HasSuffix(text, "/") {
		p.dirOnly, text = true, text[:len(text)-1]
	}
	p.whole = strings.Contains(text, "/")
	text = strings.TrimPrefix(text, "/")
	if text == "" {
		return p, false
	}
	first := strings.IndexAny(text, `*?[\`)
	if fold { // do not fold after a wildcard, where there may be a class of characters with rules of its own
		literal := text
		if first >= 0 {
			literal = text[:first]
		}
		text = event.Lower(literal) + text[len(literal):]
	}
	p.text, p.fold = text, fold
	if p.whole && first > 0 {
		p.lead = first
	}
	switch {
	case !strings.ContainsAny(text, `*?[\`):
		p.kind = equal
	case !p.whole && text[0] == '*' && !strings.ContainsAny(text[1:], `*?[\`):
		if p.kind, p.text = suffix, text[1:]; fold {
			p.text = event.Lower(p.text)
		}
	}
	return p, true
}

// trimSpaces removes trailing spaces that no backslash protects.
func trimSpaces(s string) string {
	end := len(s)
	for end > 0 && s[end-1] == ' ' {
		end--
	}
	slashes := 0
	for end-slashes > 0 && s[end-slashes-1] == '\\' {
		slashes++
	}
	if slashes%2 == 1 && end < len(s) {
		end++
	}
	return s[:end]
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
	switch p.kind {
	case equal:
		return s == p.text
	case suffix:
		return strings.HasSuffix(s, p.text)
	}
	// Like git, compare the part without wildcards first. So a ** right after it counts as being at
	// the beginning and crosses slashes, although git's manual says otherwise.
	if len(s) < p.lead || s[:p.lead] != p.text[:p.lead] {
		return false
	}
	m := matcher{fold: p.fold, budget: 20000}
	return m.match(p.text[p.lead:], s[p.lead:]) == matched
}

type outcome uint8

const (
	missed  outcome = iota
	matched         // the whole text matches
	abort           // the text is too short, so no other try can succeed
)

// matcher implements git's pattern syntax: ? and [...] match one byte, * any run of bytes, none of
// them a slash; "**/" at the start, "/**/" and "/**" at the end cross slashes.
type matcher struct {
	fold bool
	// The steps that are left. A hostile pattern of many stars would need exponential time, so it
	// matches nothing once they are used up.
	budget int
}

// match compares a pattern with a text. If letters match in both cases, the text is in lower case.
func (m *matcher) match(p, s string) outcome {
	if m.budget--; m.budget < 0 {
		return abort
	}
	begin := true // at the start of the pattern or right after a slash
	for len(p) > 0 {
		c := p[0]
		if c == '*' {
			return m.star(p, s, begin)
		}
		if len(s) == 0 {
			return abort
		}
		switch c {
		case '?':
			if s[0] == '/' {
				return missed
			}
			p = p[1:]
		case '[':
			n, in := class(p, s[0], m.fold)
			if n == 0 || !in || s[0] == '/' {
				return missed
			}
			p = p[n:]
		case '\\':
			if len(p) < 2 || p[1] != s[0] {
				return missed
			}
			c, p = p[1], p[2:]
		default:
			if m.fold {
				c = event.LowerByte(c)
			}
			if c != s[0] {
				return missed
			}
			p = p[1:]
		}
		begin = c == '/'
		s = s[1:]
	}
	if len(s) == 0 {
		return matched
	}
	return missed
}

// star matches a pattern that begins with a star.
func (m *matcher) star(p, s string, begin bool) outcome {
	n := 1
	for n < len(p) && p[n] == '*' {
		n++
	}
	rest := p[n:]
	cross := n > 1 && begin && (rest == "" || rest[0] == '/')
	if cross && rest != "" {
		// "**/" also matches the empty text.
		if m.match(rest[1:], s) == matched {
			return matched
		}
	}
	if rest == "" {
		if !cross && strings.IndexByte(s, '/') >= 0 {
			return missed
		}
		return matched
	}
	for i := 0; ; i++ {
		if r := m.match(rest, s[i:]); r == matched || (r == abort && m.budget < 0) {
			return r
		}
		if i == len(s) || (!cross && s[i] == '/') {
			break
		}
	}
	return missed
}
