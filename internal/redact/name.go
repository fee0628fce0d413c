package redact

import "strings"

// family tells how strongly a name announces a secret.
type family uint8

const (
	none    family = iota
	weak           // auth, tokens, STRIPE_KEY: only a value that looks like a secret counts
	medium         // token, secret, API key: words and small numbers are mostly no secrets
	strong         // password: nearly any value counts
	counted        // pass: like strong, but tests count what passed
	folder         // pwd: like strong, but shells keep the present folder in it
)

// announces returns how strongly a name announces a secret. If likely is true, only a value that
// looks like a secret counts, because the name ends in words that are not known.
func announces(name string) (kind family, likely bool) {
	if len(name) > 120 {
		name = name[len(name)-120:]
	}
	ws := nameWords(name)
	for i := len(ws) - 1; i >= 0; i-- {
		kind = core(ws, i)
		if kind == none {
			continue
		}
		for _, w := range ws[i+1:] {
			if known().about[w] {
				return none, false
			}
			likely = likely || !known().still[w] && !digitsOnly(w)
		}
		return kind, likely
	}
	return none, false
}

// core returns the family of values that the i-th word of a name suggests.
func core(ws []string, i int) family {
	w := ws[i]
	if kind := known().cores[w]; kind != none {
		return kind
	}
	if w == "key" && i > 0 {
		if known().keys[ws[i-1]] {
			return medium
		}
		return weak
	}
	for end := range known().glued {
		if strings.HasSuffix(w, end) && !known().other[w] {
			return min(known().cores[end], strong)
		}
	}
	return none
}

// nameWords splits a name at everything but letters and digits, and at camelCase borders. Digits
// at the end of a word are a word of their own. The words are in lower case.
func nameWords(name string) (ws []string) {
	start := 0
	cut := func(end int) {
		w := strings.ToLower(name[start:end])
		if bare := strings.TrimRight(w, "0123456789"); bare != "" && bare != w && bare != "base" && bare != "b" {
			ws = append(ws, bare, w[len(bare):])
		} else if w != "" {
			ws = append(ws, w)
		}
		start = end
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case !alnum(c):
			cut(i)
			start = i + 1
		case i == start:
		case upper(c) && !upper(name[i-1]):
			cut(i)
		case c >= 'a' && c <= 'z' && upper(name[i-1]) && i-1 > start:
			cut(i - 1)
		}
	}
	cut(len(name))
	return ws
}

func alnum(c byte) bool { return upper(c) || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }
func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
func digit(c byte) bool { return c >= '0' && c <= '9' }
func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// refers reports whether a value is the name of another place with the secret: password,
// access_token, dbPassword.
func refers(v string) bool {
	if hasDigit(v) || !consistsOf(v, "_-.") {
		return false
	}
	ws := nameWords(v)
	if len(ws) == 0 || core(ws, len(ws)-1) == none {
		return false
	}
	return len(ws) > 1 || known().cores[ws[0]] != none
}

// consistsOf reports whether a text has nothing but ASCII letters, digits and some signs.
func consistsOf(text, signs string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return (r > 'z' || !alnum(byte(r))) && !strings.ContainsRune(signs, r)
	})
}

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }
