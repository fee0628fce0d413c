package index

import (
	"os"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestStem: the words of a line of testdata/stems.txt share a stem, which no word of another line
// has.
func TestStem(t *testing.T) {
	words, err := os.ReadFile("testdata/stems.txt")
	fault.Check(t, err)
	line := map[string]int{}
	for i, group := range strings.Split(strings.TrimSpace(string(words)), "\n") {
		for _, word := range strings.Fields(group) {
			s := Stem(word)
			if at, known := line[s]; known && at != i {
				t.Errorf("%s has the stem %q, which line %d has", word, s, at+1)
			}
			if first := Stem(strings.Fields(group)[0]); s != first {
				t.Errorf("%s has the stem %q, want %q", word, s, first)
			}
			line[s] = i
		}
	}
	fault.Same(t, "a word outside of ASCII", Stem("Änderungen"), "Änderungen")
}

// FuzzStem: the stem of a stem is itself, and no stem is longer than its word but by the e of a
// short one.
func FuzzStem(f *testing.F) {
	for _, word := range []string{"caching", "notifications", "uses", "xxed", "eeing", "ies", "bility", "parsers'",
		"日本ing", "llll", "\xff"} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		s := Stem(word)
		if again := Stem(s); again != s {
			t.Fatalf("%q has the stem %q, which has the stem %q", word, s, again)
		}
		if len(s) > len(word) {
			t.Fatalf("%q has the longer stem %q", word, s)
		}
	})
}
