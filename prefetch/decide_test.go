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
	if hintOf(shown).Status != string(Shown) || hintOf(shown).Name != string(Partner) || hintOf(shown).Task != event.TaskChange ||
		len(hintOf(shown).Scores) != 1 {
		t.Errorf("shown event %+v", shown)
	}
	if hintOf(shadow).Status != string(Shadow) || !slices.Equal(shadow.Paths(), []event.Path{"maybe.go"}) {
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
	fault.Same(t, "files of a hint", len(d.ask(Next).Shown), traits[Next].files)
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
		t.Errorf("said again under another kind: %+v", got)
	}
	// The agent forgets: what it was notified of may be said again.
	e := d.event(event.KindStart)
	eventtest.Set(&e, "Source", "compact")
	d.happen(e)
	if got := d.ask(Partner); len(got.Shown) != 1 {
		t.Errorf("after compaction: %+v, want x.go", got)
	}
}

func TestTwoDecisionsBeforeTheLog(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "x.go")
	d.likely(.8, "y.go", "z.go")
	if first := d.say(Question{Kind: Next, Query: d.query()}, nil, all); len(first.Shown) == 0 {
		t.Fatalf("%+v", first)
	}
	if second := d.say(Question{Kind: Next, Query: d.query()}, nil, all); len(second.Shown) != 0 {
		t.Errorf("a second hint before the first was logged: %v", paths(second.Shown))
	}
}

func TestHoldout(t *testing.T) {
	d := newFixture(t, Options{Holdout: func() float64 { return 1 }})
	d.likely(.9, "x.go")
	dec := d.ask(Partner)
	if len(dec.Shown) != 0 || dec.Why != "withheld" || len(dec.Log) != 1 || hintOf(dec.Log[0]).Status != string(Withheld) {
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

func TestKindsThatAreNotRanked(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "x.go")
	for _, k := range []HintKind{Rescue, Start, Stale, Reload} {
		if dec := d.ask(k); len(dec.Shown)+len(dec.Log) != 0 || dec.Why != "nothing" {
			t.Errorf("kind %q was ranked: %+v", k, dec)
		}
	}
	if dec := d.say(Question{Kind: "gossip", Query: d.query()}, facts("x.go"), all); len(dec.Shown) != 0 {
		t.Errorf("of a kind that is not known %v is said", paths(dec.Shown))
	}
}

func TestWithoutASessionNothingIsLogged(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "x.go")
	q := d.question(Partner)
	q.Query.Session = ""
	if dec := d.say(q, nil, all); len(dec.Shown) != 1 || len(dec.Log) != 0 {
		t.Errorf("%+v, want x.go and no log", dec)
	}
}

// TestConversations: the agent and each subagent are notified separately, and what one does decides
// nothing for another.
func TestConversations(t *testing.T) {
	d := newFixture(t, Options{})
	tell := func(by string) said {
		t.Helper()
		q := d.query()
		q.Subagent = by
		dec := d.say(Question{Kind: Stale, Query: q}, facts("x.go"), all)
		d.happen(dec.Log...)
		return dec
	}
	open := func(by string, f event.Path) []session.Resolved {
		e := d.event(event.KindRead, f)
		e.Subagent = by
		return d.happen(e)
	}
	agent, sub := tell(""), tell("sub")
	if len(agent.Shown) != 1 || len(sub.Shown) != 1 || agent.Log[0].ID == sub.Log[0].ID {
		t.Fatalf("%+v, %+v", agent, sub)
	}
	if again := tell("sub"); len(again.Shown)+len(again.Log) != 0 {
		t.Errorf("notified twice: %+v", again)
	}
	if out := open("third", "x.go"); len(out) != 0 {
		t.Errorf("resolved by one that was not notified: %+v", out)
	}
	if out := open("sub", "x.go"); len(out) != 1 || out[0].ID != sub.Log[0].ID {
		t.Errorf("resolved: %+v", out)
	}
	e := d.event(event.KindRead, "x.go")
	if !d.led(e) {
		t.Error("what the agent was shown did not lead to its open")
	}
	compact := d.event(event.KindStart)
	eventtest.Set(&compact, "Source", "compact")
	d.happen(compact)
	if dec := tell(""); len(dec.Shown) != 1 {
		t.Errorf("the agent has forgotten it: %s", dec.Why)
	}
	if dec := tell("sub"); len(dec.Shown) != 0 {
		t.Errorf("the subagent has not")
	}
}

// TestTextWithoutFiles: a text is said without files of the decision, too, and the files that it
// names are not said again.
func TestTextWithoutFiles(t *testing.T) {
	d := newFixture(t, Options{Tokens: func() int { return 20 }})
	ask := func(kind HintKind, before string, named []event.Path, found ...event.Path) said {
		t.Helper()
		dec := d.say(Question{Kind: kind, Query: d.query()}, facts(found...),
			func(s []event.Suggestion) (string, []event.Path) {
				if len(s) > 0 {
					return before + fmt.Sprint(paths(s)), append(paths(s), named...)
				}
				return before, named
			})
		d.happen(dec.Log...)
		d.now = d.now.Add(time.Second)
		return dec
	}
	first := ask(Start, "said before", []event.Path{"n.go"}, "x.go")
	if len(first.Log) != 1 || !slices.Equal(first.Log[0].Named(), []event.Path{"n.go"}) ||
		!slices.Equal(first.Log[0].Paths(), []event.Path{"x.go"}) || hintOf(first.Log[0]).Tokens != Tokens(first.Text) {
		t.Fatalf("%+v", first)
	}
	if dec := ask(Start, "", nil, "n.go"); len(dec.Shown) != 0 {
		t.Errorf("named twice: %+v", dec)
	}
	if dec := ask(Start, "alone", nil); len(dec.Log) != 1 || len(dec.Log[0].Paths()) != 0 || dec.Why != WhyShown {
		t.Errorf("%+v", dec)
	}
	if dec := ask(Reload, "of no files", nil); len(dec.Log) != 1 || len(dec.Log[0].Paths()) != 0 {
		t.Errorf("%+v", dec)
	}
	if left := d.p.Left("s", d.now); left != 20-Tokens(first.Text)-Tokens("alone")-Tokens("of no files") {
		t.Errorf("%d tokens left", left)
	}
	ask(Start, "a text that costs more than what is left of the allowance of this session", nil)
	if dec := d.p.Decide(Question{Kind: Start, Query: d.query()}, Found(nil)); !dec.Spent {
		t.Errorf("said beyond the allowance: %+v", dec)
	}
}

// TestWordsTakeTime: while the words of a hint are made, for which files are read, other decisions
// are made and events are folded, and what the words will say is not said by another decision. It
// is held until the log has it.
func TestWordsTakeTime(t *testing.T) {
	d := newFixture(t, Options{})
	q := Question{Kind: Rescue, Query: d.query()}
	slow := d.p.Decide(q, Found(facts("a.go")))
	d.happen(d.event(event.KindRead, "b.go"))
	other := q
	other.Query.Session = "other"
	fault.Same(t, "meanwhile", d.say(q, facts("a.go"), all).Text, "")
	fault.Same(t, "to another session", d.say(other, facts("a.go"), all).Text, "words")
	log, why := d.p.Said(slow, "slow words", []event.Path{"a.go"})
	fault.Same(t, "the words that took time", fmt.Sprint(why, " ", log[0].Paths()), "shown [a.go]")
	fault.Same(t, "before the log has it", d.say(q, facts("a.go"), all).Text, "")
}

// TestWhatWasLateIsSaidLater: a hint whose words come too late was not said, and is said when it is
// asked again.
func TestWhatWasLateIsSaidLater(t *testing.T) {
	d := newFixture(t, Options{})
	q := Question{Kind: Rescue, Query: d.query()}
	d.p.Drop(d.p.Decide(q, Found(facts("a.go"))))
	fault.Same(t, "the next time", d.say(q, facts("a.go"), all).Text, "words")
}
