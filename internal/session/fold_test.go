package session_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// fixture is sessions that events are folded into.
type fixture struct {
	*testing.T
	*session.Sessions
}

func newFixture(t *testing.T) *fixture { return &fixture{t, session.New()} }

// apply folds events and returns what the last one changed.
func (d *fixture) apply(events ...event.Event) (delta session.Delta) {
	for _, e := range events {
		_, delta = d.Apply(e)
	}
	return delta
}

// session is session s as it is then.
func (d *fixture) session(after time.Duration) *session.Session { return d.Get("s", start.Add(after)) }

func (d *fixture) expect(what string, got, want any) {
	d.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		d.Errorf("%s: %s, want %s", what, g, w)
	}
}

func ev(kind event.Kind, after time.Duration, paths ...event.Path) event.Event {
	return event.Event{Time: start.Add(after), Agent: "claude", Session: "s", Body: eventtest.Body(kind, paths...)}
}

func TestSaves(t *testing.T) {
	save := func(after time.Duration, p event.Path) event.Event {
		return event.Event{Agent: "watch", Time: start.Add(after), Body: event.Save{Paths: []event.Path{p}}}
	}
	d := newFixture(t)
	d.apply(ev(event.KindEdit, 0, "a"))
	d.expect("a save of a tool's edit", len(d.apply(save(9*time.Second, "a")).Opened), 0)
	d.expect("a save of one's own", d.apply(save(11*time.Second, "a")).Opened, "[{a true true []}]")
	d.apply(save(12*time.Second, "b"))
	at := start.Add(12 * time.Second)
	d.expect("saved last", d.Get("watch", at).Current, "b")
	d.apply(event.Event{Time: at, Body: event.Checkout{}})
	d.expect("saved last on this branch", d.Get("watch", at).Current, "")
	d.expect("after idle time", d.apply(save(40*time.Minute, "c")).Changes[0].Files, "[{a false} {b false}]")
	d.expect("files since", d.Get("watch", start.Add(40*time.Minute)).First, "[c]")
	d.expect("sessions", len(d.Running(at)), 2)
	if d.Get("tools", at).Exists() {
		t.Error("what tools edited is shown as a session")
	}
}

// TestRenameLeavesReaders: what a reader has of a session does not change when a file gets another
// name.
func TestRenameLeavesReaders(t *testing.T) {
	d := newFixture(t)
	d.apply(ev(event.KindEdit, 0, "a"), ev(event.KindEdit, 0, "b"))
	old := d.session(0)
	d.apply(event.Event{Time: start, Body: event.Rename{From: []event.Path{"b"}, To: []event.Path{"c"}}})
	d.expect("now and before", fmt.Sprint(d.session(0).Edited(), old.First, old.Edited()), "[a c] [a b] [a b]")
}

// TestEverySessionEnds: however a session ends, its last change is over and what was predicted is
// decided.
func TestEverySessionEnds(t *testing.T) {
	tick := event.Event{Time: start.Add(25 * time.Hour), Body: event.Tick{}}
	for what, last := range map[string][]event.Event{
		"its end is reported":     {ev(event.KindEnd, time.Hour)},
		"it begins again":         {ev(event.KindRead, 25*time.Hour, "c")},
		"a tick finds it over":    {tick},
		"the clock had run ahead": {{Time: start.Add(-25 * time.Hour), Body: event.Tick{}}},
		"there are too many":      others(500),
	} {
		d := newFixture(t)
		hint := ev(event.KindHint, 0, "b")
		hint.ID = "hint"
		eventtest.Set(&hint, "Name", "next", "Status", session.Shown, "Label", session.LabelOpen, "Scores", []float64{.5})
		d.apply(ev(event.KindPrompt, 0), hint, ev(event.KindEdit, 0, "a"))
		var changes []session.Change
		var decided []session.Resolved
		for _, e := range last {
			delta := d.apply(e)
			changes, decided = append(changes, delta.Changes...), append(decided, delta.Resolved...)
		}
		if len(changes) != 1 || len(changes[0].Files) != 1 || changes[0].Files[0].Path != "a" || len(decided) != 1 {
			t.Errorf("%s: the changes %v, decided %v", what, changes, decided)
		}
	}
}

// others are the starts of n other sessions.
func others(n int) (out []event.Event) {
	for i := range n {
		e := ev(event.KindStart, time.Minute)
		e.Session = fmt.Sprint("other", i)
		out = append(out, e)
	}
	return out
}

// TestSaid: what the agent said last is forgotten after a day, and begins no session.
func TestSaid(t *testing.T) {
	d := newFixture(t)
	stop := ev(event.KindStop, 0)
	eventtest.Set(&stop, "Terms", []string{"basket"})
	d.apply(ev(event.KindPrompt, 0), stop)
	d.expect("now", d.session(0).Said.Words, "[basket]")
	d.expect("a day later", d.session(session.OverAfter).Said.Words, "[]")
	stop.Session = "never began"
	d.apply(stop)
	d.expect("a stop begins no session", d.Get("never began", start).Exists(), false)
}

// hint is a hint event.
func hint(id string, label session.Label, status string, files ...event.Path) event.Event {
	e := ev(event.KindHint, 0, files...)
	e.ID = id
	eventtest.Set(&e, "Name", string("kind-"+label), "Label", label, "Status", status, "Tokens", 10)
	return e
}

// resolved are the files that events resolve.
func (d *fixture) resolved(events ...event.Event) (out []string) {
	for _, e := range events {
		for _, s := range d.apply(e).Resolved {
			out = append(out, fmt.Sprint(s.Session, " ", s.ID, " ", s.File.Path, " ", s.File.Used))
		}
	}
	return out
}

// TestPredictionsAreDecided by what their label says.
func TestPredictionsAreDecided(t *testing.T) {
	prompt, end := ev(event.KindPrompt, 0), ev(event.KindEnd, 0)
	commit := event.Event{Time: start, Body: event.Commit{Paths: []event.Path{"with", "b"}}}
	read, edit := ev(event.KindRead, 0, "b"), ev(event.KindEdit, 0, "b")
	other := ev(event.KindRead, 0, "x")
	for _, c := range []struct {
		label session.Label
		then  []event.Event
		want  string
	}{
		{session.LabelOpen, []event.Event{other, read}, "[s 1 b true]"},
		{session.LabelOpen, []event.Event{other, other, prompt}, "[]"},
		{session.LabelOpen, []event.Event{end}, "[s 1 b false]"},
		{session.LabelNext, []event.Event{other, read}, "[s 1 b false]"},
		{session.LabelNext, []event.Event{read}, "[s 1 b true]"},
		{session.LabelTurn, []event.Event{other, read}, "[s 1 b true]"},
		{session.LabelTurn, []event.Event{other, prompt}, "[s 1 b false]"},
		{session.LabelChange, []event.Event{read}, "[]"},
		{session.LabelChange, []event.Event{edit}, "[s 1 b true]"},
		{session.LabelChange, []event.Event{end, commit}, "[s 1 b true]"},
	} {
		d, h := newFixture(t), hint("1", c.label, session.Shown, "b")
		eventtest.Set(&h, "Change", []event.Path{"with"})
		d.apply(prompt, h)
		d.expect(string(c.label)+" "+fmt.Sprint(c.then), d.resolved(c.then...), c.want)
	}
}

func TestRecent(t *testing.T) {
	d := newFixture(t)
	sub := ev(event.KindFailed, 2*time.Minute, "b")
	sub.Subagent = "sub"
	d.apply(ev(event.KindPrompt, 0), ev(event.KindRead, time.Minute, "x"), ev(event.KindFailed, time.Minute, "a"), sub)
	kinds := func(subagent string, after time.Duration) (out []event.Kind) {
		for _, e := range d.session(0).Recent(subagent, start.Add(after)) {
			out = append(out, e.Kind())
		}
		return out
	}
	d.expect("of the agent", kinds("", -1), "[prompt failed]")
	d.expect("of the agent, later", kinds("", time.Second), "[failed]")
	d.expect("of a subagent", kinds("sub", -1), "[failed]")
	d.apply(ev(event.KindRead, 7*time.Minute, "x"))
	d.expect("after 7 minutes", kinds("", -1), "[]")
}
