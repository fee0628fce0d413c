package watcher

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestBlame: a line has the commit that wrote it, whatever changed its white space and wherever it stood; one that is
// not committed has none. What the repository or the person set for git blame changes nothing and runs nothing.
func TestBlame(t *testing.T) {
	d := newRepository(t)
	const one, two = "the first of the lines that were written\n", "the second of the lines that were written\n"
	d.write("a b.go", one+two)
	d.write(".gitattributes", "*.go diff=shown\n")
	first := d.commit("first")
	d.git("mv", "a b.go", "c.go")
	d.write("c.go", one+"\t "+two+"three\n")
	second := d.commit("second")
	d.write("c.go", one+"\t "+two+"three\nfour\n")
	ran, global := filepath.Join(d.dir, "ran"), filepath.Join(t.TempDir(), "gitconfig")
	d.git("config", "diff.shown.textconv", "touch "+ran+"; cat")
	fault.Check(t, os.WriteFile(global, []byte("[blame]\n\tignoreRevsFile = .none\n"), 0o600))
	d.env = append(d.env, "GIT_CONFIG_GLOBAL="+global)
	r := d.open()
	got, err := r.Blame(t.Context(), "c.go", 1, 4)
	fault.Check(t, err)
	want := []BlamedLine{{1, first, "a b.go"}, {2, first, "a b.go"}, {3, second, "c.go"}, {4, "", "c.go"}}
	if diff := cmp.Diff(want, got.Lines); diff != "" {
		t.Error(diff)
	}
	if c := got.Commits[second]; c.Subject != "second" || c.By == "" || c.Written.IsZero() || c.Recorded.IsZero() || c.Cut ||
		len(got.Commits) != 2 {
		t.Errorf("%+v", got.Commits)
	}
	if files, err := r.FilesOf(t.Context(), second); len(files) != 2 || err != nil {
		t.Errorf("files of the second commit: %q, %v", files, err)
	}
	for _, c := range []struct {
		commit string
		file   event.Path
		want   int
	}{{"", "c.go", 1}, {second, "c.go", 0}, {second, "a b.go", 1}, {first, "a b.go", 0}} {
		at, err := r.WrittenBefore(t.Context(), c.commit, c.file, got.Commits[first].Written.Add(-1))
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

func FuzzParseBlame(f *testing.F) {
	head := idA + " 1 1 1\nauthor A\nauthor-time 1\ncommitter-time 2\nsummary s\nfilename a.go\n\tone\n"
	f.Add(head + idA + " 2 2\n\ttwo\n")
	f.Add(strings.Replace(head, "a.go", `"a\tb.go"`, 1))
	f.Add(nil40 + " 1 1 1\nfilename a.go\n\tnot committed\n")
	f.Add(idA + " 1 x\n")
	f.Add("\tof no commit\n")
	f.Fuzz(func(t *testing.T, text string) {
		b, err := parseBlame(strings.NewReader(text))
		if err != nil && !errors.Is(err, errBlame) && !strings.Contains(err.Error(), "path") {
			t.Error(err)
		}
		for _, l := range b.Lines {
			_, known := b.Commits[l.Commit]
			if _, err := event.NewPath(string(l.File)); err != nil || l.Line < 1 || l.Commit != "" && !known {
				t.Errorf("%+v", l)
			}
		}
	})
}
