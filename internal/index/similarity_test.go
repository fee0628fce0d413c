package index

import (
	"fmt"
	"math"
	"slices"
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

// FuzzRequest: any text is similar to itself and asks for no other thing than itself, and the
// bounds hold.
func FuzzRequest(f *testing.F) {
	f.Add("don't fix rank/score.go from a to b #12 fooBar 日本")
	f.Add("\xff '' ’s ..")
	f.Fuzz(func(t *testing.T, text string) {
		r := NewRequest(text)
		if r.Len() > maxRequestWords || !slices.IsSorted(r.words) {
			t.Fatalf("%d words", r.Len())
		}
		if len(r.directed["from"]) == 0 && len(r.directed["before"]) == 0 {
			if why := r.Difference(NewRequest(text)); why != "" {
				t.Fatalf("%q asks for another thing than itself: %s", text, why)
			}
		}
		x := NewRequests()
		x.Add(r)
		if s := x.Similarity(r, r); r.Len() > 0 && !(s > 0.999 && s < 1.001) {
			t.Fatalf("%q has the similarity %v to itself", text, s)
		}
		x.Remove(r)
		if len(x.with) != 0 || x.n != 0 {
			t.Fatalf("%q leaves %d grams", text, len(x.with))
		}
	})
}

// TestRequestLists: what a request names exactly, and what it negates and directs.
func TestRequestLists(t *testing.T) {
	for text, want := range map[string]string{
		"fix issue #12, not 13 or v2":                        "files [] names [] numbers [12 13 2] negated [13]",
		"see a.go, b.tar.gz, x.abcde, y.abcdef, end. z.":     "files [a.go b.tar.gz x.abcde] names [] numbers [] negated []",
		"call maxItems() and max_items, not Max or 3.14":     "files [] names [maxitems] numbers [3.14] negated [max]",
		"https://example.com/a.go is 404, docs/Guide.md too": "files [guide.md] names [] numbers [404] negated []",
		"compile x.c and y.h again":                          "files [x.c y.h] names [] numbers [] negated []",
		"never":                                              "files [] names [] numbers [] negated []",
	} {
		r := NewRequest(text)
		fault.Same(t, text, fmt.Sprintf("files %v names %v numbers %v negated %v", r.files, r.names, r.numbers, r.negated), want)
	}
}

// TestIdeographs: of scripts without spaces each character is a word.
func TestIdeographs(t *testing.T) {
	fault.Same(t, "words", NewRequest("fix 日本語 parser").words, []string{"fix", "parse", "日", "本", "語"})
}

func TestDifference(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want Difference
	}{
		{"bump the version to v1.2.0-rc1", "bump the version to 1.2.0", "number"},
		{"bump v1.2.0 in a.go", "bump v1.3.0 in b.go", "file"},
		{"set maxItems to 12, not 13", "set minItems to 12", "negation"},
		{"fix the login", "repair the login", ""},
		{"fix the login", "don't fix the login", "negation"},
		{"close issue 12", "close issue 13", "number"},
		{"clean up a.go", "clean up b.go", "file"},
		{"inline maxItems", "inline minItems", "opposite"},
		{"inline maxItems", "inline allRows", "name"},
		{"explain the cache", "remove the cache", "task"},
		{"move it from redis to sqlite", "move it from sqlite to redis", "direction"},
		{"enable the cache", "disable the cache", "opposite"},
	} {
		fault.Same(t, fmt.Sprintf("%q and %q", c.a, c.b), NewRequest(c.a).Difference(NewRequest(c.b)), c.want)
	}
}
