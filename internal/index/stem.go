package index

import (
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// ending is a suffix that Stem removes or replaces.
type ending struct {
	suffix  string
	stem    int    // bytes of the word that must remain
	replace string // what takes the suffix's place
	after   string // the suffix is kept if one of these bytes precedes it
}

// inflections are endings before which a silent e is dropped or a consonant doubled: writing comes
// from write, dropped from drop.
var inflections = []ending{{"ing", 3, "", ""}, {"able", 4, "", ""}, {"er", 4, "", "i"}, {"or", 4, "", ""},
	{"ed", 3, "", "ei"}}

// derivations are the other endings, longest first. "ly" is kept in verbs like apply and nouns like
// family.
var derivations = []ending{
	{"ification", 2, "ify", ""}, {"scription", 2, "scribe", ""}, {"olution", 3, "olve", ""}, {"ersion", 3, "ert", ""},
	{"bility", 3, "ble", ""}, {"ation", 4, "", ""}, {"ating", 4, "", ""}, {"ator", 4, "", ""}, {"ated", 4, "", ""},
	{"ment", 4, "", ""},
	{"ate", 4, "", ""}, {"ion", 4, "", ""}, {"ure", 4, "", ""}, {"ies", 2, "y", ""}, {"ied", 2, "y", ""},
	{"ier", 4, "y", ""},
	{"ly", 4, "", "abilopuy"}, {"ur", 4, "", ""}, {"s", 3, "", "s"}, {"y", 4, "", ""},
}

// wholeWords look as if they had an ending, but without it they would become another word that
// programs use. "uses" is kept apart from "use" in requests because the similarity thresholds for
// recorded sequences were chosen that way (package reload, TestFindGolden).
var wholeWords = event.WordSet(`author factor folder header pointer container version everything something anything
	nothing uses setting`)

// Stem returns the form that a word shares with its inflections and common derivations: caching,
// cached and caches are cache, notification and notifier are notify. The word must be in lower
// case. Stems are only compared, never shown: the stem of cache is cach. The stem of a stem is
// itself. Words that are not ASCII or have fewer than 4 bytes are returned unchanged.
func Stem(word string) string {
	word = strings.TrimRight(word, "'")
	for i := range len(word) {
		if word[i] >= 0x80 {
			return word
		}
	}
	for len(word) > 3 && !wholeWords[word] {
		shorter := withoutEnding(word)
		if shorter == word {
			break
		}
		word = strings.TrimRight(shorter, "'")
	}
	return word
}

// withoutEnding removes one ending, and a silent e or a doubled consonant before it. The result is
// shorter than the word, or the word itself.
func withoutEnding(word string) string {
	if s := strip(word, derivations); s != word {
		return s
	}
	inflected := strip(word, inflections)
	switch {
	case inflected == word || !hasVowel(inflected): // string
		return withoutE(undoubled(word))
	case undoubled(inflected) != inflected:
		return undoubled(inflected)
	case oneSyllable(inflected), sibilant(inflected): // coding: not cod; parsing: not par
		return inflected + "e"
	}
	return inflected
}

// withoutE removes a silent e, except where it distinguishes two words: code and cod, state and
// stat, parse and pars.
func withoutE(word string) string {
	if s, found := strings.CutSuffix(word, "e"); found && !oneSyllable(s) && !sibilant(s) {
		return s
	}
	return word
}

// undoubled removes one of two equal consonants at the end of a word. A double s (pass), and a
// double l in short words (call), are kept.
func undoubled(word string) string {
	n := len(word)
	if n < 4 || word[n-1] != word[n-2] || strings.IndexByte("aeious", word[n-1]) >= 0 {
		return word
	}
	if word[n-1] == 'l' && vowelGroups(word) < 2 {
		return word
	}
	return word[:n-1]
}

// oneSyllable reports whether a word is consonants, one vowel and one consonant. Such a word may
// have lost a silent e.
func oneSyllable(word string) bool {
	n := len(word)
	if n < 2 || vowel(word[n-1]) || word[n-1] == 'w' || word[n-1] == 'x' || !vowel(word[n-2]) {
		return false
	}
	return !hasVowel(word[:n-2])
}

// sibilant reports whether a word ends in a consonant and an s. Without its e such a word would
// look like a plural.
func sibilant(word string) bool {
	n := len(word)
	return n > 1 && word[n-1] == 's' && word[n-2] != 's' && !vowel(word[n-2])
}

func vowelGroups(word string) int {
	return len(strings.FieldsFunc(word, func(r rune) bool { return !strings.ContainsRune("aeiouy", r) }))
}

func hasVowel(word string) bool { return strings.ContainsAny(word, "aeiouy") }

func vowel(c byte) bool { return strings.IndexByte("aeiouy", c) >= 0 }

// strip replaces the first of the endings that the word has and may lose. The word must not be
// empty.
func strip(word string, endings []ending) string {
	last := word[len(word)-1]
	for i := range endings {
		e := &endings[i]
		if e.suffix[len(e.suffix)-1] != last { // most endings are ruled out here
			continue
		}
		s, found := strings.CutSuffix(word, e.suffix)
		if found && len(s) >= e.stem && strings.IndexByte(e.after, s[len(s)-1]) < 0 {
			return s + e.replace
		}
	}
	return word
}
