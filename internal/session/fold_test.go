package session_test

import (
	"fmt"
	"strings"
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

func TestOpens(t *testing.T) {
	d := newFixture(t)
	d.apply(ev(event.KindPrompt, 0), ev(event.KindRead, 0, "a"), ev(event.KindRead, 0, "b"))
	sub := ev(event.KindRead, time.Second, "c")
	sub.Subagent = "sub"
	eventtest.Set(&sub, "Tags", []string{"testing", "go"})
	d.expect("a first open", d.apply(sub).Opened, "[{c true true [a b]}]")
	d.expect("another open", d.apply(ev(event.KindRead, 0, "c", "a")).Opened, "[{c false false []} {a false false []}]")
	d.expect("under the next prompt", d.apply(ev(event.KindPrompt, 0), ev(event.KindRead, 0, "c")).Opened,
		"[{c false true []}]")
	d.apply(ev(event.KindRead, -time.Minute, "b")) // comes late
	s := d.session(0)
	d.expect("when a file was opened last", s.Opened["b"].At.Sub(start), "0s")
	d.expect("files", s.Files(), "[a c b]")
	d.expect("in the order of first opens", s.First, "[a b c]")
	d.expect("the clock, the time, the current file", fmt.Sprint(s.Clock, " ", s.Last.Sub(start), " ", s.Current),
		"8 1s b")
	d.expect("the intent", s.Intent, "testing")
	alone := ev(event.KindRead, 0, "x")
	alone.Session = ""
	d.expect("without a session", d.apply(alone).Opened, "[{x false false []}]")
}

func TestChanges(t *testing.T) {
	d := newFixture(t)
	hint := ev(event.KindHint, 0, "b")
	hint.ID = "hint"
	eventtest.Set(&hint, "Status", session.Shown)
	d.apply(ev(event.KindEdit, 0, "c"), hint, ev(event.KindEdit, time.Second, "b"),
		ev(event.KindWrite, 2*time.Second, "a"))
	d.expect("edited", d.session(0).Edited(), "[c b a]")
	d.expect("over at a prompt", d.apply(ev(event.KindPrompt, 3*time.Second)).Changes,
		[]session.Change{{At: start.Add(2 * time.Second), Files: []session.Changed{{Path: "a"}, {Path: "b", Hinted: true},
			{Path: "c"}}}})
	d.expect("no other at the next one", len(d.apply(ev(event.KindPrompt, 3*time.Second)).Changes), 0)
	d.apply(ev(event.KindEdit, 4*time.Second, "a"))
	d.expect("over after a pause", d.apply(ev(event.KindEdit, 6*time.Minute, "b")).Changes,
		[]session.Change{{At: start.Add(4 * time.Second), Files: []session.Changed{{Path: "a"}}}})
	d.expect("over at the end", d.apply(ev(event.KindEnd, 7*time.Minute)).Changes,
		[]session.Change{{At: start.Add(6 * time.Minute), Files: []session.Changed{{Path: "b", Hinted: true}}}})
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

func TestRename(t *testing.T) {
	rename := func(from, to event.Path) event.Event {
		return event.Event{Time: start, Body: event.Rename{From: []event.Path{from}, To: []event.Path{to}}}
	}
	d := newFixture(t)
	d.apply(ev(event.KindEdit, 0, "a"), ev(event.KindEdit, 0, "b"), ev(event.KindRead, 0, "z"))
	old := d.session(0)
	d.apply(rename("b", "c"))
	d.expect("files", d.session(0).First, "[a c z]")
	d.expect("the change", d.session(0).Edited(), "[a c]")
	d.expect("what a reader had", fmt.Sprint(old.First, old.Edited()), "[a b z] [a b]")
	d.apply(rename("a", "z"), ev(event.KindRead, 0, "a"), rename("a", "c"))
	d.expect("two that became one", d.session(0).First, "[z c]")
}

// TestSessionsAreBounded: of many sessions those with the newest events stay, and those of another
// clone go first.
func TestSessionsAreBounded(t *testing.T) {
	d := newFixture(t)
	foreign := strings.Repeat("A", 26) + "/s"
	for i := range 600 {
		e := ev(event.KindRead, time.Duration(i)*time.Second, "a")
		if e.Session = fmt.Sprint("s", i); i == 300 {
			e.Session = foreign
		}
		d.apply(e)
		if i == 400 {
			d.apply(ev(event.KindRead, time.Duration(i)*time.Second, "a")) // s goes on
		}
	}
	now := start.Add(600 * time.Second)
	d.expect("sessions", len(d.Running(now)), 500)
	d.expect("of another clone", d.Get(foreign, now).Exists(), false)
	d.expect("an old one", d.Get("s50", now).Exists(), false)
	d.expect("one that goes on", d.session(600*time.Second).Exists(), true)
	d.expect("the newest", d.Get("s599", now).Exists(), true)
}

// TestEndsAfterADay uses the id again after its life.
func TestEndsAfterADay(t *testing.T) {
	day := 24 * time.Hour
	for _, tick := range []bool{false, true} {
		d := newFixture(t)
		d.apply(ev(event.KindEdit, 0, "a"))
		if tick {
			d.apply(event.Event{Time: start.Add(day), Body: event.Tick{}})
		}
		d.expect("exists until the tick", d.session(0).Exists(), !tick)
		d.expect("exists a day later", d.session(day).Exists(), false)
		d.apply(ev(event.KindRead, day+time.Hour, "b"))
		s := d.session(day + time.Hour)
		d.expect("files of the next one", fmt.Sprint(s.First, s.Clock), "[b] 1")
	}
	d := newFixture(t)
	d.apply(ev(event.KindRead, 365*day, "a"), event.Event{Time: start, Body: event.Tick{}})
	d.expect("sessions of a clock that ran ahead", len(d.Running(start)), 0)
}

// TestUncommitted: a change is uncommitted until it is committed, whatever the prompts between.
func TestUncommitted(t *testing.T) {
	edit := func(p event.Path, ok bool) event.Event {
		e := ev(event.KindEdit, 0, p)
		if !ok {
			eventtest.Set(&e, "Failure", event.FailDenied)
		}
		return e
	}
	d := newFixture(t)
	d.apply(edit("a", true), edit("b", true), edit("refused", false), ev(event.KindPrompt, 0), edit("a", true),
		edit("c", true))
	d.expect("uncommitted", d.session(0).Uncommitted, "[b a c]")
	d.apply(event.Event{Time: start, Body: event.Commit{Paths: []event.Path{"a", "x"}}})
	d.expect("after a commit", d.session(0).Uncommitted, "[b c]")
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

// TestRenamed: a file that gets another name keeps what its session has of it.
func TestRenamed(t *testing.T) {
	d := newFixture(t)
	hint := ev(event.KindHint, 0, "old")
	hint.ID = "hint"
	eventtest.Set(&hint, "Name", "partner", "Status", session.Shown, "Label", session.LabelChange, "Scores", []float64{.5},
		"Change", []event.Path{"old", "b"})
	search := ev(event.KindSearch, 0)
	eventtest.Set(&search, "Seen", []event.Path{"b", "old"})
	d.apply(ev(event.KindPrompt, 0), ev(event.KindEdit, 0, "old"), search, hint)
	before := d.session(0)
	d.apply(event.Event{Time: start, Body: event.Rename{From: []event.Path{"old"}, To: []event.Path{"new"}}})
	for s, name := range map[*session.Session]string{before: "old", d.session(0): "new"} {
		p := s.Hints.Open[0]
		d.expect("of "+name, fmt.Sprint(s.Uncommitted, s.Results[0].Files, p.With, p.Files, s.Hints.Marks),
			fmt.Sprintf("[%[1]s] [b %[1]s] [%[1]s b] [{%[1]s 0.5 false false}] [{ partner shown %[1]s}]", name))
	}
	commit := event.Event{Time: start.Add(time.Hour), Body: event.Commit{Paths: []event.Path{"new", "x"}}}
	if delta := d.apply(commit); len(delta.Resolved) != 1 || !delta.Resolved[0].File.Used {
		t.Errorf("a commit of the new name decides %+v", delta.Resolved)
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

// TestSaid: what the agent said last is known at a brief prompt, and nowhere else.
func TestSaid(t *testing.T) {
	d := newFixture(t)
	stop := ev(event.KindStop, 0)
	eventtest.Set(&stop, "Terms", []string{"basket"}, "Idents", []string{"parseprice"})
	prompt := func(brief bool) event.Event {
		e := ev(event.KindPrompt, 0)
		eventtest.Set(&e, "Brief", brief)
		return e
	}
	clear := ev(event.KindStart, 0)
	eventtest.Set(&clear, "Source", "clear")
	said, nothing := session.Text{Words: []string{"basket"}, Idents: []string{"parseprice"}}, session.Text{}
	for name, c := range map[string]struct {
		events []event.Event
		want   session.Text
	}{
		"a brief prompt":              {[]event.Event{stop, prompt(true)}, said},
		"the calls after it":          {[]event.Event{stop, prompt(true), ev(event.KindRead, 0, "a")}, said},
		"a prompt of many words":      {[]event.Event{stop, prompt(false)}, nothing},
		"a turn that ends in silence": {[]event.Event{stop, prompt(true), ev(event.KindStop, 0)}, nothing},
		"/clear":                      {[]event.Event{stop, clear, prompt(true)}, nothing},
	} {
		d.apply(prompt(false))
		d.apply(c.events...)
		d.expect(name, d.session(0).Said, c.want)
	}
	d.apply(stop)
	saved, err := d.Snapshot()
	if again := session.New(); err != nil || again.Restore(saved) != nil {
		t.Error("a snapshot with what was said cannot be restored:", err)
	} else {
		d.expect("restored", again.Get("s", start).Said, said)
	}
	d.expect("a day later", d.session(session.OverAfter).Said, nothing)
	other := stop
	other.Session = "never began"
	d.apply(other)
	d.expect("a stop begins no session", d.Get("never began", start).Exists(), false)
}
