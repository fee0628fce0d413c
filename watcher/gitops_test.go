package watcher

import (
	"fmt"
	"os"
	"runtime"
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
	n := fault.Size(300, 10_000)
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
	if s.w.Status().Polling {
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
	ours := strings.Replace(both, "9", "ours", 1)
	base := repotest.New(t)
	base.Save("first", "a.txt", both)
	clash := strings.Replace(both, "9", "clash", 1)
	for branch, text := range map[string]string{"theirs": "theirs\n" + both, "clash": clash} {
		base.Git("checkout", "-q", "-b", branch, "main")
		base.Save(branch, "a.txt", text, branch+".txt", branch)
	}
	base.Git("checkout", "-q", "main")
	for _, movement := range []string{"pull -q --no-rebase . theirs", "pull -q --rebase . theirs",
		"merge -q --squash theirs", "merge -q clash", "cherry-pick -n theirs", "revert -n HEAD",
		"checkout -q theirs -- a.txt", "checkout -q -- a.txt", "restore --source=theirs a.txt", "reset -q --hard theirs",
		"stash -q -u", "stash pop -q", "merge -q --no-edit theirs; stash pop -q"} { // the last one onto other work
		t.Run(movement, func(t *testing.T) {
			d := base.At(t.TempDir())
			fault.Check(t, os.CopyFS(d.Dir, os.DirFS(base.Dir)))
			d.TB = t
			d.Write("a.txt", ours)
			if strings.Contains(movement, "stash") {
				d.Write("new.txt", "of nobody else")
			} else {
				d.Commit("ours")
			}
			if strings.Contains(movement, "stash pop") {
				d.Git("stash", "-q", "-u")
			}
			for step := range strings.SplitSeq(movement, "; ") {
				if out, err := d.Try(strings.Fields(step)...); err != nil && !strings.Contains(out, "CONFLICT") {
					t.Fatalf("git %s: %v: %s", step, err, out)
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
