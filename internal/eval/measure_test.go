package eval

import (
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// pairHistory changes two pairs of files in turn, one of them across folders.
func pairHistory() (s Source) {
	for i := range 40 {
		files := []event.Path{"src/a.go", "docs/a.md"}
		if i%2 == 1 {
			files = []event.Path{"src/b.go", "src/c.go"}
		}
		s.Commits = append(s.Commits, event.Event{ID: fmt.Sprintf("commit:%d", i), Agent: "git",
			Time: noon.Add(time.Duration(i-100) * time.Hour),
			Body: event.Commit{Text: "change", Paths: files}})
	}
	return s
}

// TestRun: what is counted of a history and of a session, for aOa and for each rule.
func TestRun(t *testing.T) {
	s := pairHistory()
	session := story(asks("go"), reads("1", "src/a.go"), reads("2", "docs/a.md"), asks("look at src/b.go"), reads("3",
		"src/b.go"), reads("4", "src/c.go"))
	s.Sessions = session.Sessions
	r, err := Run(t.Context(), s, Options{}, .6)
	fault.Check(t, err)
	if r.Commits != 40 || r.Changes != 10 || r.Sessions != 1 || len(r.Questions) != 3 {
		t.Fatalf("looked at %+v", r)
	}
	prompt, next, left := r.Questions[0], r.Questions[1], r.Questions[2]
	if prompt.Kind != AtPrompt || prompt.Asked != 2 || prompt.Five != 1 {
		t.Errorf("at prompts: %+v", prompt)
	}
	// src/b.go is not asked about: its prompt names it.
	if next.Kind != NextFile || next.Asked != 3 || next.Rules[Together] == 0 {
		t.Errorf("between calls: %+v", next)
	}
	if left.Kind != LeftOut || left.Asked != 20 || left.First != 1 || left.Five != 1 || left.Rules[Together] != 1 ||
		left.Rules[Folder] != .5 {
		t.Errorf("without a file of a commit: %+v", left)
	}
	if w := r.Warnings; w.Changes != 10 || w.False != 0 || w.LeftOut != 20 || w.Named < .5 || w.Right != 1 {
		t.Errorf("warnings: %+v", w)
	}
}

// TestNothingToAsk: an empty history has no questions and no warnings.
func TestNothingToAsk(t *testing.T) {
	r, err := Run(t.Context(), Source{}, Options{}, .6)
	if err != nil || len(r.Questions) != 0 || r.Questions == nil || r.Warnings != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestRules: what each rule lists, and in which order.
func TestRules(t *testing.T) {
	r := NewRules()
	commit := func(hour int, files ...event.Path) {
		r.Learn(event.Event{Time: noon.Add(time.Duration(hour) * time.Hour), Body: event.Commit{Paths: files}})
	}
	commit(0, "src/a.go", "docs/a.md", "src/gone.go")
	commit(1, "src/a.go", "docs/a.md")
	commit(2, "src/b.go", "top.go")
	commit(3, "top.go")
	commit(4, "top.go")
	r.Learn(event.Event{Time: noon.Add(5 * time.Hour), Body: event.Commit{Gone: []event.Path{"src/gone.go"}}})
	q := r.Question(event.Query{Task: event.TaskChange, Files: []event.Path{"src/a.go"}, At: noon})
	for rule, want := range map[string]string{
		Together: "[docs/a.md]",
		Folder:   "[src/b.go]",
		Frequent: "[top.go docs/a.md src/b.go]",
		Recent:   "[top.go src/b.go docs/a.md]",
	} {
		fault.Same(t, rule, fmt.Sprint(q.List(rule, Listed, every)), want)
	}
	if got := q.places(func(p event.Path) bool { return p == "src/b.go" }, every); got[Folder] != 1 ||
		got[Recent] != 2 || got[Together] != 0 {
		t.Errorf("places %v", got)
	}
}
