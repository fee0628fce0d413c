package eval

import (
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestChanges: each of the newest commits is asked about as if it had not been made: complete, and
// without each of its known files.
func TestChanges(t *testing.T) {
	var s Source
	add := func(files ...event.Path) {
		n := len(s.Commits)
		s.Commits = append(s.Commits, event.Event{ID: fmt.Sprintf("commit:%d", n), Agent: "git", Time: time.Date(2026,
			1, 1+n, 0, 0, 0, 0, time.UTC),
			Body: event.Commit{Text: "change", Paths: files}})
	}
	add("src/c.go")
	for range 20 {
		add("src/a.go", "docs/b.md")
	}
	add("src/a.go", "src/c.go", "src/new.go")
	got, err := Changes(t.Context(), s, Options{Newest: 2}, .55)
	fault.Check(t, err)
	if len(got) != 2 || got[1].Commit.ID != "commit:21" {
		t.Fatalf("asked about %+v", got)
	}
	usual, odd := got[0], got[1]
	for i, left := range []event.Path{"src/a.go", "docs/b.md"} {
		if g := usual.Guesses[i]; g.Left != left || g.Place != 1 || !g.Simple || len(g.Warned) != 1 ||
			g.Warned[0].File != left {
			t.Errorf("without %s: %+v", left, g)
		}
	}
	fault.Same(t, "what the complete change lacks", len(usual.Warned), 0)
	// Beside each of two files the other one was promised, and came; beside a.go of the odd commit
	// b.md was, and did not.
	kept, broken := 0, 0
	for _, p := range usual.Promises {
		if p.Kept && p.P > .8 {
			kept++
		}
	}
	for _, p := range odd.Promises {
		if !p.Kept && p.P > .8 {
			broken++
		}
	}
	fault.Same(t, "promises that were kept and broken", fmt.Sprint(kept, broken), "2 1")
	s = Source{Commits: s.Commits[:21]}
	add("src/a.go", "src/c.go")
	add("docs/b.md") // what the one before lacked, a day later
	later, err := Changes(t.Context(), s, Options{Newest: 2}, .55)
	if err != nil || len(later) != 2 || len(later[1].Guesses)+len(later[1].Warned) != 1 ||
		len(later[0].Warned) != 1 || !later[0].Warned[0].Later {
		t.Errorf("what a commit lacked and the next one had: %+v, %v", later, err)
	}
	if len(odd.Guesses) != 2 { // src/new.go could not be known
		t.Fatalf("%+v", odd.Guesses)
	}
	if g := odd.Guesses[1]; g.Left != "src/c.go" || g.Place == 1 || g.Simple ||
		g.Listed[0].File != "docs/b.md" {
		t.Errorf("the commit was known before it was asked about: %+v", g)
	}
}
