package index

import (
	"fmt"
	"slices"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

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
