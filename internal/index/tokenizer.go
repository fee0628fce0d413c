package index

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aoa-dev/aoa/internal/event"
)

// Limits of terms.
const (
	minTerm      = 3 // bytes of a word before stemming
	maxTerm      = 32
	maxPathTerms = 24 // terms of one path
)

// Terms returns the index terms of a text: the stems of its words (see Stem), without stop words. A
// word ends at every character that is neither a letter nor a digit, and at camelCase borders.
// Words shorter than 3 or longer than 32 bytes and numbers are left out. Each term appears once, in
// the order of the text, at most max of them.
//
// Event logs and scores hold terms. Whoever changes what Terms returns loses what aOa has learned
// under the old terms.
func Terms(text string, max int) []string {
	var terms []string
	for word := range split(text, false) {
		if len(terms) >= max {
			break
		}
		// Scanning the slice is faster than a map, because max is small.
		if t := term(word); t != "" && !slices.Contains(terms, t) {
			terms = append(terms, t)
		}
	}
	return terms
}

// PathTerms returns the terms of a path, at most 24: of its folders, and of its name without the
// extension.
func PathTerms(p event.Path) []string {
	s := string(p)
	if ext := p.Ext(); ext != "" && len(ext) < len(p.Base()) {
		s = s[:len(s)-len(ext)]
	}
	return Terms(s, maxPathTerms)
}

// Words yields the runs of letters and digits in a text, as they are written.
func Words(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Tokens estimates how many tokens a text costs a language model: one for every four bytes, rounded
// up. Texts outside of ASCII are overestimated, because their letters take several bytes.
func Tokens(text string) int { return (len(text) + 3) / 4 }

// split yields the words of a text, as they are written: runs of letters and digits, cut where
// camelCase begins another word ("parseHTTPHeader" is parse, HTTP, Header). If prose is true, an
// apostrophe belongs to its word, a run of capitals is not cut ("HTTPServer" is one word), and each
// character of a script without spaces is a word.
func split(text string, prose bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, prev := -1, rune(0) // start of the current word, -1 between words
		for i, r := range text {
			cut := -1 // where the current word ends
			inWord := unicode.IsLetter(r) || unicode.IsDigit(r) || prose && (r == '\'' || ideograph(r))
			switch {
			case start < 0:
			case !inWord || prose && (ideograph(r) || ideograph(prev)), unicode.IsUpper(r) && unicode.IsLower(prev):
				cut = i
			case !prose && unicode.IsLower(r) && unicode.IsUpper(prev):
				cut = i - utf8.RuneLen(prev) // the last capital begins the next word
			}
			if cut > start && start >= 0 {
				if !yield(text[start:cut]) {
					return
				}
				start = cut
			}
			switch {
			case !inWord:
				start = -1
			case start < 0:
				start = i
			}
			prev = r
		}
		if start >= 0 {
			yield(text[start:])
		}
	}
}

// ideograph reports whether a character belongs to a script that is written without spaces.
func ideograph(r rune) bool {
	return r > unicode.MaxLatin1 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// term returns the index term of a word, "" if it has none.
func term(word string) string {
	if len(word) < minTerm || len(word) > maxTerm {
		return ""
	}
	word = strings.ToLower(word)
	if termStops[word] || isNumber(word) {
		return ""
	}
	return Stem(word)
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }
