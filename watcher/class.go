package watcher

import "strings"

// class matches one byte against the bracket expression at the beginning of p. n is the length of
// the expression; it is 0 if the expression has no end, and then the whole pattern matches nothing.
// With fold, c is a lower-case letter; as in git, its upper-case form counts in ranges and in
// [:upper:], but not as a single letter.
func class(p string, c byte, fold bool) (n int, in bool) {
	capital := c
	if fold && c >= 'a' && c <= 'z' {
		capital = c - 'a' + 'A'
	}
	i, negated := 1, false
	if i < len(p) && (p[i] == '!' || p[i] == '^') {
		negated = true
		i++
	}
	for first := true; ; first = false {
		if i >= len(p) {
			return 0, false
		}
		if p[i] == ']' && !first {
			break
		}
		if strings.HasPrefix(p[i:], "[:") {
			if end := strings.Index(p[i+2:], ":]"); end >= 0 {
				name := p[i+2 : i+2+end]
				in = in || posixClass(name, c) || name == "upper" && posixClass(name, capital)
				i += end + 4
				continue
			}
		}
		lo, k := literal(p[i:])
		if k == 0 {
			return 0, false
		}
		i += k
		// Like git, compare with the first end of a range before looking whether it is one.
		if i+1 < len(p) && p[i] == '-' && p[i+1] != ']' {
			hi, k := literal(p[i+1:])
			if k == 0 {
				return 0, false
			}
			i += 1 + k
			in = in || c == lo || (lo <= c && c <= hi) || (lo <= capital && capital <= hi)
			continue
		}
		in = in || c == lo
	}
	return i + 1, in != negated
}

// literal returns the first byte of a bracket expression and its length in p, 2 if a backslash
// escapes it.
func literal(p string) (c byte, n int) {
	if p[0] != '\\' {
		return p[0], 1
	}
	if len(p) < 2 {
		return 0, 0
	}
	return p[1], 2
}

// posixClasses are the POSIX classes in the C locale, as pairs of first and last byte.
var posixClasses = map[string]string{
	"alnum": "09AZaz", "alpha": "AZaz", "blank": "  \t\t", "cntrl": "\x00\x1f\x7f\x7f", "digit": "09", "graph": "!~",
	"lower": "az", "print": " ~", "punct": "!/:@[`{~", "space": "  \t\r", "upper": "AZ", "xdigit": "09AFaf",
}

func posixClass(name string, c byte) bool {
	for in := posixClasses[name]; in != ""; in = in[2:] {
		if in[0] <= c && c <= in[1] {
			return true
		}
	}
	return false
}
