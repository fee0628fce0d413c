package watcher

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// TestBlame: a line has the commit that wrote it, whatever changed its white space and wherever it
// stood; one that is not committed has none. What the repository or the person set for git blame
// changes nothing and runs nothing.
func TestBlame(t *testing.T) {
	d := repotest.New(t)
	const one, two = "the first of the lines that were written\n", "the second of the lines that were written\n"
	d.Write("a b.go", one+two)
	d.Write(".gitattributes", "*.go diff=shown\n")
	first := d.Commit("first")
	d.Git("mv", "a b.go", "c.go")
	d.Write("c.go", one+"\t "+two+"three\n")
	second := d.Commit("second")
	d.Write("c.go", one+"\t "+two+"three\nfour\n")
	ran, global := filepath.Join(d.Dir, "ran"), filepath.Join(t.TempDir(), "gitconfig")
	d.Git("config", "diff.shown.textconv", "touch "+ran+"; cat")
	fault.Check(t, os.WriteFile(global, []byte("[blame]\n\tignoreRevsFile = .none\n"), 0o600))
	d.Env = append(d.Env, "GIT_CONFIG_GLOBAL="+global)
	d.Git("config", "blame.ignoreRevsFile", ".missing")
	r := open(d)
	got, err := r.Blame(t.Context(), "c.go", 1, 4)
	fault.Check(t, err)
	var lines []string
	for _, l := range got {
		lines = append(lines, fmt.Sprint(l.Line, " ", l.Commit, " ", l.File, " ", l.Subject, " ", l.By, " ", l.Written.Equal(l.Recorded),
			" ", l.Cut))
	}
	fault.Same(t, "lines", lines, []string{"1 " + first + " a b.go first A true false", "2 " + first + " a b.go first A true false",
		"3 " + second + " c.go second A true false", "4  c.go   true false"})
	if files, err := r.FilesOf(t.Context(), second); len(files) != 2 || err != nil {
		t.Errorf("files of the second commit: %q, %v", files, err)
	}
	for _, c := range []struct {
		commit string
		file   event.Path
		want   int
	}{{"", "c.go", 1}, {second, "c.go", 0}, {second, "a b.go", 1}, {first, "a b.go", 0}} {
		at, err := r.WrittenBefore(t.Context(), c.commit, c.file, got[0].Written.Add(-1))
		if len(at) != c.want || err != nil {
			t.Errorf("commits of %s before %.9s: %v, %v", c.file, c.commit, at, err)
		}
	}
	if _, err := r.Blame(t.Context(), "c.go", 5, 5); err == nil {
		t.Error("a line that is not there has a commit")
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("git blame ran a program of the repository")
	}
}

// TestFilesOfMerge: a merge changed what none of its parents has, and not the files that one of
// them brought.
func TestFilesOfMerge(t *testing.T) {
	d := repotest.New(t)
	d.Write("a.go", "one\n")
	d.Commit("first")
	d.Git("checkout", "-q", "-b", "side")
	d.Write("b é.go", "one\n")
	d.Commit("side")
	d.Git("checkout", "-q", "-")
	d.Write("c.go", "one\n")
	d.Commit("main")
	d.Git("merge", "-q", "--no-commit", "side")
	d.Write("a.go", "two\n")
	merge := d.Commit("merge")
	files, err := open(d).FilesOf(t.Context(), merge)
	fault.Check(t, err)
	fault.Same(t, "files", files, []event.Path{"a.go"})
	files, err = open(d).FilesOf(t.Context(), merge+"^2")
	fault.Check(t, err)
	fault.Same(t, "files of the side", files, []event.Path{"b é.go"})
}

func FuzzParseBlame(f *testing.F) {
	head := idA + " 1 1 1\nauthor A\nauthor-time 1\ncommitter-time 2\nsummary s\nfilename a.go\n\tone\n"
	f.Add(head + idA + " 2 2\n\ttwo\n")
	f.Add(strings.Replace(head, "a.go", `"a\tb.go"`, 1))
	f.Add(nil40 + " 1 1 1\nfilename a.go\n\tnot committed\n")
	f.Add(idA + " 1 x\n")
	f.Add("\tof no commit\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := parseBlame(strings.NewReader(text))
		if err != nil && !errors.Is(err, errBlame) {
			t.Error(err)
		}
		for _, l := range lines {
			if _, err := event.NewPath(string(l.File)); err != nil || l.Commit != "" && len(l.Commit) < 40 {
				t.Errorf("%+v", l)
			}
		}
	})
}
