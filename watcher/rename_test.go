package watcher

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// credited runs a first import and returns for each commit's subject the files that it counts for.
func credited(t *testing.T, r *Repo) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, e := range readAgain(t, r, map[string]string{}) {
		switch e.Kind() {
		case event.KindCommit:
			out[e.Text()] = strings.Join(event.Strings(e.Paths()), " ")
			if len(e.Gone()) > 0 {
				out[e.Text()] += " -" + strings.Join(event.Strings(e.Gone()), " -")
			}
		case event.KindRename:
			if !e.Body.(event.Rename).Past {
				t.Errorf("an import moves what was learned: %v", e)
			}
			out["rename"] += fmt.Sprint(e.From(), "→", e.Paths())
		}
	}
	return out
}

func wantCredited(t *testing.T, got, want map[string]string) {
	t.Helper()
	for subject, files := range want {
		fault.Same(t, subject, got[subject], files)
	}
}

func TestRenamesInAnImport(t *testing.T) {
	g := newRepository(t)
	g.commit("old", "old.go", "other.go", "pkg/one.go", "pkg/index.js")
	g.git("mv", "old.go", "mid.go")
	g.commit("first move")
	g.commit("middle", "mid.go")
	g.git("mv", "mid.go", "new.go")
	g.commit("second move")
	g.commit("reuse", "old.go") // another file under the first name
	g.commit("reused again", "old.go")
	g.git("mv", "pkg", "lib")
	g.write("lib/one.go", "changed while moving\n")
	g.write("lib/index.js", "changed while moving\n")
	g.commit("move with changes")
	g.git("rm", "-q", "lib/index.js")
	g.commit("gone")
	wantCredited(t, credited(t, g.open()), map[string]string{
		"old": "lib/one.go new.go other.go pkg/index.js", "first move": "new.go", "middle": "new.go", "second move": "new.go",
		"reuse": "old.go", "reused again": "old.go",
		// A file called index that goes while another comes is a coincidence, one called one.go is not.
		"move with changes": "lib/index.js lib/one.go -pkg/index.js", "gone": " -lib/index.js", "rename": "[pkg/one.go]→[lib/one.go][mid.go]→[new.go][old.go]→[mid.go]",
	})
}

// A side branch goes on under the old name after the rename on main, and is merged.
func TestRenameBesideABranch(t *testing.T) {
	g := newRepository(t)
	g.commit("base", "old.go", "k.go")
	g.git("checkout", "-q", "-b", "side")
	g.git("checkout", "-q", "main")
	g.git("mv", "old.go", "new.go")
	g.commit("move")
	g.git("checkout", "-q", "side")
	g.write("old.go", strings.Repeat("old.go line\n", 9))
	g.commit("aside")
	g.git("checkout", "-q", "main")
	g.git("merge", "-q", "--no-edit", "side")
	wantCredited(t, credited(t, g.open()), map[string]string{
		"base": "k.go new.go", "move": "new.go", "aside": "old.go", "rename": "[old.go]→[new.go]",
	})
}

// What another worktree renamed is not what this one's HEAD calls its files.
func TestRenameOffTheLineage(t *testing.T) {
	g := newRepository(t)
	g.commit("base", "a.go")
	g.git("worktree", "add", "-q", "-b", "far", g.dir+"-far")
	far := g.at(g.dir + "-far")
	far.git("mv", "a.go", "b.go")
	far.commit("move far away")
	wantCredited(t, credited(t, g.open()), map[string]string{"base": "a.go", "move far away": "b.go -a.go", "rename": "[a.go]→[b.go]"})
	wantCredited(t, credited(t, far.open()), map[string]string{"base": "b.go", "move far away": "b.go", "rename": "[a.go]→[b.go]"})
}

func TestRenamesAsTheyHappen(t *testing.T) {
	g := newRepository(t)
	g.commit("base", "a.go", "k.go")
	r, cursor := g.open(), map[string]string{}
	readAgain(t, r, cursor)
	g.git("mv", "a.go", "b.go")
	moved := g.commit("move")
	g.commit("reuse", "a.go")
	want := []string{"names:1:" + moved + " [a.go] [b.go]", "commit [] [a.go]", "commit [] [b.go]",
		"rename:" + moved + " [a.go] [b.go]"}
	if got := shortly(readAgain(t, r, cursor)); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	g.git("reset", "-q", "--hard", "HEAD~2")
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
