package watcher

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// newFiltered is a repository with a filter as Git LFS has one: what is committed differs from what
// is on the disk. The filter leaves the file ran whenever it runs.
func newFiltered(t *testing.T) (d *repotest.Repo, ran string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the filter is a shell command")
	}
	d, ran = repotest.New(t), filepath.Join(t.TempDir(), "ran")
	d.Git("config", "filter.swap.clean", "touch '"+ran+"'; tr a-z A-Z")
	d.Git("config", "filter.swap.smudge", "touch '"+ran+"'; tr A-Z a-z")
	d.Git("config", "filter.swap.required", "true")
	d.Write(".gitattributes", "*.bin filter=swap\n")
	d.Write("one.bin", "content of one")
	d.Write("two.bin", "content of two")
	d.Commit("first")
	return d, ran
}

// TestFilterNeverRuns: a file with a filter that has another size is found changed, and its filter
// does not run.
func TestFilterNeverRuns(t *testing.T) {
	d, ran := newFiltered(t)
	d.Write("one.bin", "else")
	if err := os.Remove(ran); err != nil {
		t.Fatalf("the filter never ran: %v", err)
	}
	r := open(d)
	if got, err := r.Changed(context.Background()); err != nil || !slices.Contains(got, event.Path("one.bin")) {
		t.Errorf("changed %q, %v", got, err)
	}
	patch := "diff --git a/one.bin b/one.bin\n--- a/one.bin\n+++ b/one.bin\n@@ -1,1 +1,1 @@\n-else\n\\ No newline at end of file\n+more\n"
	if err := r.Apply(context.Background(), patch); err != nil {
		t.Errorf("a patch of what lies on the disk: %v", err)
	}
	if raw, err := os.ReadFile(filepath.Join(d.Dir, "one.bin")); err != nil || string(raw) != "more\n" {
		t.Errorf("it made %q, %v", raw, err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the filter ran")
	}
}
