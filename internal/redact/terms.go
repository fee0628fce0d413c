package redact

import (
	"strings"

	"github.com/aoa-dev/aoa/internal/index"
)

// Terms are the words of a text that may be stored unsealed: index.Terms of the text without its secrets and without
// what looks like a key, a hash or another value, for a secret that no rule knows looks so, too.
func Terms(text string, max int) []string {
	return index.Terms(withoutValues(Text(text), false), max)
}

// CommandTerms is Terms for a command line: what stands behind "=" may be anything, so it gives no terms.
func CommandTerms(text string, max int) []string {
	return index.Terms(withoutValues(Text(text), true), max)
}

// Identifiers are index.Identifiers of what Terms leaves.
func Identifiers(text string, max int) []string {
	return index.Identifiers(withoutValues(Text(text), false), max)
}

// CommandIdentifiers are index.Identifiers of what CommandTerms leaves.
func CommandIdentifiers(text string, max int) []string {
	return index.Identifiers(withoutValues(Text(text), true), max)
}

// withoutValues puts spaces in place of marks and of what looks like a value; assigned: and of what stands behind "=".
func withoutValues(s string, assigned bool) string {
	s = strings.ReplaceAll(s, Mark, " ")
	var out []byte // a copy of s once something is taken out
	drop := func(from, to int) {
		if out == nil {
			out = []byte(s)
		}
		for i := from; i < to; i++ {
			out[i] = ' '
		}
	}
	for i := 0; i < len(s); i++ {
		if assigned && s[i] == '=' && i > 0 && nameByte(s[i-1]) {
			end := i + 1 + assignedTo(s[i+1:])
			drop(i, end)
			i = end - 1
			continue
		}
		if !tokenByte(s[i]) {
			continue
		}
		begin := i
		for i < len(s) && tokenByte(s[i]) && !(assigned && s[i] == '=' && i > begin) {
			i++
		}
		dropValues(s[begin:i], begin, drop)
		i--
	}
	if out == nil {
		return s
	}
	return string(out)
}

// assignedTo is how far the value behind "=" goes.
func assignedTo(s string) int {
	if s == "" || s[0] == '=' {
		return 0
	}
	if quote(s[0]) {
		if end := closing(s[1:], s[0]); end >= 0 {
			return end + 2
		}
	}
	if i := strings.IndexAny(s, " \t\r\n\"'`;|&()"); i >= 0 {
		return i
	}
	return len(s)
}

func tokenByte(c byte) bool {
	return alnum(c) || c == '_' || c == '+' || c == '/' || c == '=' || c == '-' || c == '.' || c == '~' || c == '%'
}

// dropValues takes out the parts of a token that look like values; all of it, if they are most of it.
func dropValues(token string, at int, drop func(from, to int)) {
	if len(token) < 8 {
		return
	}
	all, values := 0, 0
	var parts []span
	for i := 0; i < len(token); i++ {
		if !alnum(token[i]) {
			continue
		}
		begin := i
		for i < len(token) && alnum(token[i]) {
			i++
		}
		all += i - begin
		if random(token[begin:i]) {
			values += i - begin
			parts = append(parts, span{begin, i})
		}
	}
	if 2*values > all {
		drop(at, at+len(token))
		return
	}
	for _, p := range parts {
		drop(at+p.from, at+p.to)
	}
}

// random reports whether a word looks drawn at random: hexadecimal of eight digits and more, or letters and digits, or
// capitals and others, that change places more often than in the names of programs.
func random(w string) bool {
	if len(w) < 8 {
		return false
	}
	hex, digits, borders, humps := true, 0, 0, 0
	spoken, run := 0, 0 // letters in words of four and more; of the word at i
	for i := 0; i < len(w); i++ {
		c := w[i]
		hex = hex && (digit(c) || low(c) >= 'a' && low(c) <= 'f')
		letter := alnum(c) && !digit(c)
		if digit(c) {
			digits++
		}
		hump := i > 0 && upper(c) && letter && !upper(w[i-1])
		if i > 0 && alnum(c) && alnum(w[i-1]) {
			if digit(c) != digit(w[i-1]) {
				borders++
			} else if hump {
				humps++
			}
		}
		if !letter || hump {
			run = 0
		}
		if letter {
			if run++; run == 4 {
				spoken += 4
			} else if run > 4 {
				spoken++
			}
		}
	}
	switch {
	case hex: // no word of eight letters has only those of hexadecimal
		return true
	case 2*spoken >= len(w):
		return false
	case digits == 0:
		return len(w) >= 12 && humps >= 3 && 7*humps >= 2*len(w) // QmFzZTY0VGV4dA
	}
	return borders >= 3 && 4*(borders+humps) >= len(w) || // a1b2c3d4
		len(w) >= 16 && 5*(borders+humps) >= len(w) || len(w) > 40 && entropy(w) > 4
}
