package watcher

import (
	"fmt"
	"slices"
	"strings"
	"testing"

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

func TestRenamesPairTheMostAlike(t *testing.T) {
	c := &Commit{Files: []FileChange{
		{'D', "1", "", "", "a/x/__init__.py"}, {'D', "1", "", "", "a/y/__init__.py"}, {'D', "2", "", "", "a/one.py"},
		{'A', "1", "", "", "b/x/__init__.py"}, {'A', "1", "", "", "b/y/__init__.py"}, {'A', "3", "", "", "b/two.py"},
		{'M', "4", "", "", "m.py"},
	}}
	want := []rename{{"a/x/__init__.py", "b/x/__init__.py"}, {"a/y/__init__.py", "b/y/__init__.py"}}
	if got := renamesIn(c); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
