package prefetch

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

func TestShownShadowAndSilence(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "sure.go")
	d.likely(.5, "maybe.go")
	d.likely(.3, "no.go")
	dec := d.ask(Partner)
	if got := paths(dec.Shown); !slices.Equal(got, []event.Path{"sure.go"}) || dec.Why != "shown" {
		t.Fatalf("shown %v (%s), want sure.go", got, dec.Why)
	}
	if len(dec.Log) != 2 {
		t.Fatalf("logged %d events, want one shown and one shadow: %+v", len(dec.Log), dec.Log)
	}
	shown, shadow := dec.Log[0], dec.Log[1]
	if shown.Why != string(Shown) || shown.Tool != string(Partner) || shown.Task != event.TaskChange || len(shown.Scores) != 1 {
		t.Errorf("shown event %+v", shown)
	}
	if shadow.Why != string(Shadow) || !slices.Equal(shadow.Paths, []event.Path{"maybe.go"}) {
		t.Errorf("shadow event %+v, want maybe.go only: no.go is below the floor", shadow)
	}
	if again := d.ask(Partner); len(again.Shown)+len(again.Log) != 0 || again.Why != "nothing" {
		t.Errorf("asked again: %+v, want silence", again)
	}
}

func TestFewFilesAndNeverTheCurrent(t *testing.T) {
	d := newFixture(t, Options{})
	for i := range 12 {
		d.likely(.9, event.Path(fmt.Sprintf("f%02d.go", i)))
	}
	d.likely(.95, "cur.go")
	dec := d.ask(Partner)
	if len(dec.Shown) != MaxFiles || slices.Contains(paths(dec.Shown), "cur.go") {
		t.Errorf("shown %v, want %d and not cur.go", paths(dec.Shown), MaxFiles)
	}
	if n := len(d.ask(Next).Shown); n != traits[Next].files {
		t.Errorf("a hint names %d files, want %d", n, traits[Next].files)
	}
}

func TestHintsAreRareAndAPromptResets(t *testing.T) {
	d := newFixture(t, Options{})
	for i := range 20 {
		d.likely(.9, event.Path(fmt.Sprintf("f%02d.go", i)))
	}
	if dec := d.ask(Next); len(dec.Shown) == 0 {
		t.Fatalf("first hint: %s, want shown", dec.Why)
	}
	d.now = d.now.Add(hintEvery - time.Second)
	if dec := d.ask(Next); len(dec.Shown) != 0 || dec.Why != "soon" {
		t.Errorf("too early: %s %v, want soon", dec.Why, paths(dec.Shown))
	}
	if dec := d.ask(Partner); len(dec.Shown) == 0 {
		t.Errorf("what was asked for is not limited: %s", dec.Why)
	}
	d.happen(d.event(event.KindPrompt))
	if dec := d.ask(Prompt); len(dec.Shown) == 0 {
		t.Errorf("after a prompt: %s, want shown", dec.Why)
	}
	d.now = d.now.Add(hintEvery)
	if dec := d.ask(Next); len(dec.Shown) == 0 {
		t.Errorf("after %v: %s, want shown", hintEvery, dec.Why)
	}
}

func TestNothingTwice(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "x.go")
	if got := d.ask(Partner); len(got.Shown) != 1 {
		t.Fatalf("%+v, want x.go", got)
	}
	if got := d.ask(Next); len(got.Shown)+len(got.Log) != 0 {
		t.Errorf("told again under another kind: %+v", got)
	}
	// The agent forgets: what it was told may be told again. Learning clears what was told, here as there.
	e := d.event(event.KindStart)
	e.Tool = "compact"
	b := d.store.Batch()
	b.Session("s").Clear(hot.PartHinted)
	d.apply(b)
	d.happen(e)
	if got := d.ask(Partner); len(got.Shown) != 1 {
		t.Errorf("after compaction: %+v, want x.go", got)
	}
}

func TestTwoDecisionsBeforeTheLog(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "x.go")
	d.likely(.8, "y.go", "z.go")
	ctx := context.Background()
	first, err := d.p.Suggest(ctx, d.query(), Next)
	if err != nil || len(first.Shown) == 0 {
		t.Fatalf("%+v, %v", first, err)
	}
	second, err := d.p.Suggest(ctx, d.query(), Next)
	if err != nil || len(second.Shown) != 0 {
		t.Errorf("a second hint before the first was logged: %v, %v", paths(second.Shown), err)
	}
	if events, err := d.p.MarkCause(ctx, []event.Event{d.event(event.KindRead, "x.go")}); err != nil || events[0].Cause != first.Log[0].ID {
		t.Errorf("opened at once: cause %q, %v, want %q", events[0].Cause, err, first.Log[0].ID)
	}
}

func TestHoldout(t *testing.T) {
	d := newFixture(t, Options{Holdout: func() float64 { return 1 }})
	d.likely(.9, "x.go")
	dec := d.ask(Partner)
	if len(dec.Shown) != 0 || dec.Why != "withheld" || len(dec.Log) != 1 || dec.Log[0].Why != string(Withheld) {
		t.Errorf("%+v, want x.go withheld", dec)
	}
	held := 0
	const n = 20000
	for i := range n {
		f := event.Path(fmt.Sprintf("f%d.go", i))
		once := heldOut("seed", "s", f, .1)
		if once {
			held++
		}
		if twice := heldOut("seed", "s", f, .1); once != twice || heldOut("", "s", f, 0) {
			t.Fatal("the holdout is not the same twice, or not off at 0")
		}
	}
	if share := float64(held) / n; share < .09 || share > .11 {
		t.Errorf("holds out %.3f, want .10", share)
	}
}

func TestKindsThatAreOffOrNotRanked(t *testing.T) {
	d := newFixture(t, Options{Kinds: func(k Kind) bool { return k != Next }})
	d.likely(.9, "x.go")
	if dec := d.ask(Next); len(dec.Shown)+len(dec.Log) != 0 || dec.Why != "off" {
		t.Errorf("%+v, want off", dec)
	}
	for _, k := range []Kind{Rescue, WorkingSet, Stale, "gossip", ""} {
		if _, err := d.p.Suggest(context.Background(), d.query(), k); err == nil {
			t.Errorf("kind %q was ranked", k)
		}
	}
}

func TestPairNamesOnlyPairs(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "other.go", "cur_test.go")
	if got := paths(d.ask(Pair).Shown); !slices.Equal(got, []event.Path{"cur_test.go"}) {
		t.Errorf("shown %v, want cur_test.go", got)
	}
}

func TestWithoutASessionNothingIsLogged(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "x.go")
	q := d.query()
	q.Session = ""
	dec, err := d.p.Suggest(context.Background(), q, Partner)
	if err != nil || len(dec.Shown) != 1 || len(dec.Log) != 0 {
		t.Errorf("%+v, %v, want x.go and no log", dec, err)
	}
}

func TestBands(t *testing.T) {
	for p, want := range map[float64]Band{1: BandShow, .8: BandShow, .79: BandPrefetch, .6: BandPrefetch, .59: BandRequest, .4: BandRequest, .39: BandSilent, 0: BandSilent} {
		if got := BandOf(p); got != want {
			t.Errorf("band of %v is %s, want %s", p, got, want)
		}
	}
}
