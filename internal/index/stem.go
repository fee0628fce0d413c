package index

import "strings"

// ending is a suffix that stemming replaces.
type ending struct {
	suffix  string
	stem    int    // bytes that must be left of the word
	replace string // what takes its place
	after   string // bytes after which the suffix stays
}

// lightEndings are those of the stemmer of index terms: plurals as in Harman's S stemmer ("How Effective Is Suffixing?", 1991), ing
// and ed.
var lightEndings = []ending{{"ing", 3, "", ""}, {"ies", 2, "y", ""}, {"ed", 3, "", ""}, {"s", 3, "", "su"}}

// strongEndings are those of the stemmer of requests, longest first: three letters must be left before an inflection, four before a
// derivation.
var strongEndings = []ending{
	{"ations", 4, "", ""}, {"ation", 4, "", ""}, {"ating", 4, "", ""}, {"ators", 4, "", ""}, {"ments", 4, "", ""}, {"ator", 4, "", ""},
	{"ates", 4, "", ""}, {"ated", 4, "", ""}, {"able", 4, "", ""}, {"ment", 4, "", ""}, {"ions", 4, "", ""}, {"ings", 4, "", ""},
	{"ures", 4, "", ""}, {"ate", 4, "", ""}, {"ion", 4, "", ""}, {"ing", 3, "", ""}, {"ers", 4, "", ""}, {"ors", 4, "", ""},
	{"ure", 4, "", ""}, {"ies", 3, "", ""}, {"ied", 3, "", ""}, {"er", 4, "", ""}, {"or", 4, "", ""}, {"es", 3, "", ""},
	{"ed", 3, "", ""}, {"ly", 3, "", ""}, {"s", 3, "", "s"}, {"y", 4, "", ""},
}

// stem returns the stem of a word in lower case that is stored as an index term. It is light: terms are shown to people.
func stem(word string) string { return strip(word, lightEndings) }

// root returns the stem of a word in lower case by which requests are compared: refactorings, refactoring and refactor share it.
// It takes off at most two endings, each with the e or the doubled consonant that is left. Words outside of ASCII stay.
func root(word string) string {
	word = strings.TrimSuffix(word, "'")
	for i := range len(word) {
		if word[i] >= 0x80 {
			return word
		}
	}
	for range 2 {
		if len(word) < 4 {
			break
		}
		word = strings.TrimSuffix(strip(word, strongEndings), "e")
		if n := len(word); n > 3 && word[n-1] == word[n-2] && strings.IndexByte("aeiouls", word[n-1]) < 0 {
			word = word[:n-1]
		}
	}
	return word
}

// strip replaces the first of the endings that a word has and may lose.
func strip(word string, endings []ending) string {
	for _, e := range endings {
		s, found := strings.CutSuffix(word, e.suffix)
		if found && len(s) >= e.stem && strings.IndexByte(e.after, s[len(s)-1]) < 0 {
			return s + e.replace
		}
	}
	return word
}
