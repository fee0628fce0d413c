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
