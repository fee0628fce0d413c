package watcher

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

func TestRenamesAsTheyHappen(t *testing.T) {
	g := repotest.New(t)
	g.Commit("base", "a.go", "k.go")
	r, cursor := open(g), map[string]string{}
	readAgain(t, r, cursor)
	g.Git("mv", "a.go", "b.go")
	moved := g.Commit("move")
	g.Commit("reuse", "a.go")
	want := []string{"names:1:" + moved + " [a.go] [b.go]", "commit [] [a.go]", "commit [] [b.go]",
		"rename:" + moved + " [a.go] [b.go]"}
	if got := shortly(readAgain(t, r, cursor)); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	g.Git("reset", "-q", "--hard", "HEAD~2")
	want = []string{"uncommit [] [a.go]", "uncommit [] [b.go]", "names:2:-" + moved + " [b.go] [a.go]"}
	fault.Same(t, "after the reset", shortly(readAgain(t, r, cursor)), want)
}

func shortly(events []event.Event) []string {
	var out []string
	for _, e := range events {
		id, _, _ := strings.Cut(e.ID, ":")
		if e.Kind() == event.KindRename {
			id = e.ID
		}
		out = append(out, fmt.Sprint(id, " ", e.From(), " ", e.Paths()))
	}
	return out
}

// TestRenamesIn: a rename is one that git finds, or the only deleted and the only added file of a distinctive name.
func TestRenamesIn(t *testing.T) {
	c := &Commit{Files: []FileChange{
		{Status: 'R', From: "a/x/__init__.py", Path: "b/x/__init__.py"}, {Status: 'M', Path: "m.py"},
		{Status: 'D', Path: "a/one.py"}, {Status: 'A', Path: "b/one.py"},
		{Status: 'D', Path: "a/index.js"}, {Status: 'A', Path: "b/index.js"},
		{Status: 'D', Path: "c/two.py"}, {Status: 'D', Path: "d/two.py"}, {Status: 'A', Path: "e/two.py"},
	}}
	fault.Same(t, "renames", renamesIn(c), []rename{{"a/one.py", "b/one.py"}, {"a/x/__init__.py", "b/x/__init__.py"}},
		cmp.AllowUnexported(rename{}))
}
