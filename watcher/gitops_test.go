package watcher

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// TestCheckoutOfManyFiles: a person saves 100 files right before the switch and 100 right after it,
// inside the window. Exactly those are saves, the switch is one event, and nothing is learned from
// the checkout.
func TestCheckoutOfManyFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "darwin" {
		t.Skip("kqueue would open 10,000 files")
	}
	d := repotest.New(t)
	n := fault.Size(1_000, 10_000)
	for i := range n {
		d.Write(fmt.Sprintf("d%d/f%d.go", i%200, i), "one")
	}
	for i := range 200 {
		d.Write(fmt.Sprintf("mine/p%d.go", i), "one")
	}
	d.Commit("first")
	d.Git("checkout", "-q", "-b", "other")
	for i := range n {
		d.Write(fmt.Sprintf("d%d/f%d.go", i%200, i), "another")
	}
	d.Write("only/there.go", "x")
	d.Commit("second")
	d.Git("checkout", "-q", "main")
	d.Age()
	s := watch(d, WatchOptions{})
	var want []string
	for i := range 100 {
		d.Write(fmt.Sprintf("mine/p%d.go", i), "before")
		want = append(want, fmt.Sprintf("save mine/p%d.go", i))
	}
	d.Git("checkout", "-q", "other")
	for i := range 100 {
		d.Write(fmt.Sprintf("mine/p%d.go", 100+i), "after")
		want = append(want, fmt.Sprintf("save mine/p%d.go", 100+i))
	}
	s.awaitHead()
	s.until("200 saves", func() bool { return len(s.seen) >= 201 })
	s.expect(append(want, "checkout other")...)
	if s.w.Status().Partial {
		t.Error("the watches ran out")
	}
	d.Write("d7/f7.go", "a checked out file")
	d.Write("only/there.go", "xx")
	s.expect("save d7/f7.go", "save only/there.go")
}

// TestWritten: whatever git does with HEAD, the index and the stash, no content of it counts as
// written, and what somebody wrote does, beside and after it.
func TestWritten(t *testing.T) {
	t.Parallel()
	const both = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	for _, c := range []struct {
		name  string
		steps [][]string // the last one is the movement
	}{
		{"pull", [][]string{{"pull", "-q", "--no-rebase", ".", "theirs"}}},
		{"pull --rebase", [][]string{{"pull", "-q", "--rebase", ".", "theirs"}}},
		{"merge", [][]string{{"merge", "-q", "--no-edit", "theirs"}}},
		{"merge --squash", [][]string{{"merge", "-q", "--squash", "theirs"}}},
		{"merge with a conflict", [][]string{{"merge", "-q", "clash"}}},
		{"rebase", [][]string{{"rebase", "-q", "theirs"}}},
		{"cherry-pick", [][]string{{"cherry-pick", "theirs"}}},
		{"cherry-pick -n", [][]string{{"cherry-pick", "-n", "theirs"}}},
		{"revert -n", [][]string{{"revert", "-n", "HEAD"}}},
		{"checkout of a branch", [][]string{{"checkout", "-q", "theirs"}}},
		{"checkout of a file", [][]string{{"checkout", "-q", "theirs", "--", "a.txt"}}},
		{"checkout -- file", [][]string{{"checkout", "-q", "--", "a.txt"}}},
		{"restore", [][]string{{"restore", "--source=theirs", "a.txt"}}},
		{"reset --hard", [][]string{{"reset", "-q", "--hard", "theirs"}}},
		{"stash", [][]string{{"stash", "-q", "-u"}}},
		{"stash pop", [][]string{{"stash", "-q", "-u"}, {"stash", "pop", "-q"}}},
		{"stash pop onto other work", [][]string{{"stash", "-q", "-u"}, {"merge", "-q", "--no-edit", "theirs"}, {"stash", "pop", "-q"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := repotest.New(t)
			d.Write("a.txt", both)
			d.Commit("first")
			for branch, text := range map[string]string{"theirs": "theirs\n" + both, "clash": strings.Replace(both, "9", "clash", 1)} {
				d.Git("checkout", "-q", "-b", branch, "main")
				d.Write("a.txt", text)
				d.Write(branch+".txt", branch)
				d.Commit(branch)
			}
			d.Git("checkout", "-q", "main")
			if ours := strings.Replace(both, "9", "ours", 1); strings.HasPrefix(c.name, "stash") {
				d.Write("a.txt", ours)
				d.Write("new.txt", "of nobody else")
			} else {
				d.Write("a.txt", ours)
				d.Commit("ours")
			}
			for _, step := range c.steps {
				if out, err := d.Try(step...); err != nil && !strings.Contains(out, "CONFLICT") {
					t.Fatalf("git %v: %v: %s", step, err, out)
				}
			}
			r := open(d)
			files := []event.Path{"a.txt", "theirs.txt", "clash.txt", "new.txt", "mine.txt"}
			fault.Same(t, "after git", r.Written(t.Context(), files), []event.Path(nil))
			d.Write("a.txt", "of a tool\n")
			d.Write("mine.txt", "of a tool, too\n")
			fault.Same(t, "after a tool", r.Written(t.Context(), files), []event.Path{"a.txt", "mine.txt"})
		})
	}
}

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
