package prefetch

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestOtherClonesTeach: what came of the predictions of another clone is learned from, and counts
// nowhere else.
func TestOtherClonesTeach(t *testing.T) {
	d, origin := newFixture(t, Options{}), strings.Repeat("A", 26)
	hint, open := d.event(event.KindHint, "x.go"), d.event(event.KindRead, "x.go")
	eventtest.Set(&hint, "Name", string(Next), "Status", string(Shown), "Label", string(session.LabelNext), "Scores", []float64{.7})
	for _, e := range []*event.Event{&hint, &open} {
		e.Origin, e.Session = origin, event.ForeignSession(origin, "s")
	}
	d.happen(hint, open)
	if i := d.p.Learned()[Next]; i.Outcomes != 1 || !(i.Value > 0) {
		t.Errorf("the intercept is %+v", i)
	}
	if len(d.p.Records()) > 0 || len(d.p.Came(10)) > 0 || d.theta(Next) != Balanced {
		t.Errorf("records are %+v, came %+v, the threshold %v", d.p.Records(), d.p.Came(10), d.theta(Next))
	}
}

func FuzzRestore(f *testing.F) {
	s := NewState()
	s.Apply(event.Event{Time: epoch, Session: "s", Body: event.Hint{Name: string(Next), Status: string(Shown),
		Paths: []event.Path{"a"}}}, nil, session.Delta{})
	s.Intercepts[Next] = Intercept{Value: -.5, Outcomes: 7}
	saved := fault.Must(s.Snapshot())
	f.Add(saved)
	s.Intercepts[Next] = Intercept{Value: math.NaN()}
	saved = fault.Must(s.Snapshot())
	f.Add(saved)
	f.Fuzz(func(t *testing.T, data []byte) {
		s := NewState()
		if s.Restore(data) != nil {
			return
		}
		for _, c := range Classes() {
			if p := s.Learned().adjust(c, rank.Uncalibrated).Probability(0); !(p > .2 && p < .8) {
				t.Fatalf("%q gives the probability %v", data, p)
			}
		}
		if _, err := s.Snapshot(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestASnapshotKeepsAll: what a snapshot has, and nothing of one that is damaged.
func TestASnapshotKeepsAll(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "x.go", "y.go")
	d.ask(Partner)
	d.happen(d.event(event.KindEdit, "x.go"), d.event(event.KindFeedback))
	saved := fault.Must(d.p.Snapshot())
	again := NewState()
	fault.Check(t, again.Restore(saved))
	fault.Same(t, "outcomes", len(again.Outcomes), 1)
	if a, b := d.known(d.p.State, d.sessions), d.known(again, d.sessions); a != b {
		t.Errorf("restored\n%s\nsaved\n%s", b, a)
	}
	for _, bad := range [][]byte{{}, saved[:len(saved)-1], append([]byte{99}, saved[1:]...)} {
		if err := NewState().Restore(bad); !errors.Is(err, ErrSnapshot) {
			t.Errorf("%d bytes: %v", len(bad), err)
		}
	}
	fault.Check(t, again.Restore(nil))
	if a, b := d.known(NewState(), d.sessions), d.known(again, d.sessions); a != b {
		t.Errorf("emptied\n%s\nempty\n%s", b, a)
	}
}

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
	a := fault.Must(p.Answer(t.Context(), q, past))
	var order []event.Path
	for i, s := range a.Suggestions {
		order = append(order, s.File)
		if i > 0 && s.Score > a.Suggestions[i-1].Score {
			t.Errorf("%s is likelier than what stands before it", s.File)
		}
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
	if w := ShippedBegun(); w[1] <= 0 || w[3] <= 0 || w[2] >= 0 || w[4] >= 0 || w[7] == 0 {
		t.Errorf("the shipped weights are %v", *w)
	}
}
