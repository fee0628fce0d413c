package contexts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/hooks/shell"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestPhases: of five phases the first three become one, and nothing of them is lost.
func TestPhases(t *testing.T) {
	var phases []phase
	for i := range 5 {
		ran := func(c shell.Class, name string) Action {
			return Action{Verb: "ran", run: []shell.Program{{Class: c, Name: name, Full: name + " -x"}}}
		}
		for _, a := range []Action{
			{Verb: "edited", Paths: []event.Path{event.Path(fmt.Sprintf("d%d/a.go", i)), "d/b.go"}},
			{Verb: "renamed", Paths: []event.Path{event.Path(fmt.Sprintf("d%d/new.go", i))}},
			{Verb: "delegated"}, {Verb: "delegated"}, {Verb: "refused"},
			ran(shell.Other, "make"), ran(shell.Commit, "git commit"), ran(shell.Undo, "git checkout"),
		} {
			phases = addToPhases(phases, a)
		}
	}
	var got strings.Builder
	for _, p := range phases {
		for _, f := range p.facts() {
			fmt.Fprintf(&got, "%d %s\n", f.weight, f.text)
		}
	}
	fault.Same(t, "phases", got.String(), `5 edited d/b.go, d0/a.go, d1/a.go, 1 more
4 renamed d0/new.go, d1/new.go, d2/new.go
3 ran make 3 times
1 asked 6 subagents
3 3 calls refused by the user
4 ran git commit, git checkout -x, git commit, git checkout -x, git commit, git checkout -x
5 edited d/b.go, d3/a.go
4 renamed d3/new.go
3 ran make
1 asked 2 subagents
3 1 call refused by the user
4 ran git commit, git checkout -x
5 edited d/b.go, d4/a.go
4 renamed d4/new.go
3 ran make
1 asked 2 subagents
3 1 call refused by the user
4 ran git commit, git checkout -x
`)
}

// TestPowerShellIsNoBash: a line of PowerShell is told as it is. What bash would make of it is not.
func TestPowerShellIsNoBash(t *testing.T) {
	for tool, want := range map[string]string{"PowerShell": "0 programs, checks false", "Bash": "1 programs, checks true"} {
		e := cold.Numbered{Event: event.Event{Body: event.Call{Act: event.ActRun, Tool: tool, Text: "go test ./store"}}}
		a, told := ran(Action{}, e)
		fault.Same(t, tool, fmt.Sprintf("%d programs, checks %v", len(a.run), a.checks), want)
		if !told || !strings.Contains(a.Object, "go test ./store") {
			t.Errorf("%s: %v %+v", tool, told, a)
		}
	}
}
