package watcher

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestCheckoutOfManyFiles: a person saves 100 files right before the switch and 100 right after it, inside the
// window. Exactly those are saves, the switch is one event, and nothing is learned from the checkout.
func TestCheckoutOfManyFiles(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("kqueue would open 10,000 files")
	}
	d := newRepository(t)
	n := fault.Size(1_000, 10_000)
	for i := range n {
		d.write(fmt.Sprintf("d%d/f%d.go", i%200, i), "one")
	}
	for i := range 200 {
		d.write(fmt.Sprintf("mine/p%d.go", i), "one")
	}
	d.commit("first")
	d.git("checkout", "-q", "-b", "other")
	for i := range n {
		d.write(fmt.Sprintf("d%d/f%d.go", i%200, i), "another")
	}
	d.write("only/there.go", "x")
	d.commit("second")
	d.git("checkout", "-q", "main")
	d.age()
	s := d.watch(WatchOptions{})
	var want []string
	for i := range 100 {
		d.write(fmt.Sprintf("mine/p%d.go", i), "before")
		want = append(want, fmt.Sprintf("save mine/p%d.go", i))
	}
	d.git("checkout", "-q", "other")
	for i := range 100 {
		d.write(fmt.Sprintf("mine/p%d.go", 100+i), "after")
		want = append(want, fmt.Sprintf("save mine/p%d.go", 100+i))
	}
	s.awaitHead()
	s.until("200 saves", func() bool { return len(s.seen) >= 201 })
	s.expect(append(want, "checkout other")...)
	if s.w.Status().Partial {
		t.Error("the watches ran out")
	}
	d.write("d7/f7.go", "a checked out file")
	d.write("only/there.go", "xx")
	s.expect("save d7/f7.go", "save only/there.go")
}

// TestSaveInsideWindow: files that differ from the index after the window are saves, others are git's.
func TestSaveInsideWindow(t *testing.T) {
	d := newRepository(t)
	d.write("a.go", "one")
	d.write("b.go", "one")
	d.write("c.go", "one")
	d.commit("first")
	d.age()
	s := d.watch(WatchOptions{})
	lock := d.abs(".git/index.lock")
	fault.Check(t, os.WriteFile(lock, nil, 0o600))
	d.write("a.go", "mine")
	d.write("b.go", "one") // equals the index in content
	d.write("new.go", "mine")
	d.remove("c.go")
	fault.Check(t, os.Remove(lock))
	s.awaitHead()
	s.expect("save a.go", "save new.go", "delete c.go")
}

func TestGitOperationsAreNotSaves(t *testing.T) {
	d := newRepository(t)
	for i := range 50 {
		d.write(fmt.Sprintf("d/f%d.go", i), "one\n")
	}
	d.commit("first")
	d.git("checkout", "-q", "-b", "topic")
	for i := range 50 {
		d.write(fmt.Sprintf("d/f%d.go", i), "two\n")
	}
	d.commit("second")
	d.write("e/added.go", "three\n")
	d.commit("third")
	d.git("checkout", "-q", "main")
	d.write("main.go", "x\n")
	d.commit("meanwhile")
	d.git("checkout", "-q", "topic")
	d.age()
	s := d.watch(WatchOptions{})

	d.write("d/f1.go", "mine")
	s.expect("save d/f1.go")
	for _, step := range [][]string{
		{"stash", "-q"}, {"stash", "drop", "-q"}, {"status"}, {"reset", "-q", "--hard", "HEAD~1"}, {"reset", "-q", "--hard",
			"ORIG_HEAD"},
		{"rebase", "-q", "main"}, {"gc", "-q"}, {"checkout", "HEAD~1", "--", "d"}, {"reset", "-q", "--hard"},
		{"commit", "-q", "--allow-empty", "-m", "empty"}, {"commit", "-q", "--amend", "--allow-empty", "-m", "again"},
		{"revert", "--no-edit", "HEAD~1"},
	} {
		d.git(step...)
		s.mark()
		if got := s.summary(); len(got) != 0 {
			t.Errorf("git %v: saw %q", step, got)
			s.seen = nil
		}
	}
	d.git("checkout", "-q", "main")
	s.expect("checkout main")
	d.git("merge", "-q", "--no-edit", "topic")
	s.expect()
	d.git("checkout", "-q", "--detach", "HEAD~1")
	s.mark()
	if len(s.seen) != 1 || len(s.seen[0].Body.(event.Checkout).Name) != 40 || len(s.seen[0].Paths()) != 0 {
		t.Errorf("detached: saw %+v", s.seen)
	}
}

// A conflict's markers are git's, its resolution is a person's.
func TestConflict(t *testing.T) {
	d := newRepository(t)
	d.write("a.go", "base\n")
	d.commit("first")
	d.git("checkout", "-q", "-b", "other")
	d.write("a.go", "theirs\n")
	d.commit("theirs")
	d.git("checkout", "-q", "main")
	d.write("a.go", "ours\n")
	d.commit("ours")
	d.age()
	s := d.watch(WatchOptions{})
	if out, err := d.try("rebase", "other"); err == nil {
		t.Fatalf("no conflict: %s", out)
	}
	s.expect()
	d.write("a.go", "both\n")
	s.expect("save a.go")
	d.git("add", "a.go")
	d.git("rebase", "--continue")
	s.expect()
}

// TestStashPop: what comes back from the stash differs from the index and is nobody's save; what a person saves beside
// it is.
func TestStashPop(t *testing.T) {
	d := newRepository(t)
	d.write("a.go", "x")
	d.write("b.go", "x")
	d.commit("first")
	d.write("a.go", "mine")
	d.write("new.go", "mine, too")
	d.git("stash", "-q", "-u")
	d.age()
	s := d.watch(WatchOptions{})
	d.git("stash", "pop", "-q")
	s.expect()
	d.write("a.go", "mine again")
	s.expect("save a.go")
}

// TestWritten: whatever git does with HEAD, the index and the stash, no content of it counts as written, and what
// somebody wrote does, beside and after it.
func TestWritten(t *testing.T) {
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
			d := newRepository(t)
			d.write("a.txt", both)
			d.commit("first")
			for branch, text := range map[string]string{"theirs": "theirs\n" + both, "clash": strings.Replace(both, "9", "clash", 1)} {
				d.git("checkout", "-q", "-b", branch, "main")
				d.write("a.txt", text)
				d.write(branch+".txt", branch)
				d.commit(branch)
			}
			d.git("checkout", "-q", "main")
			if ours := strings.Replace(both, "9", "ours", 1); strings.HasPrefix(c.name, "stash") {
				d.write("a.txt", ours)
				d.write("new.txt", "of nobody else")
			} else {
				d.write("a.txt", ours)
				d.commit("ours")
			}
			for _, step := range c.steps {
				if out, err := d.try(step...); err != nil && !strings.Contains(out, "CONFLICT") {
					t.Fatalf("git %v: %v: %s", step, err, out)
				}
			}
			r, err := OpenRepo(t.Context(), d.dir, d.env)
			fault.Check(t, err)
			files := []event.Path{"a.txt", "theirs.txt", "clash.txt", "new.txt", "mine.txt"}
			fault.Same(t, "after git", r.Written(t.Context(), files), []event.Path(nil))
			d.write("a.txt", "of a tool\n")
			d.write("mine.txt", "of a tool, too\n")
			fault.Same(t, "after a tool", r.Written(t.Context(), files), []event.Path{"a.txt", "mine.txt"})
		})
	}
}

func TestHeadIsLookedAt(t *testing.T) {
	d := newRepository(t)
	d.write("a.go", "x")
	d.commit("first")
	d.age()
	s := d.watch(WatchOptions{})
	for _, step := range [][]string{{"commit", "-q", "--allow-empty", "-m", "c"}, {"branch", "feature/deep/er"},
		{"pack-refs", "--all"},
		{"update-ref", "refs/heads/feature/deep/er", "HEAD~1"}, {"worktree", "add", "-q", t.TempDir() + "/wt",
			"feature/deep/er"}} {
		for len(s.heads) > 0 {
			<-s.heads
		}
		d.git(step...)
		s.awaitHead()
	}
	d.git("symbolic-ref", "HEAD", "refs/heads/unborn")
	s.until("branch", func() bool { return slices.Contains(s.summary(), "checkout unborn") })
}

func TestLinkedWorktree(t *testing.T) {
	main := newRepository(t)
	main.write("a.go", "x")
	main.commit("first")
	main.git("worktree", "add", "-q", "-b", "side", "../"+"side-of-it")
	root := main.abs("../side-of-it")
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	d := &repository{tb: t, dir: root, env: main.env}
	d.age()
	s := d.watch(WatchOptions{})
	d.write("a.go", "mine")
	main.write("a.go", "of the other worktree")
	s.expect("save a.go")
	d.git("stash", "-q")
	s.expect()
	d.git("checkout", "-q", "-b", "third")
	s.expect("checkout third")
}
