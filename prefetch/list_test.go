package prefetch

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestAnInterceptCannotStarve: one that lowers everything below the floor goes on getting outcomes,
// and is corrected by them.
func TestAnInterceptCannotStarve(t *testing.T) {
	d := newFixture(t, Options{})
	d.p.Intercepts[Next] = Intercept{Value: -mostIntercept, Outcomes: lastingOutcomes}
	d.likely(.55, "x.go")
	for i := range 100 {
		q := d.query()
		q.Session = fmt.Sprint("session", i)
		dec := d.say(Question{Kind: Next, Query: q}, nil, all)
		if i == 0 && len(dec.Shown) != 0 || len(dec.Log) == 0 {
			t.Fatalf("question %d: %s, %d events", i, dec.Why, len(dec.Log))
		}
		d.happen(dec.Log...)
		open := d.event(event.KindRead, "x.go")
		open.Session = q.Session
		d.happen(open)
	}
	if v := d.p.Learned()[Next].Value; v < -.6 { // a step is at least 4/440 of what was wrong
		t.Errorf("the intercept is still %v", v)
	}
}

// TestOneAnswer: who asks and who is hinted get the same probability, of the same model, with the
// intercept of its kind.
func TestOneAnswer(t *testing.T) {
	d := newFixture(t, Options{Confident: &Confidence{Ahead: .2}})
	d.likely(.7, "often.go", "cur_test.go")
	d.likely(.3, "never.go")
	d.p.Intercepts[Partner], d.p.Intercepts[Next] = Intercept{Value: .3}, Intercept{Value: .4}
	for _, kind := range []HintKind{Partner, Next} {
		q := d.query()
		q.Session = ""
		q.Task = traits[kind].task
		ans, err := d.p.Answer(t.Context(), q, d.past())
		if err != nil || len(ans.Suggestions) < 2 {
			t.Fatalf("%+v, %v", ans, err)
		}
		lacks := d.p.Companions(q, d.past(), d.tree.Has).Lacks(d.p.Sure())
		hint := d.say(Question{Kind: kind, Query: q}, nil, all)
		if len(hint.Shown) == 0 {
			t.Fatalf("%s: %+v", kind, hint)
		}
		for _, s := range hint.Shown {
			i := slices.IndexFunc(ans.Suggestions, func(a event.Suggestion) bool { return a.File == s.File })
			if i < 0 || ans.Suggestions[i].Score != s.Score {
				t.Errorf("%s: %s is hinted at %v, answered with %+v", kind, s.File, s.Score, ans.Suggestions)
			}
			why, place, err := d.p.Why(t.Context(), q, d.past(), s.File)
			if err != nil || why.Score != s.Score || place != i+1 {
				t.Errorf("%s: why says %v at place %d, %v", kind, why.Score, place, err)
			}
			if kind != Partner {
				continue
			}
			counts := event.Together{With: "cur.go", Both: 210, Of: 300, Recent: 35, OfRecent: 50}
			if !slices.ContainsFunc(lacks, func(l Lack) bool {
				return l.File == s.File && l.Score == s.Score && l.Together == counts
			}) || len(lacks) != 2 || *s.Together != counts {
				t.Errorf("the change lacks %+v, hinted at %s, %v", lacks, s.File, s.Score)
			}
		}
	}
}

// TestFeatures holds the formulas of the list's features.
func TestFeatures(t *testing.T) {
	f := ListFeaturesOf(event.Query{Prompt: "fix the login"}, Turn{3, true},
		[]Candidate{{Shipped: .8, Text: .2, Terms: .3}, {Shipped: .5, Text: .7}})
	want := ListFeatures{Turn: math.Log(4), Words: math.Log(4), Short: 1, First: math.Log(4), Any: math.Log(9), Text: .7, Terms: .3,
		Named: 1}
	for i, v := range f.Values() {
		if w := want.Values()[i]; math.Abs(v-w) > 1e-9 {
			t.Errorf("feature %d is %v, want %v", i, v, w)
		}
	}
	if f := ListFeaturesOf(event.Query{Prompt: "one two three four"}, Turn{}, nil); f.Short != 0 || f.Any > -5 {
		t.Errorf("%+v", f)
	}
}

// TestUsualIsApart: what belongs to everything stands apart in an answer, and takes no place of
// another file. Beside its manifest, a lock file is an answer like any other. What people see
// stands beside the strongest fact.
func TestUsualIsApart(t *testing.T) {
	c := &history.Commits{}
	for i := range 60 {
		set := []event.Path{"CHANGELOG.md"}
		switch i % 3 {
		case 0:
			set = append(set, "api/wire.go", "docs/json.md")
		case 1:
			set = append(set, "go.mod", "go.sum")
		}
		c.Add("", set, nil)
	}
	p := New(NewState(), session.New(), nil, Options{})
	ask := func(f event.Path, most int) event.Answer {
		q := event.Query{Task: event.TaskChange, Files: []event.Path{f}, Limit: most, At: epoch}
		return p.Companions(q, history.Past{Commits: c}, func(event.Path) bool { return true }).Answer(t.Context())
	}
	a := ask("api/wire.go", 1)
	fault.Same(t, "suggested and usual", fmt.Sprint(len(a.Suggestions), a.Suggestions[0].File, " ", len(a.Usual), " ", a.Usual[0].File),
		"1docs/json.md 1 CHANGELOG.md")
	fault.Same(t, "all", len(a.All()), 2)
	if r := a.Suggestions[0].Reasons; len(r) != 1 || r[0].Text != "changed together in 20 of 20 commits" || r[0].Value*r[0].Weight <= 0 {
		t.Errorf("the reason is %+v", r)
	}
	if a.Confidence != a.Suggestions[0].Score {
		t.Errorf("the confidence is %v", a.Confidence)
	}
	a = ask("go.mod", 2)
	if a.Suggestions[0].File != "go.sum" && a.Suggestions[1].File != "go.sum" {
		t.Errorf("beside a manifest: %v", a.Suggestions)
	}
}
