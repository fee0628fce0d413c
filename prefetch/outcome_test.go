package prefetch

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/event/eventtest"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session/live"
	"github.com/aoa-dev/aoa/rank"
)

func TestAHitIsSettledAtOnceAndAMissAtTheHorizon(t *testing.T) {
	d := newFixture(t, Options{})
	dec := d.tell(Stale, "hit.go", "miss.go")
	if len(dec.Shown) != 2 {
		t.Fatalf("shown %v, want two", paths(dec.Shown))
	}
	open := d.event(event.KindEdit, "hit.go")
	out := d.happen(open)
	if len(out) != 1 || !outcomeOf(out[0]).Used || out[0].Paths()[0] != "hit.go" || outcomeOf(out[0]).Cause != dec.Log[0].ID ||
		outcomeOf(out[0]).Arm != string(Shown) || len(outcomeOf(out[0]).Scores) != 1 {
		t.Fatalf("outcomes of a hit: %+v", out)
	}
	if out := d.opens(live.Horizon - 2); len(out) != 0 {
		t.Fatalf("settled before the horizon: %+v", out)
	}
	out = d.opens(1)
	if len(out) != 1 || outcomeOf(out[0]).Used || out[0].Paths()[0] != "miss.go" {
		t.Fatalf("outcomes at the horizon: %+v", out)
	}
	if d.led(d.event(event.KindRead, "miss.go")) {
		t.Error("opened after the horizon, and the hint led to it")
	}
	if out := d.opens(live.Horizon); len(out) != 0 {
		t.Errorf("settled twice: %+v", out)
	}
}

func TestTheEndOfASessionSettles(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "x.go")
	d.ask(Next)
	out := d.happen(d.event(event.KindEnd))
	if len(out) != 1 || outcomeOf(out[0]).Used {
		t.Errorf("%+v, want one miss", out)
	}
}

func TestAnIdleSessionIsSettledByATick(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "x.go")
	d.ask(Partner)
	tick := func() []event.Event {
		return d.happen(event.Event{ID: "tick" + d.now.String(), Time: d.now, Body: event.Tick{}})
	}
	if out := tick(); len(out) != 0 {
		t.Fatalf("settled while the session is alive: %+v", out)
	}
	d.now = d.now.Add(idleEnd + time.Second)
	out := tick()
	if len(out) != 1 || outcomeOf(out[0]).Used || out[0].Session != "s" {
		t.Fatalf("%+v, want one miss", out)
	}
	if out := tick(); len(out) != 0 {
		t.Errorf("settled twice: %+v", out)
	}
	if w := d.live.Waiting(); len(w) > 0 {
		t.Errorf("sessions still wait: %s", w)
	}
}

func TestARestartKeepsWhatWaits(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "x.go")
	d.ask(Partner)
	d.p = New(d.store, d.live, rank.New(d.store, d.live, func() *index.Tree { return d.tree },
		rank.Options{Models: transparent}), Options{Confident: says})
	out := d.happen(d.event(event.KindEdit, "x.go"))
	if len(out) != 1 || !outcomeOf(out[0]).Used {
		t.Errorf("after a restart: %+v, want one hit", out)
	}
}

func TestObserveTwiceSaysTheSame(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "x.go")
	d.ask(Partner)
	open := d.event(event.KindEdit, "x.go")
	d.fold(d.p, d.store, d.live, []event.Event{open})
	// The outcome of the first call is lost, as in a crash before it was logged.
	first, second := d.p.Observe([]event.Event{open}), d.p.Observe([]event.Event{open})
	if len(first) != 1 || len(second) != 1 || first[0].ID != second[0].ID {
		t.Fatalf("%+v, then %+v: want one event, the same", first, second)
	}
	d.happen(first...)
	before := d.facts(d.store, d.live)
	d.happen(second...)
	if after := d.facts(d.store, d.live); !maps.Equal(before, after) {
		t.Errorf("an outcome delivered twice counted twice:\n%v\n%v", before, after)
	}
}

func TestThresholdsFollowOutcomes(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "hit.go")
	start := d.theta(Partner)
	near(t, "the first threshold", start, Balanced)
	d.ask(Partner)
	d.happen(d.event(event.KindEdit, "hit.go"))
	near(t, "after a hit", d.theta(Partner), start-quantileStep*(1-targetPrecision))
	near(t, "of another kind", d.theta(Next), start)
	d.likely(.9, "miss.go")
	d.ask(Partner)
	d.opens(2 * live.Horizon)
	d.commit("cur.go")
	near(t, "after a miss", d.theta(Partner), start-quantileStep*(1-targetPrecision)+quantileStep*targetPrecision)
}

func TestShadowsDoNotMoveThresholds(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.5, "maybe.go")
	if dec := d.ask(Partner); len(dec.Log) != 1 || dec.Why != "below" {
		t.Fatalf("%+v, want a shadow", dec)
	}
	if out := d.commit("cur.go"); len(out) != 1 || outcomeOf(out[0]).Arm != string(Shadow) {
		t.Fatalf("outcomes %+v, want the shadow's", out)
	}
	near(t, "threshold", d.theta(Partner), Balanced)
	if f := d.facts(d.store, d.live); f[factRecord+"/partner:shadow:predicted"] != "1" ||
		f[factRecord+"/partner:shadow:settled"] != "1" {
		t.Errorf("record %v, want one shadow predicted and settled", f)
	}
}

func TestBeingIgnoredRaisesTheThreshold(t *testing.T) {
	d := newFixture(t, Options{})
	for i := range ignoredInRow {
		near(t, "threshold", d.theta(Next)-parse(d.facts(d.store, d.live)[factDrift+"/next"]), Balanced)
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
	near(t, "a kind that is no hint", d.theta(Partner), Balanced+.05)
	_, kinds, err := d.p.Threshold(context.Background(), "another", d.now)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "in another session", kinds[string(Next)], Balanced+quantileStep*targetPrecision)
	d.now = d.now.Add(live.Life + time.Hour)
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
	value, kinds, err := d.p.Threshold(context.Background(), "", d.now)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "value", value, Conservative)
	near(t, "kind", kinds[string(Next)], Conservative)
}

// A wrong suggestion must not feed itself: shown and ignored, a file is worth no more than before.
func TestAWrongSuggestionDoesNotGrow(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "x.go")
	why := func() float64 {
		t.Helper()
		s, err := d.p.ranker.Why(context.Background(), event.Query{Task: event.TaskChange, Current: "cur.go", At: epoch},
			"x.go")
		if err != nil {
			t.Fatal(err)
		}
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

func TestReplayGivesTheSame(t *testing.T) {
	d := newFixture(t, Options{Holdout: func() float64 { return .3 }})
	for i := range 12 {
		d.likely(.5+float64(i)/30, event.Path("f"+string(rune('a'+i))+".go"))
	}
	for i := range 6 {
		d.ask([]Kind{Next, Partner, Prompt}[i%3])
		d.happen(d.event(event.KindRead, event.Path("f"+string(rune('a'+i))+".go")))
		d.opens(4)
		if i%2 == 0 {
			d.happen(d.event(event.KindPrompt))
		}
	}
	d.happen(d.event(event.KindFeedback))
	want := d.facts(d.store, d.live)
	if len(want) < 8 {
		t.Fatalf("the day left too little to compare: %v", want)
	}
	again, sessions := openStore(t), live.New()
	p := New(again, sessions, nil, d.p.o)
	for _, batch := range d.log {
		d.fold(p, again, sessions, batch)
	}
	if got := d.facts(again, sessions); !maps.Equal(got, want) {
		t.Errorf("replayed\n%v\nlive\n%v", got, want)
	}
}
