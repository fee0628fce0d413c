package index

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
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

// said are the hashes of words in a sketch.
func said(k Sketch, words ...string) (out []bool) {
	for _, w := range words {
		_, has := slices.BinarySearch(k, sketchHash([]byte(w)))
		out = append(out, has)
	}
	return out
}

// TestSketchBounds: the first 150 lines are read, the 60 most frequent words are kept, and all
// lines count.
func TestSketchBounds(t *testing.T) {
	var d Differ
	for i := range 400 {
		d.Line(true, fmt.Appendf(nil, "often word%d %s", i, strings.Repeat("x", 49)))
	}
	k := d.Sketch()
	fault.Same(t, "words and two marks", len(k), maxSketchWords+2)
	fault.Same(t, "often, a long word, 101 lines or more", fmt.Sprint(said(k, "often", strings.Repeat("x", 49), "\x00size 101")), "[true false true]")
	for i := maxSketchLines; i < 400; i++ {
		if said(k, fmt.Sprint("word", i))[0] {
			t.Errorf("line %d was read", i)
		}
	}
	if !slices.IsSorted(k) {
		t.Error("it is not in order")
	}
}

// TestSketchHash: sketches are kept on the disk, so a word has the same hash in every version.
func TestSketchHash(t *testing.T) {
	fault.Same(t, "FNV-1a of parseconfig", sketchHash([]byte("ParseConfig")), sketchHash([]byte("parseconfig")))
	fault.Same(t, "FNV-1a of a", sketchHash([]byte("a")), uint32(0xe40c292c))
}

// TestStem: the words of a line of testdata/stems.txt share a stem, which no word of another line
// has.
func TestStem(t *testing.T) {
	words := fault.Must(os.ReadFile("testdata/stems.txt"))
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
