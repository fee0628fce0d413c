package session_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
)

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

func TestWhatAHintLedTo(t *testing.T) {
	d := newFixture(t)
	d.apply(hint("1", session.LabelOpen, session.Shown, "b"), hint("2", session.LabelOpen, session.Shadow, "c"))
	d.expect("a file that was shown", d.apply(ev(event.KindRead, 0, "b")).Hinted, true)
	d.expect("a file that was not", d.apply(ev(event.KindRead, 0, "c")).Hinted, false)
	sub := ev(event.KindRead, 0, "b")
	sub.Subagent = "sub"
	d.expect("by one who was not told", d.apply(sub).Hinted, false)
	for range session.Horizon {
		d.apply(ev(event.KindRead, 0, "x"))
	}
	d.expect("long after", d.apply(ev(event.KindRead, 0, "b")).Hinted, false)
}

func TestOutcomes(t *testing.T) {
	d := newFixture(t)
	d.apply(hint("1", session.LabelOpen, session.Shown, "a", "b"))
	misses := d.apply(ev(event.KindEnd, 0)).Resolved
	if len(misses) != 2 || misses[0].Decides || !misses[1].Decides {
		t.Errorf("%+v: the last of two misses decides", misses)
	}
	d.expect("ignored", d.session(0).Hints.Ignored, 1)
	d.expect("resolved again", d.resolved(ev(event.KindEnd, 0), ev(event.KindRead, 0, "a")), "[]")
	d.apply(hint("2", session.LabelOpen, session.Shown, "a", "c"))
	hit := d.apply(ev(event.KindRead, 0, "a")).Resolved
	if len(hit) != 1 || !hit[0].Decides || hit[0].ID != "2" || !hit[0].File.Used {
		t.Errorf("%+v: the first use decides", hit)
	}
	d.expect("ignored", d.session(0).Hints.Ignored, 0)
	d.expect("a second use decides nothing", d.apply(ev(event.KindRead, 0, "c")).Resolved[0].Decides, false)
	no := ev(event.KindFeedback, 0)
	d.apply(no, no)
	d.expect("offset", d.session(0).Hints.Offset, .1)
	d.expect("tokens", d.session(0).Hints.Tokens, 20)
	d.expect("counts", fmt.Sprint(d.session(0).Hints.Shown, d.session(0).Hints.Resolved, d.session(0).Hints.Used), "4 4 2")
}

// TestIdleSessionsResolve: a tick after two idle hours, and a session that begins again after its
// life.
func TestIdleSessionsResolve(t *testing.T) {
	d := newFixture(t)
	tick := func(after time.Duration) event.Event {
		return event.Event{Time: start.Add(after), Body: event.Tick{Job: "sweep"}}
	}
	d.apply(ev(event.KindPrompt, 0), hint("1", session.LabelTurn, session.Shown, "a"))
	d.expect("soon", d.resolved(tick(time.Hour)), "[]")
	d.expect("later", d.resolved(tick(session.IdleEnd+time.Second)), "[s 1 a false]")
	d.expect("twice", d.resolved(tick(session.IdleEnd+time.Minute)), "[]")
	d.apply(hint("2", session.LabelTurn, session.Shown, "a"))
	d.expect("begun again", d.resolved(ev(event.KindRead, session.OverAfter+session.IdleEnd, "a")), "[s 2 a false]")
}

func TestMarksOfAConversation(t *testing.T) {
	d := newFixture(t)
	text := hint("1", session.LabelTurn, session.Shown, "hidden")
	eventtest.Set(&text, "Name", session.Reload, "Named", []event.Path{"named"})
	sub := hint("2", session.LabelNext, session.Shown, "b")
	sub.Subagent = "sub"
	d.apply(text, sub, sub)
	d.expect("marks", d.session(0).Hints.Marks, "[{ reload shown named} {sub kind-next shown b}]")
	d.expect("hints since the prompt", len(d.session(0).Hints.HintAt), 2)
	compact := ev(event.KindStart, 0)
	eventtest.Set(&compact, "Source", "compact")
	d.apply(compact, ev(event.KindPrompt, 0))
	d.expect("marks after a compaction", d.session(0).Hints.Marks, "[{sub kind-next shown b}]")
	d.expect("hints since the prompt", len(d.session(0).Hints.HintAt), 0)
	for i := range 600 {
		d.apply(hint(fmt.Sprint("m", i), session.LabelOpen, session.Shadow, event.Path(fmt.Sprint("f", i))))
	}
	h := d.session(0).Hints
	if len(h.Marks) != 512 || len(h.Open) != 32 {
		t.Errorf("%d marks, %d predictions", len(h.Marks), len(h.Open))
	}
}
