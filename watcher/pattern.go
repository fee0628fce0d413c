package watcher

import "strings"

// pattern is one line of a .gitignore or .gitattributes file, prepared for matching a path below the folder
// that the file lies in. It follows git's wildmatch to the letter, which go-git's matcher does not (it takes a
// match of a folder for a match of everything below, has no [!a], and no ** between other characters).
type pattern struct {
	text    string
	negated bool
	dirOnly bool
	whole   bool // has a slash: matched against the whole path, else against the last name
	lead    int  // bytes before the first wildcard, for whole ones
	kind    patternKind
}

type patternKind uint8

const (
	wild   patternKind = iota
	equal              // no wildcard at all
	suffix             // "*" and then text without a wildcard
	prefix             // text without a wildcard and then "*"
)

// parsePattern reads one line of an ignore file; ok is false for blanks and comments.
func parsePattern(line string, fold bool) (p pattern, ok bool) {
	line = strings.TrimSuffix(line, "\r")
	if line == "" || line[0] == '#' {
		return p, false
	}
	line = trimSpaces(line)
	if strings.HasPrefix(line, "!") {
		p.negated, line = true, line[1:]
	}
	return p.finish(line, fold)
}

// finish classifies the pattern's text.
func (p pattern) finish(text string, fold bool) (pattern, bool) {
	if strings.HasSuffix(text, "/") {
		p.dirOnly, text = true, text[:len(text)-1]
	}
	p.whole = strings.Contains(text, "/")
	text = strings.TrimPrefix(text, "/")
	if text == "" {
		return p, false
	}
	if fold {
		text = strings.ToLower(text)
	}
	p.text = text
	if n := strings.IndexAny(text, `*?[\`); p.whole && n > 0 {
		p.lead = n
	}
	switch {
	case !strings.ContainsAny(text, `*?[\`):
		p.kind = equal
	case !p.whole && text[0] == '*' && !strings.ContainsAny(text[1:], `*?[\`):
		p.kind, p.text = suffix, text[1:]
	case !p.whole && text[len(text)-1] == '*' && !strings.ContainsAny(text[:len(text)-1], `*?[\`):
		p.kind, p.text = prefix, text[:len(text)-1]
	}
	return p, true
}

// trimSpaces takes off trailing spaces that no backslash protects.
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

// match reports whether the pattern covers path, which is relative to the pattern's folder; base is its last
// name.
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
	case prefix:
		return strings.HasPrefix(s, p.text)
	}
	// git compares the part without wildcards first, so that a ** right behind it stands at a beginning and
	// crosses slashes, whatever its manual says.
	if len(s) < p.lead || s[:p.lead] != p.text[:p.lead] {
		return false
	}
	budget := 20000
	return wildmatch(p.text[p.lead:], s[p.lead:], &budget) == matched
}

type outcome uint8

const (
	missed  outcome = iota
	matched         // the whole text is covered
	abort           // the text is too short: no other try can help
)

// wildmatch matches git's pattern syntax: ? and [...] one character, * any run, none of them a slash; "**/" at
// the start, "/**/" and "/**" at the end cross slashes. budget bounds the steps: a hostile pattern of many
// stars would need exponential time, and counts as no match when the budget is spent.
func wildmatch(p, s string, budget *int) outcome {
	if *budget--; *budget < 0 {
		return abort
	}
	begin := true // at the start of the pattern or right after a slash
	for len(p) > 0 {
		c := p[0]
		if c == '*' {
			return star(p, s, begin, budget)
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
			n, in := class(p, s[0])
			if n == 0 || !in || s[0] == '/' {
				return missed
			}
			p = p[n:]
		case '\\':
			if len(p) < 2 || p[1] != s[0] {
				return missed
			}
			p = p[2:]
		default:
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

// star matches a pattern that begins with stars.
func star(p, s string, begin bool, budget *int) outcome {
	n := 1
	for n < len(p) && p[n] == '*' {
		n++
	}
	rest := p[n:]
	cross := n > 1 && begin && (rest == "" || rest[0] == '/')
	if cross && rest != "" {
		// "**/" also stands for nothing at all.
		if wildmatch(rest[1:], s, budget) == matched {
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
		if r := wildmatch(rest, s[i:], budget); r == matched || (r == abort && *budget < 0) {
			return r
		}
		if i == len(s) || (!cross && s[i] == '/') {
			break
		}
	}
	return missed
}
