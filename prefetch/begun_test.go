package prefetch

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestBegun: with a file and a text, what both lead to comes first, then what either leads to. The
// reasons of both sides add up to the logit.
func TestBegun(t *testing.T) {
	files := map[event.Path]string{
		"api/wire.go":      "package api\n\n// Encode writes a frame.\nfunc Encode() {}\n",
		"api/frame.go":     "package api\n\n// Frame has a checksum.\ntype Frame struct{}\n\nfunc checksum() {}\n",
		"api/limit.go":     "package api\n\nfunc limit() {}\n",
		"hash/checksum.go": "package hash\n\n// Checksum of a block.\nfunc Checksum() {}\n",
		"other.go":         "package other\n\nfunc other() {}\n",
	}
	tree, contents := index.NewTree(nil), index.NewContents()
	past := history.Past{Commits: &history.Commits{}}
	for f, text := range files {
		tree.Add(f)
		contents.Set(f, []byte(text))
	}
	for i := range 30 {
		past.Commits.Add("", []event.Path{"api/wire.go", []event.Path{"api/frame.go", "api/limit.go"}[i%2]}, nil)
	}
	store, sessions := openStore(t), session.New()
	r := rank.New(store, sessions, func() *index.Tree { return tree }, rank.Options{Contents: func() *index.Contents { return contents }})
	p := New(NewState(), sessions, r, Options{})
	q := event.Query{Prompt: "the checksum of a frame is wrong", Files: []event.Path{"api/wire.go"}, At: epoch, Explain: true, Limit: 9}
	a, err := p.Answer(t.Context(), q, past)
	fault.Check(t, err)
	var order []event.Path
	for _, s := range a.Suggestions {
		order = append(order, s.File)
		sum := 0.0
		for _, r := range s.Reasons {
			sum += r.Value * r.Weight
		}
		if math.Abs(sum-s.Logit) > 1e-9 || math.Abs(s.Scale[0]*s.Logit+s.Scale[1]-logOdds(s.Score)) > 1e-6 {
			t.Errorf("%s: the reasons add up to %v, the logit is %v and the score %v", s.File, sum, s.Logit, s.Score)
		}
	}
	if len(order) < 3 || order[0] != "api/frame.go" || slices.Contains(order, "api/wire.go") {
		t.Errorf("the order is %v", order)
	}
	place := func(f event.Path) int { return slices.Index(order, f) }
	if place("hash/checksum.go") < 0 || place("api/limit.go") < 0 || place("other.go") >= 0 && place("other.go") < 3 {
		t.Errorf("what the text or the file leads to: %v", order)
	}
	for name, other := range map[string]event.Query{"in a session": {Session: "s", Prompt: q.Prompt, Files: q.Files},
		"without a file": {Prompt: q.Prompt}, "without a text": {Files: q.Files}} {
		fault.Same(t, name, Begins(other), false)
	}
}

// TestBegunValues: each side that is missing has a weight of its own, and each kind of file.
func TestBegunValues(t *testing.T) {
	none := math.NaN()
	for want, x := range map[string][8]float64{
		"[1 2 0 -1 0 0 0 0]": BegunValues("a.go", 2, -1), "[1 0 1 -1 0 1 0 0]": BegunValues("a_test.go", none, -1),
		"[1 2 0 0 1 0 1 0]": BegunValues("a.md", 2, none), "[1 0 1 0 1 0 0 1]": BegunValues("a.json", none, none)} {
		fault.Same(t, "values", fmt.Sprint(x), want)
	}
	b := Begun{1, 2, 3, 4, 5, 6, 7, 8}
	fault.Same(t, "log odds", b.LogOdds([8]float64{1, 1, 1, 1, 1, 1, 1, 1}), 36.)
	fault.Same(t, "names", len(BegunSignals), len(b.Weights()))
	if w := ShippedBegun(); w.Text <= 0 || w.Change <= 0 || w.NoText >= 0 || w.NoChange >= 0 {
		t.Errorf("the shipped weights are %+v", *w)
	}
}
