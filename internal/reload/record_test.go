package reload

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestNames: which files and folders an entry refers to.
func TestNames(t *testing.T) {
	e := &Entry{Text: "explain notes.txt", Files: []File{{Path: "kept/file.go"}}, Actions: []Action{
		{Act: event.ActRead, Paths: []event.Path{"read/a.go"}}, {Act: event.ActSearch, Folder: "searched/in"},
		{Act: event.ActRun, Command: "make -C built"}}}
	for p, want := range map[event.Path]bool{"read/a.go": true, "read": true, "read/a": false, "rea": false, "searched/in": true,
		"searched": true, "kept": true, "kept/file.go": true, "built": true, "notes.txt": true, "other": false} {
		fault.Same(t, string(p), e.names(p), want)
	}
}

// TestAsked: what a session was asked last.
func TestAsked(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "a\n"})
	d.turn("s", "explain the zebra crossing in full", looks("a.go")...)
	for _, want := range []string{"explain the zebra crossing in full", "and now something else"} {
		got, ok := d.cache.Asked(t.Context(), "s")
		fault.Same(t, "asked", fmt.Sprint(got.Text, ok), want+"true")
		d.begin("s", "and now something else")
	}
	_, ok := d.cache.Asked(t.Context(), "unknown")
	fault.Same(t, "a session that is not known was asked", ok, false)
}

// TestLargeInputs: an entry keeps the names of its files but no patch that is too large, nor one
// with a secret.
func TestLargeInputs(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "a\n"})
	d.close()
	d.w.Blob = func(context.Context, string) []byte { return []byte("a\n") }
	d.open(Options{Redact: func(s string) string { return strings.ReplaceAll(s, "secret", "…") }})
	write := func(text string) Action {
		a := edits("a.go", "", text)
		a.Act, a.Tool = event.ActWrite, "Write"
		return a
	}
	for prompt, c := range map[string]struct {
		text string
		kept int
	}{"write the first large file": {strings.Repeat("x", 20<<10), 0}, "write the second small file": {"x", 1},
		"write the password of the database": {"a secret", 0}} {
		d.turn("s", prompt, write(c.text))
		all := fault.Must(d.cache.List(t.Context()))
		e := all[slices.IndexFunc(all, func(e Entry) bool { return e.Text == prompt })]
		fault.Same(t, prompt+": patches", min(len(e.Files[0].Patch), 1), c.kept)
		fault.Same(t, prompt+": files", len(e.Files), 1)
	}
}

// TestEnded: the ends of turns of a day are kept and survive a restart; one after which a call may
// still come waits. Events of no session, of other clones and of subagents end no turn.
func TestEnded(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	turns := NewTurns(func(agent string) bool { return agent == "claude" })
	stop := func(id string, ago time.Duration) event.Event {
		return event.Event{ID: id, Time: now.Add(-ago), Agent: "claude", Session: id, Body: event.Stop{}}
	}
	other, sub, none, next := stop("other", 0), stop("sub", 0), stop("none", 0), stop("next", 0)
	other.Origin, sub.Subagent, none.Session = "clone", "x", ""
	next.Agent, next.Body = "codex", event.Prompt{}
	for _, e := range []event.Event{stop("old", maxIdle+time.Hour), stop("today", time.Hour), other, sub, none, next,
		stop("now", 0)} {
		turns.Apply(e, nil, session.Delta{})
	}
	saved := fault.Must(turns.Snapshot())
	for what, of := range map[string]*Turns{"at once": turns, "after a restart": NewTurns(nil)} {
		fault.Check(t, of.Restore(saved))
		take := func(now time.Time, all bool) string {
			due, waiting := of.take(now, all)
			ids := ""
			for _, b := range due {
				ids += b.ID + " "
			}
			return fmt.Sprint(ids, waiting)
		}
		fault.Same(t, what, take(now, false), "today next true")
		fault.Same(t, what+", later", take(now.Add(endSlack), false), "now false")
	}
}
