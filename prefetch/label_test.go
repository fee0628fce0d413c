package prefetch

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestAnotherLabel: a prediction that is not about what its kind predicts moves no threshold, and
// teaches nothing.
func TestAnotherLabel(t *testing.T) {
	d := newFixture(t, Options{})
	hint := d.event(event.KindHint, "x.go")
	eventtest.Set(&hint, "Name", string(Next), "Status", string(Shown), "Scores", []float64{.9}, "Label", string(session.LabelChange))
	if out := d.happen(hint, d.event(event.KindEdit, "x.go")); len(out) != 1 {
		t.Fatalf("resolved: %+v", out)
	}
	near(t, "threshold", d.theta(Next), Balanced)
	if len(d.p.Outcomes) > 0 {
		t.Errorf("outcomes are %+v", d.p.Outcomes)
	}
}

// TestOneArm: a file that is withheld from a session stays withheld, whatever the kind; a fact too.
func TestOneArm(t *testing.T) {
	rate := 1.0
	d := newFixture(t, Options{Holdout: func() float64 { return rate }})
	d.likely(.9, "x.go")
	if dec := d.ask(Partner); dec.Why != "withheld" {
		t.Fatalf("%s", dec.Why)
	}
	rate = 0
	d.now = d.now.Add(time.Hour)
	for _, k := range []HintKind{Next, Prompt} {
		if dec := d.ask(k); len(dec.Shown) != 0 {
			t.Errorf("shown as %s", k)
		}
	}
	if dec := d.tell(Stale, "x.go"); len(dec.Shown) != 0 || dec.Why != "withheld" {
		t.Errorf("said as a fact: %s", dec.Why)
	}
	one := heldOut("seed", "s", "x.go", .5)
	for range 3 {
		fault.Same(t, "drawn again", heldOut("seed", "s", "x.go", .5), one)
	}
}

// TestNoRoom: what the text does not name was not shown.
func TestNoRoom(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "x.go")
	d.likely(.8, "y.go")
	ask := func(most int) said {
		t.Helper()
		dec := d.say(d.question(Partner), nil, func(shown []event.Suggestion) (text string, named []event.Path) {
			for _, s := range shown[:min(most, len(shown))] {
				text, named = text+string(s.File), append(named, s.File)
			}
			return text, named
		})
		d.happen(dec.Log...)
		return dec
	}
	if none := ask(0); len(none.Shown) != 0 || len(none.Log) != 0 || none.Why != "space" || none.Text != "" {
		t.Errorf("nothing printed: %+v", none)
	}
	part := ask(1)
	if len(part.Shown) != 1 || len(part.Log) != 1 || part.Text != "x.go" {
		t.Fatalf("one of two printed: %+v", part)
	}
	if got := hintOf(part.Log[0]); !slices.Equal(got.Paths, []event.Path{"x.go"}) || len(got.Scores) != 1 ||
		got.Tokens != Tokens("x.go") {
		t.Errorf("logged %+v", got)
	}
	if rest := ask(2); rest.Text != "y.go" {
		t.Errorf("there is space now: %q", rest.Text)
	}
}

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
