package index

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aoa-dev/aoa/internal/event"
)

// Terms splits text into the words that associate prompts, patterns and paths: at every character that is no
// letter or digit and at camelCase borders, lower case, 3 to 32 bytes, without stop words, a light stem
// (plural s, ing, ed) taken off, each word once, in order of appearance, at most max words.
func Terms(text string, max int) []string {
	var out []string
	add := func(w string) {
		// A list of at most max words is searched sooner than a map of them is made.
		if w = term(w); w != "" && len(out) < max && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	start, prev := -1, rune(0)
	for i, r := range text {
		word := unicode.IsLetter(r) || unicode.IsDigit(r)
		switch {
		case !word:
			if start >= 0 {
				add(text[start:i])
			}
			start = -1
		case start < 0:
			start = i
		case unicode.IsUpper(r) && unicode.IsLower(prev):
			add(text[start:i])
			start = i
		case unicode.IsLower(r) && unicode.IsUpper(prev):
			// "HTTPServer": the last capital begins the next word.
			if before := i - utf8.RuneLen(prev); before > start {
				add(text[start:before])
				start = before
			}
		}
		if len(out) >= max {
			return out
		}
		prev = r
	}
	if start >= 0 {
		add(text[start:])
	}
	return out
}

// PathTerms are the terms of a path: its folders and its name without the extension.
func PathTerms(p event.Path) []string {
	s := string(p)
	if e := p.Ext(); e != "" && len(e) < len(p.Base()) {
		s = s[:len(s)-len(e)]
	}
	return Terms(s, maxPathTerms)
}

const maxPathTerms = 24

func term(w string) string {
	if len(w) < 3 || len(w) > 32 {
		return ""
	}
	w = strings.ToLower(w)
	if stop[w] || digits(w) {
		return ""
	}
	switch {
	case len(w) > 5 && strings.HasSuffix(w, "ing"):
		w = w[:len(w)-3]
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		w = w[:len(w)-3] + "y"
	case len(w) > 4 && strings.HasSuffix(w, "ed"):
		w = w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us"):
		w = w[:len(w)-1]
	}
	return w
}

func digits(w string) bool {
	for i := 0; i < len(w); i++ {
		if w[i] < '0' || w[i] > '9' {
			return false
		}
	}
	return true
}

var stop = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`the and for with that this from have has was are not you your can could would should
		will what when where which who how why all any but its into than then them they there here our out over some
		such use used using make made please just now get got let also more most only other new does did done been
		being about after before because between both each few had her him his hers she too very one two let's dont
		don't want need like see look check add fix update change file files code line lines sure yes okay http https www com`) {
		m[w] = true
	}
	return m
}()

// Tokens estimates what a text costs a model: a token for every four bytes, begun ones counted. Letters outside
// of ASCII take several bytes, so that such texts are rather overestimated.
func Tokens(text string) int { return (len(text) + 3) / 4 }
