package watcher

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// TestRange: what commits change together, from where they branched off; what is staged.
func TestRange(t *testing.T) {
	d := repotest.New(t)
	d.Write("kept.go", "1")
	d.Write("gone.go", "1")
	d.Commit("first")
	d.Git("checkout", "-q", "-b", "work")
	d.Write("new.go", "1")
	d.Git("rm", "-q", "gone.go")
	d.Commit("second")
	d.Git("checkout", "-q", "-")
	d.Write("other.go", "1")
	d.Commit("elsewhere")
	r := open(d)
	statuses := func(files []FileChange) (out []string) {
		for _, f := range files {
			out = append(out, string(f.Status)+" "+string(f.Path))
		}
		return out
	}
	got, err := r.Range(t.Context(), "HEAD", "work")
	if diff := cmp.Diff([]string{"D gone.go", "A new.go"}, statuses(got.Files)); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if files, err := r.Tree(t.Context(), got.Head); len(files) != 2 || err != nil {
		t.Errorf("%q, %v", files, err)
	}
	if _, err := r.Range(t.Context(), "--all", "work"); err == nil {
		t.Error("an option is a commit")
	}
	d.Write("kept.go", "2")
	d.Git("add", "kept.go")
	d.Write("kept.go", "3")
	staged, err := r.Staged(t.Context())
	if diff := cmp.Diff([]string{"M kept.go"}, statuses(staged)); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if ids, err := r.IndexBlobs(t.Context(), []event.Path{"kept.go", "none.go"}); ids["kept.go"] != staged[0].Blob ||
		len(ids) != 1 || err != nil {
		t.Errorf("%v, %v", ids, err)
	}
}

// TestApply: a patch is applied at the root as a whole or not at all, whatever the settings of the
// repository say about whitespace, and taken back.
func TestApply(t *testing.T) {
	g := repotest.New(t)
	g.Write("in/a.txt", "one \ntwo\n")
	g.Write("b.txt", "b\n")
	g.Git("config", "apply.whitespace", "fix")
	r := open(g)
	patch := "diff --git a/in/a.txt b/in/a.txt\n--- a/in/a.txt\n+++ b/in/a.txt\n@@ -1,2 +1,2 @@\n-one \n+1 \n two\n"
	both := patch + "diff --git a/b.txt b/b.txt\n--- a/b.txt\n+++ b/b.txt\n@@ -1,1 +1,1 @@\n-x\n+y\n"
	says := func(want string) {
		t.Helper()
		raw, err := os.ReadFile(filepath.Join(g.Dir, "in", "a.txt"))
		fault.Check(t, err)
		fault.Same(t, "the file", string(raw), want)
	}
	if err := r.Apply(t.Context(), both); err == nil {
		t.Error("a part that does not fit is no error")
	}
	fault.Check(t, r.Apply(t.Context(), patch, "--check"))
	says("one \ntwo\n")
	fault.Check(t, r.Apply(t.Context(), patch))
	says("1 \ntwo\n")
	fault.Check(t, r.Apply(t.Context(), patch, "-R"))
	says("one \ntwo\n")
}
