package prefetch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestASnapshotKeepsAll: what a snapshot has, and nothing of one that is damaged.
func TestASnapshotKeepsAll(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "x.go", "y.go")
	d.ask(Partner)
	d.happen(d.event(event.KindEdit, "x.go"), d.event(event.KindFeedback))
	saved, err := d.p.Snapshot()
	fault.Check(t, err)
	again := NewState()
	fault.Check(t, again.Restore(saved))
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

func TestThresholdsFollowOutcomes(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "hit.go")
	start := d.theta(Next)
	near(t, "the first threshold", start, Balanced)
	d.ask(Next)
	d.happen(d.event(event.KindEdit, "hit.go"))
	near(t, "after a hit", d.theta(Next), start-quantileStep*(1-targetPrecision))
	near(t, "of another kind", d.theta(Search), ListThreshold)
	d.likely(.9, "miss.go")
	d.now = d.now.Add(hintEvery)
	d.ask(Next)
	d.opens(2 * session.Horizon)
	near(t, "after a miss", d.theta(Next), start-quantileStep*(1-targetPrecision)+quantileStep*targetPrecision)
	fault.Same(t, "outcomes", len(d.p.Outcomes), 2)
}

// TestPartnersThresholdStays: outcomes move neither what aoa check finds nor what the hint names.
func TestPartnersThresholdStays(t *testing.T) {
	d := newFixture(t, Options{})
	for i := range ignoredInRow + 1 {
		f := event.Path(fmt.Sprintf("missed%d.go", i))
		d.likely(.9, f)
		if dec := d.ask(Partner); !slices.Contains(paths(dec.Shown), f) {
			t.Fatalf("hint %d: %+v", i, dec)
		}
		d.commit("cur.go")
		near(t, "the threshold", d.theta(Partner), Sure(Balanced))
	}
}

func TestShadowsDoNotMoveThresholds(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.5, "maybe.go")
	if dec := d.ask(Partner); len(dec.Log) != 1 || dec.Why != "below" {
		t.Fatalf("%+v, want a shadow", dec)
	}
	if out := d.commit("cur.go"); len(out) != 1 || out[0].Status != string(Shadow) {
		t.Fatalf("outcomes %+v, want the shadow's", out)
	}
	near(t, "drift", d.p.Drift[Partner], 0)
	if f := d.p.Counts[Partner].Shadow; f != (Tally{Decided: 1, Resolved: 1}) {
		t.Errorf("record %+v, want one shadow predicted and resolved", f)
	}
}

func TestBeingIgnoredRaisesTheThreshold(t *testing.T) {
	d := newFixture(t, Options{})
	for i := range ignoredInRow {
		near(t, "threshold", d.theta(Next)-d.p.Drift[Next], Balanced)
		d.likely(.9, event.Path("ignored"+string(rune('a'+i))+".go"))
		if dec := d.ask(Partner); len(dec.Shown) != 1 {
			t.Fatalf("suggestion %d: %+v", i, dec)
		}
		d.commit("cur.go")
	}
	near(t, "after three ignored", d.theta(Next), Balanced+ignorePenalty)
	d.likely(.95, "used.go")
	if dec := d.ask(Partner); len(dec.Shown) != 1 {
		t.Fatalf("%+v, want used.go", dec)
	}
	d.happen(d.event(event.KindEdit, "used.go"))
	near(t, "after one used", d.theta(Next), Balanced)
}

func TestFeedbackMovesTheSessionOnly(t *testing.T) {
	d := newFixture(t, Options{})
	e := d.event(event.KindFeedback)
	eventtest.Set(&e, "Helped", false)
	d.happen(e)
	near(t, "after a no", d.theta(Next), Balanced+.05+quantileStep*targetPrecision)
	near(t, "of what a change lacks", d.theta(Partner), Sure(Balanced))
	_, kinds := d.p.Threshold("another", d.now)
	near(t, "in another session", kinds[string(Next)], Balanced+quantileStep*targetPrecision)
	d.now = d.now.Add(session.OverAfter + time.Hour)
	near(t, "when the session has expired", d.theta(Next), Balanced+quantileStep*targetPrecision)
}

func TestASetThresholdForgetsDrift(t *testing.T) {
	base := Balanced
	d := newFixture(t, Options{Threshold: func() float64 { return base }})
	d.happen(d.event(event.KindFeedback))
	if d.theta(Next) == Balanced {
		t.Fatal("feedback moved nothing")
	}
	base = Conservative
	value, kinds := d.p.Threshold("", d.now)
	near(t, "value", value, Conservative)
	near(t, "kind", kinds[string(Next)], Conservative)
}

// A wrong suggestion must not feed itself: shown and ignored, a file is worth no more than before.
func TestAWrongSuggestionDoesNotGrow(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "x.go")
	why := func() float64 {
		t.Helper()
		s, err := d.p.ranker.Why(context.Background(), event.Query{Task: event.TaskOpen, Current: "cur.go", At: epoch},
			"x.go")
		fault.Check(t, err)
		return s.Score
	}
	before := why()
	if dec := d.ask(Partner); !slices.Contains(paths(dec.Shown), "x.go") {
		t.Fatalf("%+v, want x.go", dec)
	}
	d.commit("cur.go")
	if after := why(); after > before {
		t.Errorf("score %v grew to %v by being shown", before, after)
	}
	if d.theta(Partner) <= Balanced {
		t.Errorf("threshold %v did not rise", d.theta(Partner))
	}
}
