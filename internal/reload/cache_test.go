package reload

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestTurnGoesOn: a turn that is under way when the daemon stops is recorded when it ends, with its
// texts, and a turn that was recorded is not recorded again when the log is replayed.
func TestTurnGoesOn(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "one\n"})
	d.begin("s", "make the first number a digit")
	d.did("s", edits("a.go", "one", "1"))
	d.close()
	d.open(Options{})
	d.end("s")
	id := d.find("make the first number a digit")
	d.states(d.replay(Request{ID: id, Edits: true}), Planned)
	prompt := event.Event{ID: "again", Time: d.at, Agent: "claude", Session: "s2",
		Body: event.Prompt{Text: "explain the zebra crossing in full"}}
	call := event.Event{ID: "t:post:", Time: d.at, Agent: "claude", Session: "s2",
		Body: event.Call{Act: event.ActRead, Paths: []event.Path{"a.go"}}}
	d.apply(prompt, call)
	d.end("s2")
	d.replayed()
	if all, err := d.cache.List(t.Context()); err != nil || len(all) != 2 || len(all[0].Actions)+len(all[1].Actions) != 2 {
		t.Errorf("%+v, %v", all, err)
	}
	fault.Check(d, d.cache.ForgetID(t.Context(), id))
	for range 2 {
		d.replayed()
		all := fault.Must(d.cache.List(t.Context()))
		fault.Same(t, "after a replay of the log, without what was forgotten", len(all), 1)
		d.close()
		d.open(Options{})
	}
	d.at = d.at.Add(time.Minute)
	d.turn("s3", "make the first number a digit", edits("a.go", "one", "1"))
	if d.find("make the first number a digit") == "" {
		t.Error("what is done again is not recorded")
	}
}

func TestEvict(t *testing.T) {
	files := map[string]string{}
	for i := range 8 {
		files[fmt.Sprintf("f%d.go", i)] = fmt.Sprint(i)
	}
	d := newFixture(t, files)
	word := []string{"apple", "banana", "cherry", "damson", "elder", "fig", "grape", "hazel"}
	for i, w := range word {
		if i == 3 { // with the five that follow there is no room for the first three
			for n, count := 0, 0; count < maxEntries-2; n++ { // and one more
				count = len(fault.Must(d.cache.List(t.Context())))
				d.turn("s", fmt.Sprintf("describe number%d of the long%d list%d", n, n, n), reads("f7.go"))
			}
		}
		d.turn("s", "explain the "+w+" harvest of "+w, looks(fmt.Sprintf("f%d.go", i))...)
	}
	d.cache.Evict(t.Context(), d.w)
	for i, w := range word {
		fault.Same(t, w+" is there", d.find("explain the "+w+" harvest of "+w) != "", (i >= 3))
	}
	id := d.find("explain the damson harvest of damson")
	fault.Check(d, os.Remove(filepath.Join(d.root, "f3.go")))
	d.cache.Evict(t.Context(), d.w)
	if _, err := d.cache.Get(t.Context(), id); !errors.Is(err, ErrNone) {
		t.Errorf("an entry whose only file is gone: %v", err)
	}
	d.at = d.at.Add(25 * time.Hour)
	d.cache.Evict(t.Context(), d.w)
	if all, _ := d.cache.List(t.Context()); len(all) != 0 {
		t.Errorf("%d entries after a day", len(all))
	}
}

// TestNothingLeavesTheWorktree: names and links that lead out are neither read nor written, nor is
// what is ignored.
func TestNothingLeavesTheWorktree(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "package a\n", "k.secret": "one"})
	outside := filepath.Join(t.TempDir(), "outside.txt")
	fault.Check(d, os.WriteFile(outside, []byte("one"), 0o644))
	steps := []Action{reads("../outside.txt"), reads("k.secret"), edits("k.secret", "one", "two"), reads("a.go")}
	if runtime.GOOS != "windows" {
		fault.Check(d, os.Symlink(outside, filepath.Join(d.root, "link")))
		steps = append(steps, reads("link"), edits("link", "one", "two"))
	}
	d.turn("s", "look at what lies outside", steps...)
	id := d.find("look at what lies outside")
	got := d.replay(Request{ID: id})
	for i, s := range got.Steps {
		if i != 3 && (s.Output != "" || s.State == Done) {
			t.Errorf("%+v", s)
		}
	}
	for skip := range steps {
		skips := []int{}
		for i := range steps {
			if i != skip {
				skips = append(skips, i)
			}
		}
		if got := d.replay(Request{ID: id, Edits: true, Skip: skips}); got.Plan != "" {
			t.Errorf("%+v", got)
		}
	}
	if raw, _ := os.ReadFile(outside); string(raw) != "one" || d.read("k.secret") != "one" {
		t.Error("something was written")
	}
}

// TestUndo: a daemon that was killed while it put files back has put back some, and the next call
// goes on with the rest. Forgetting a file takes the records of replays that changed it.
func TestUndo(t *testing.T) {
	d := newFixture(t, map[string]string{"a.go": "one\n", "b.go": "two\n"})
	d.turn("s", "swap the numbers in both files", edits("a.go", "one", "1"), edits("b.go", "two", "2"))
	id := d.find("swap the numbers in both files")
	d.replay(Request{ID: id, Plan: d.replay(Request{ID: id, Edits: true}).Plan})
	d.write("a.go", "one\n")
	if _, files, err := d.cache.Undo(t.Context(), d.w, ""); err != nil || len(files) != 2 || d.read("b.go") != "two\n" {
		t.Errorf("%v, %v, b.go is %q", err, files, d.read("b.go"))
	}
	d.replay(Request{ID: id, Plan: d.replay(Request{ID: id, Edits: true}).Plan})
	for i, path := range []event.Path{"a", "a.go"} {
		fault.Must(d.cache.o.Blobs.Forget(t.Context(), cold.ForgetFilter{Path: path}))
		kept, err := d.cache.undos.List(t.Context(), cold.Selection{})
		fault.Check(d, err)
		fault.Same(t, "records without "+string(path), len(kept), 1-i)
	}
	if _, _, err := d.cache.Undo(t.Context(), d.w, ""); !errors.Is(err, ErrNoUndo) || d.read("a.go") != "1\n" {
		t.Errorf("%v, the file says %q", err, d.read("a.go"))
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
