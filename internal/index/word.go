package index

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// textStem returns the stem by which texts and files are compared. It is "" for words of one byte
// or more than 32, for numbers, and for words that every text has.
func textStem(word string) string {
	if len(word) < 2 || len(word) > maxTerm || isNumber(word) {
		return ""
	}
	word = strings.ToLower(word)
	if stopWords[word] {
		return ""
	}
	return Stem(word)
}

// stemsOf yields the stems of the words in a name.
func stemsOf(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range split(name, false) {
			if stem := textStem(word); stem != "" && !yield(stem) {
				return
			}
		}
	}
}

// ideographs yields a word, or each of its characters if its script has no spaces.
func ideographs(word string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if r, _ := utf8.DecodeRuneInString(word); !ideograph(r) {
			yield(word)
			return
		}
		for i, r := range word {
			if !yield(word[i : i+max(1, utf8.RuneLen(r))]) {
				return
			}
		}
	}
}

// looksLikeCode reports whether a word has an underscore or a capital inside, as prose does not.
func looksLikeCode(word string) bool {
	word = strings.Trim(word, "_")
	for i := 1; i < len(word); i++ {
		c, before := word[i], word[i-1]
		switch {
		case c == '_':
			return true
		case 'A' <= c && c <= 'Z' && ('a' <= before && before <= 'z' || '0' <= before && before <= '9' && i > 2):
			return true
		case 'a' <= c && c <= 'z' && 'A' <= before && before <= 'Z' && i > 2: // HTTPServer, but not URLs
			return word[i:] != "s"
		}
	}
	return false
}

// Spellings maps the stem of each word in a text to the word as the text first spells it, in lower
// case, and the plain form of each identifier to the identifier as it is written.
func Spellings(text string) map[string]string {
	out := map[string]string{}
	add := func(key, word string) {
		if key != "" && out[key] == "" {
			out[key] = word
		}
	}
	for word := range split(text, false) {
		for part := range ideographs(word) {
			add(textStem(part), strings.ToLower(part))
		}
		add(term(word), strings.ToLower(word))
	}
	for name := range strings.FieldsFuncSeq(text, outsideIdentifier) {
		add(plainIdentifier(name), name)
	}
	return out
}
