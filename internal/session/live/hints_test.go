package live_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/event/eventtest"
	"github.com/aoa-dev/aoa/internal/session/live"
)

// hint is a suggestion event.
func hint(id string, label live.Label, arm string, files ...event.Path) event.Event {
	e := ev(event.KindSuggest, 0, files...)
	e.ID = id
	eventtest.Set(&e, "Name", string("kind-"+label), "Label", label, "Arm", arm, "Tokens", 10)
	return e
}

// due are the files of the session whose outcome is due.
func (d *fixture) due() (out []string) {
	h := d.session(0).Hints
	h.Due(false, func(p live.Prediction, f live.Predicted) {
		out = append(out, fmt.Sprint(p.ID, " ", f.Path, " ", f.Used))
	})
	return out
}

// TestPredictionsAreDecided by what their label says.
func TestPredictionsAreDecided(t *testing.T) {
	prompt, end := ev(event.KindPrompt, 0), ev(event.KindEnd, 0)
	commit := event.Event{Time: start, Body: event.Commit{Paths: []event.Path{"with", "b"}}}
	read, edit := ev(event.KindRead, 0, "b"), ev(event.KindEdit, 0, "b")
	other := ev(event.KindRead, 0, "x")
	for _, c := range []struct {
		label live.Label
		then  []event.Event
		want  string
	}{
		{live.LabelOpen, []event.Event{other, read}, "[1 b true]"},
		{live.LabelOpen, []event.Event{other, other, prompt}, "[]"},
		{live.LabelOpen, []event.Event{end}, "[1 b false]"},
		{live.LabelNext, []event.Event{other, read}, "[1 b false]"},
		{live.LabelNext, []event.Event{read}, "[1 b true]"},
		{live.LabelTurn, []event.Event{other, read}, "[1 b true]"},
		{live.LabelTurn, []event.Event{other, prompt}, "[1 b false]"},
		{live.LabelChange, []event.Event{read}, "[]"},
		{live.LabelChange, []event.Event{edit}, "[1 b true]"},
		{live.LabelChange, []event.Event{end, commit}, "[1 b true]"},
	} {
		d, h := newFixture(t), hint("1", c.label, live.Shown, "b")
		eventtest.Set(&h, "Change", []event.Path{"with"})
		d.apply(prompt, h)
		d.apply(c.then...)
		d.expect(string(c.label)+" "+fmt.Sprint(c.then), d.due(), c.want)
	}
}

func TestWhatAHintLedTo(t *testing.T) {
	d := newFixture(t)
	d.apply(hint("1", live.LabelOpen, live.Shown, "b"), hint("2", live.LabelOpen, live.Shadow, "c"))
	d.expect("a file that was shown", d.apply(ev(event.KindRead, 0, "b")).Hinted, true)
	d.expect("a file that was not", d.apply(ev(event.KindRead, 0, "c")).Hinted, false)
	sub := ev(event.KindRead, 0, "b")
	sub.Subagent = "sub"
	d.expect("by one who was not told", d.apply(sub).Hinted, false)
	for range live.Horizon {
		d.apply(ev(event.KindRead, 0, "x"))
	}
	d.expect("long after", d.apply(ev(event.KindRead, 0, "b")).Hinted, false)
}

func TestOutcomes(t *testing.T) {
	d := newFixture(t)
	outcome := func(id string, file event.Path, used bool) *live.Settled {
		e := ev(event.KindOutcome, 0, file)
		eventtest.Set(&e, "Cause", id, "Used", used)
		return d.apply(e).Settled
	}
	d.apply(hint("1", live.LabelOpen, live.Shown, "a", "b"))
	d.expect("waiting", d.Waiting(), "[s]")
	d.expect("the first of two misses decides", outcome("1", "a", false).Decides, false)
	d.expect("the last", outcome("1", "b", false).Decides, true)
	d.expect("ignored", d.session(0).Hints.Ignored, 1)
	d.expect("waiting", d.Waiting(), "[]")
	if outcome("1", "b", false) != nil || outcome("none", "b", true) != nil {
		t.Error("an outcome counts twice, or without a prediction")
	}
	d.apply(hint("2", live.LabelOpen, live.Shown, "a"))
	d.expect("the first use decides", outcome("2", "a", true).Decides, true)
	d.expect("ignored", d.session(0).Hints.Ignored, 0)
	no := ev(event.KindFeedback, 0)
	d.apply(no, no)
	d.expect("offset", d.session(0).Hints.Offset, .1)
	d.expect("tokens", d.session(0).Hints.Tokens, 20)
}

func TestMarksOfAConversation(t *testing.T) {
	d := newFixture(t)
	text := hint("1", live.LabelTurn, live.Shown, "hidden")
	eventtest.Set(&text, "Name", live.Reload, "Named", []event.Path{"named"})
	sub := hint("2", live.LabelNext, live.Shown, "b")
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
		d.apply(hint(fmt.Sprint("m", i), live.LabelOpen, live.Shadow, event.Path(fmt.Sprint("f", i))))
	}
	h := d.session(0).Hints
	if len(h.Marks) != 512 || len(h.Open) != 64 {
		t.Errorf("%d marks, %d predictions", len(h.Marks), len(h.Open))
	}
}

// TestSought: how much a turn searches before it opens its first file, where it was shown no list.
func TestSought(t *testing.T) {
	d := newFixture(t)
	search := ev(event.KindSearch, time.Second)
	d.apply(ev(event.KindPrompt, 0), search, search)
	d.expect("searches", d.apply(ev(event.KindRead, 0, "a")).Sought, "&{2}")
	if d.apply(search, ev(event.KindRead, 0, "b")).Sought != nil {
		t.Error("a turn counts twice")
	}
	if d.apply(ev(event.KindPrompt, 0), hint("1", live.LabelTurn, live.Shown, "x"),
		ev(event.KindRead, 0, "c")).Sought != nil {
		t.Error("a turn that was shown a list counts")
	}
}
