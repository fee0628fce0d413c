package index

import (
	"fmt"
	"math"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestSimilarityFormulas: the values of each formula, worked out by hand from the words of its
// documentation.
func TestSimilarityFormulas(t *testing.T) {
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"a word of a text of mean length", bm25(1, 10, 10), 1},
		{"twice", bm25(2, 10, 10), 4.4 / 3.2},
		{"in a text twice as long", bm25(1, 20, 10), 2.2 / 3.1}, // k1·(1 − .75 + .75·2) is 2.1
		{"a word of one of three texts", idf(3, 1), math.Log(8.0 / 3)},
		{"a word of all texts", idf(3, 3), math.Log(8.0 / 7)},
		{"a word of 9 of 100 names", Rarity(100, 9), math.Log(11)},
		{"a word of no name", Rarity(0, 0), 0},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
	texts := [][]string{{"a", "b"}, {"a", "c", "d", "e"}, {}}
	fault.Same(t, "all of the query, a part of it, nothing", fmt.Sprintf("%.4f", Relevance(texts, []string{"a",
		"b"}, 1)), "[1.0000 0.2299 0.0000]")
	fault.Same(t, "two words are the least", fmt.Sprintf("%.4f", Relevance(texts, []string{"a", "b"}, 2)),
		"[1.0000 0.0000 0.0000]")
	fault.Same(t, "no words", Relevance(texts, nil, 0), []float64{0, 0, 0})

	x := NewRequests()
	one, two, weak := NewRequest("repair the zebra crossing"), NewRequest("repair the garden fence"),
		NewRequest("fix it")
	print := func() string {
		return fmt.Sprintf("%.4f %.4f %.4f %.4f", x.Similarity(one, one), x.Similarity(one, two), x.Similarity(one,
			weak), x.Similarity(Request{}, Request{}))
	}
	fault.Same(t, "before any request", print(), "1.0000 0.0452 0.0866 1.0000")
	for range 5 {
		x.Add(two)
	}
	fault.Same(t, "when the second is frequent", print(), "1.0000 0.0497 0.0759 1.0000")
	for range 5 {
		x.Remove(two)
	}
	fault.Same(t, "when it was taken back", print(), "1.0000 0.0452 0.0866 1.0000")
}
