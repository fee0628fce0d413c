package session_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// dump is everything that is known of a session, a line each.
func dump(s *session.Session) []string {
	at := func(t time.Time) string {
		if t.IsZero() {
			return "never"
		}
		return t.Sub(start).String()
	}
	mentions := map[event.Path]string{}
	for f, n := range s.Mentions() {
		mentions[f] = fmt.Sprintf("%.3f", n)
	}
	now, before := s.NamedNow()
	lines := []string{fmt.Sprintf("agent %q, intent %q, current %q, source %q, ended %v, left %s, last %s, deadline %s",
		s.Summary.Agent, s.Intent, s.Current, s.Source, s.Ended, at(s.Left), at(s.Last), at(s.Deadline())),
		fmt.Sprintf("clock %d, prompt %d at %d of %v, topic %v", s.Clock, s.Prompts, s.PromptClock, s.Prompt, s.Topic),
		fmt.Sprintf("opened %v, first %v", s.Files(), s.First), fmt.Sprintf("edited %v, uncommitted %v", s.Edited(),
			s.Uncommitted),
		fmt.Sprintf("said %v, words %v of %v", s.Said, s.Words(), s.Terms), fmt.Sprintf("named %v, before %v, by commands %v", now,
			before, s.Commands),
		fmt.Sprint("mentions ", mentions), fmt.Sprintf("results %v, patterns %v", s.Results, s.Patterns)}
	h := s.Hints
	lines = append(lines,
		fmt.Sprintf("hints %d shown, %d resolved, %d used, %d ignored, %d tokens, offset %.2f, last %s",
			h.Shown, h.Resolved, h.Used, h.Ignored, h.Tokens, h.Offset, at(h.Last)))
	for _, m := range h.Marks {
		lines = append(lines, fmt.Sprintf("mark %+v", m))
	}
	lines = append(lines, fmt.Sprintf("hinted the agent at %s, its subagent at %s", at(h.HintAt[""]),
		at(h.HintAt["sub"])))
	for _, p := range h.Open {
		lines = append(lines,
			fmt.Sprintf("open %s %s %s by %q: left %d, led %d, opens %v, batch %q, with %v, files %v, used %d", p.ID, p.Kind,
				p.Label, p.By, p.Left, p.Led, p.Opens, p.Batch, p.With, p.Files, p.UsedFiles()))
	}
	for _, f := range s.Files() {
		o := s.Opened[f]
		lines = append(lines, fmt.Sprintf("opened %s at %d, %s, %q", f, o.Clock, at(o.At), o.Blob))
	}
	for _, f := range s.Edited() {
		x := s.Edits[f]
		lines = append(lines, fmt.Sprintf("edit of %s at %s, hinted %v", f, at(x.At), x.Hinted))
	}
	return lines
}

// story is what happens in two sessions, a conversation of a subagent and by hand.
func story() (out []event.Event) {
	add := func(e event.Event) { out = append(out, e) }
	tool := func(minute float64, c event.Call) {
		add(event.Event{Time: start.Add(time.Duration(minute * float64(time.Minute))), Agent: "claude", Session: "s",
			Body: c})
	}
	sub := func(minute float64, c event.Call) { tool(minute, c); out[len(out)-1].Subagent = "sub" }
	say := func(minute float64, id string, h event.Hint) {
		add(event.Event{ID: id, Time: start.Add(time.Duration(minute * float64(time.Minute))), Session: "s", Body: h})
	}
	prompt := func(minute float64, words string, named ...event.Path) {
		e := ev(event.KindPrompt, time.Duration(minute*float64(time.Minute)))
		e.Body = event.Prompt{Text: words, Terms: strings.Fields(words), Named: named}
		add(e)
	}
	paths := func(names string) (out []event.Path) {
		for _, n := range strings.Fields(names) {
			out = append(out, event.Path(n))
		}
		return out
	}
	add(ev(event.KindStart, 0))
	prompt(1, "six words that make a topic", "named", "b")
	say(1, "list", event.Hint{Name: "prompt", Status: "shown", Label: "turn", Tokens: 30, Paths: paths("a b z"),
		Scores: []float64{.9, .5, 2}})
	say(1, "shadow", event.Hint{Name: "next", Status: "shadow", Label: "next", Tokens: -5, Paths: paths("c"),
		Scores: []float64{-1}})
	tool(2, event.Call{Act: event.ActSearch, Tool: "Grep", Terms: []string{"find", "it"}, Seen: paths("a b c d"),
		Listing: true})
	tool(2, event.Call{Act: event.ActRead, Tool: "Read", Paths: paths("a"), Blob: "blob1", Tags: []string{"go",
		"test"}, Batch: "1"})
	say(3, "next", event.Hint{Name: "next", Status: "shown", Label: "next", Paths: paths("c d"), Scores: []float64{.6,
		.4}, Named: paths("n")})
	tool(3, event.Call{Act: event.ActRead, Tool: "Read", Paths: paths("a"), Batch: "2"})
	tool(3, event.Call{Act: event.ActRead, Tool: "Read", Paths: paths("c"), Batch: "3"})
	tool(3, event.Call{Act: event.ActRead, Tool: "Read", Paths: paths("d"), Batch: "3"})
	tool(3, event.Call{Act: event.ActRead, Tool: "Read", Paths: paths("e"), Batch: "4"})
	sub(4, event.Call{Act: event.ActRead, Tool: "Read", Paths: paths("x y")})
	say(4, "partner", event.Hint{Name: "partner", Status: "shown", Label: "change", Change: paths("c"),
		Paths: paths("p q")})
	say(4, "opens", event.Hint{Name: "partner", Status: "control", Paths: paths("d q")})
	tool(5, event.Call{Act: event.ActEdit, Tool: "Edit", Paths: paths("c"), Seen: paths("q")})
	tool(6, event.Call{Act: event.ActEdit, Tool: "Edit", Paths: paths("p"), Failure: event.FailDenied})
	tool(7, event.Call{Act: event.ActEdit, Tool: "Edit", Paths: paths("p c")})
	tool(7, event.Call{Act: event.ActRead, Tool: "Read", Paths: paths("q")})
	tool(8, event.Call{Act: event.ActRun, Tool: "Bash", Text: "go test", Terms: []string{"go"},
		Named: paths("named pkg"), Failure: event.FailStatus})
	say(8, "", event.Hint{})
	add(event.Event{Time: start.Add(9 * time.Minute), Session: "s", Body: event.Feedback{Helped: true}})
	add(event.Event{Time: start.Add(9 * time.Minute), Session: "s", Body: event.Feedback{}})
	add(event.Event{Time: start.Add(9 * time.Minute), Session: "s", Body: event.Feedback{}})
	tool(10, event.Call{Act: event.ActEdit, Tool: "Edit", Paths: paths("after")})
	add(event.Event{Time: start.Add(11 * time.Minute), Body: event.Rename{From: paths("a q c"), To: paths("a2 q2 d")}})
	add(event.Event{Time: start.Add(11 * time.Minute), Body: event.Rename{From: paths("x"), To: paths("lost"),
		Past: true}})
	add(event.Event{Time: start.Add(12 * time.Minute), Body: event.Commit{Paths: paths("d q2 other")}})
	prompt(13, "short prompt")
	say(13, "late", event.Hint{Name: "reload", Status: "shown", Label: "turn", Tokens: 3, Paths: paths("hidden"),
		Named: paths("said")})
	say(13, "late2", event.Hint{Name: "prompt", Status: "control", Label: "turn", Paths: paths("x a2")})
	tool(14, event.Call{Act: event.ActRead, Tool: "Read", Paths: paths("new")})
	tool(14, event.Call{Act: event.ActRead, Tool: "Read", Paths: paths("x")})
	prompt(15, "next")
	said := event.Stop{Terms: []string{"basket"}, Idents: []string{"parseprice"}}
	brief := func(b event.Body) {
		add(event.Event{Time: start.Add(15 * time.Minute), Session: "s", Body: b})
		add(event.Event{Time: start.Add(15 * time.Minute), Session: "s", Body: event.Prompt{Brief: true}})
	}
	brief(said)
	tool(15, event.Call{Act: event.ActRead, Tool: "Read", Paths: paths("after")})
	tool(13, event.Call{Act: event.ActRead, Tool: "Read", Paths: paths("x a2")}) // comes late
	brief(event.Stop{})
	add(event.Event{Time: start.Add(15 * time.Minute), Session: "s", Body: said})
	prompt(15, "many words of a prompt that says all")
	add(event.Event{Time: start.Add(15 * time.Minute), Session: "s", Body: said})
	add(event.Event{Time: start.Add(15 * time.Minute), Body: event.Call{Act: event.ActRead, Paths: paths("of no session")}})
	add(event.Event{Time: start.Add(16 * time.Minute), Session: "s", Subagent: "sub",
		Body: event.Start{Source: "compact"}})
	add(event.Event{Time: start.Add(16 * time.Minute), Session: "s", Body: event.Start{Source: "clear"}})
	add(event.Event{Time: start.Add(17 * time.Minute), Session: "s", Body: event.End{Reason: "other"}})
	add(event.Event{Time: start.Add(18 * time.Minute), Session: "s", Body: event.End{Reason: "exit"}})
	add(event.Event{Time: start.Add(3 * time.Hour), Body: event.Tick{}})
	return out
}

// TestStoryGolden compares what each event changes in its session with a golden file, so that no
// rule changes unseen.
func TestStoryGolden(t *testing.T) {
	d := newFixture(t)
	var b strings.Builder
	known := map[string]bool{}
	for i, e := range story() {
		if i%3 == 0 { // a restart changes nothing
			fault.Check(t, d.Restore(fault.Must(d.Snapshot())))
		}
		s, delta := d.Apply(e)
		fmt.Fprintf(&b, "# %d %s %q of %v\n", i+1, e.Kind(), e.ID, e.Paths())
		for _, c := range delta.Changes {
			fmt.Fprintf(&b, "change at %s: %v\n", c.At.Sub(start), c.Files)
		}
		if len(delta.Opened)+len(delta.Terms) > 0 || delta.Hinted {
			fmt.Fprintf(&b, "delta: opened %v, first %v, terms %v, hinted %v\n", delta.Opened, delta.First(),
				delta.Terms, delta.Hinted)
		}
		for _, r := range delta.Resolved {
			fmt.Fprintf(&b, "resolved %s of %s: %v, decides %v\n", r.ID, r.Session, r.File, r.Decides)
		}
		if (s != nil) != (e.Session != "" && e.Kind() != event.KindStop) {
			t.Errorf("event %d belongs to %v", i+1, s)
		}
		next := map[string]bool{}
		for _, line := range dump(d.Get("s", e.Time)) {
			if next[line] = true; !known[line] {
				fmt.Fprintf(&b, "\t%s\n", line)
			}
		}
		known = next
	}
	for id, at := range d.Left() {
		fmt.Fprintf(&b, "%s was left at %s\n", id, at.Sub(start))
	}
	fault.Golden(t, "testdata/story.golden", b.String())
}

// TestBounds: how many of each a session keeps.
func TestBounds(t *testing.T) {
	files := func(prefix string, n int) (out []event.Path) {
		for i := range n {
			out = append(out, event.Path(fmt.Sprintf("%s%04d", prefix, i)))
		}
		return out
	}
	search := func(seen ...event.Path) event.Event {
		e := ev(event.KindSearch, 0)
		eventtest.Set(&e, "Seen", seen, "Terms", []string{"word"})
		return e
	}
	d := newFixture(t)
	d.apply(search(files("f", 1024)...))
	d.expect("1024 mentions are kept", len(d.session(0).Seen), 1024)
	d.apply(search("one more"))
	s := d.session(0)
	d.expect("of more 768 stay, the strongest", fmt.Sprint(len(s.Seen), s.Seen["one more"] != 0,
		s.Mentions()["f0766"] > 0, s.Mentions()["f0767"] > 0), "768 true true false")
	for range 20 {
		d.apply(search("a"))
	}
	for _, f := range files("e", 65) {
		d.apply(ev(event.KindEdit, 0, f))
	}
	for range 40 {
		d.apply(ev(event.KindRun, 0))
	}
	for i := range 600 {
		d.apply(hint(fmt.Sprint("m", i), session.LabelOpen, session.Shadow, event.Path(fmt.Sprint("f", i))))
	}
	s = d.session(0)
	d.expect("results, patterns, uncommitted, recent, marks, predictions", fmt.Sprint(len(s.Results),
		len(s.Patterns), len(s.Uncommitted),
		" ", s.Uncommitted[0], " ", len(s.Recent("", time.Time{})), len(s.Hints.Marks), len(s.Hints.Open)),
		"12 8 64 e0001 32 512 32")
	d.expect("half-life of a mention, horizon, deadline", fmt.Sprint(session.MentionHalf, session.Horizon, session.OverAfter,
		session.IdleEnd, session.RecentFor), "8 10 24h0m0s 2h0m0s 5m0s")
	no, yes := ev(event.KindFeedback, 0), ev(event.KindFeedback, 0)
	eventtest.Set(&yes, "Helped", true)
	for _, c := range []struct {
		say  event.Event
		want string
	}{{no, "0.50"}, {yes, "-0.50"}} {
		for range 21 {
			d.apply(c.say)
		}
		d.expect("offset", fmt.Sprintf("%.2f", d.session(0).Hints.Offset), c.want)
	}
	five := ev(event.KindPrompt, 0)
	eventtest.Set(&five, "Terms", strings.Fields("a b c d e"))
	d.apply(five, five)
	sub := hint("by a subagent", session.LabelNext, session.Shown, "b")
	sub.Subagent = "sub"
	d.apply(hint("by the agent", session.LabelNext, session.Shown, "a"), sub)
	d.expect("conversations with a hint since the prompt", len(d.session(0).Hints.HintAt), 2)
	d.expect("five words are no topic", d.session(0).Topic.Words, "[]")
}

// TestPauses: what a second or a nanosecond more makes of two events.
func TestPauses(t *testing.T) {
	save := func(after time.Duration, p event.Path) event.Event {
		return event.Event{Agent: "watch", Time: start.Add(after), Body: event.Save{Paths: []event.Path{p}}}
	}
	tick := func(after time.Duration, job string) event.Event {
		return event.Event{Time: start.Add(after), Body: event.Tick{Job: job}}
	}
	run := func(after time.Duration) event.Event { return ev(event.KindRun, after) }
	const day = 24 * time.Hour
	for what, c := range map[string]struct {
		first, last func(late time.Duration) event.Event // first nil: an edit of a
		pause       time.Duration
		got         func(d *fixture, x session.Delta) any // false within the pause, true a nanosecond after it
	}{
		"edits of one change": {nil, func(l time.Duration) event.Event { return ev(event.KindEdit, l, "b") },
			5 * time.Minute, func(_ *fixture, x session.Delta) any { return len(x.Changes) > 0 }},
		"saves of one session": {func(time.Duration) event.Event { return save(0, "a") },
			func(l time.Duration) event.Event { return save(l, "b") },
			30 * time.Minute, func(d *fixture, _ session.Delta) any { return len(d.Get("watch", start).First) == 1 }},
		"a save after a tool's edit": {nil, func(l time.Duration) event.Event { return save(l, "a") }, 10 * time.Second,
			func(_ *fixture, x session.Delta) any { return len(x.Opened) > 0 }},
		"a save before a tool's edit": {nil, func(l time.Duration) event.Event { return save(-l, "a") }, 2 * time.Second,
			func(_ *fixture, x session.Delta) any { return len(x.Opened) > 0 }},
		"recent events": {func(time.Duration) event.Event { return run(0) }, run, 5 * time.Minute,
			func(d *fixture, _ session.Delta) any { return len(d.Get("s", start).Recent("", time.Time{})) == 1 }},
		"an idle session": {func(time.Duration) event.Event { return hint("1", session.LabelTurn, session.Shown, "x") },
			func(l time.Duration) event.Event { return tick(l, "any") }, 2 * time.Hour,
			func(_ *fixture, x session.Delta) any { return len(x.Resolved) > 0 }},
		"a session's life": {nil, func(l time.Duration) event.Event { return tick(l, "") }, day - 1,
			func(d *fixture, _ session.Delta) any { return !d.Get("s", start).Exists() }},
		"a clock that runs ahead": {nil, func(l time.Duration) event.Event { return tick(-l, "") }, day,
			func(d *fixture, _ session.Delta) any { return !d.Get("s", start).Exists() }},
	} {
		for late, want := range map[time.Duration]bool{0: false, 1: true} {
			d := newFixture(t)
			first := ev(event.KindEdit, 0, "a")
			if c.first != nil {
				first = c.first(late)
			}
			d.apply(first)
			d.expect(fmt.Sprint(what, " after ", c.pause, " and ", int(late), " ns"), c.got(d,
				d.apply(c.last(c.pause+late))), want)
		}
	}
	d := newFixture(t)
	d.apply(ev(event.KindEdit, 0, "a"))
	for before, want := range map[time.Duration]int{day: 1, day + 1: 0} {
		d.expect("running a day before", len(d.Running(start.Add(-before))), want)
	}
	for after, want := range map[time.Duration]int{day - 1: 1, day: 0} {
		d.expect("running a day after", len(d.Running(start.Add(after))), want)
	}
	d.apply(tick(10*day, "any"), ev(event.KindCommit, 0, "x"))
	d.expect("a job's tick ends no session", len(d.Running(start)), 1)
}
