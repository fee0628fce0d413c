package watcher

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

func TestSaveIsOneEvent(t *testing.T) {
	d := repotest.New(t)
	d.Write("a.go", "one")
	d.Commit("first")
	d.Age()
	s := watch(d, WatchOptions{})
	d.Write("a.go", "two!")
	s.until("save", func() bool { return len(s.seen) > 0 })
	e := s.seen[0]
	fi := fault.Must(os.Stat(d.Path("a.go")))
	if want := fmt.Sprintf("save:a.go:%d:4", fi.ModTime().UnixNano()); e.ID != want {
		t.Errorf("ID %s, want %s", e.ID, want)
	}
	if e.Agent != "watch" || !e.Time.Equal(fi.ModTime()) || e.Kind() != event.KindSave || many(e) != 0 {
		t.Errorf("event %+v", e)
	}
}

func TestNewFoldersLoseNothing(t *testing.T) {
	t.Parallel()
	d := repotest.New(t)
	d.Write("a.go", "x")
	d.Commit("first")
	d.Age()
	s := watch(d, WatchOptions{}, func(w *Watcher) { w.bulk = 100_000 })
	var want []string
	for i := range 150 {
		name := fmt.Sprintf("new%d/b/c/f.go", i)
		d.Write(name, "x")
		want = append(want, "save "+name)
	}
	s.until("all saves", func() bool { return len(s.seen) >= len(want) })
	s.expect(want...)
}

func TestFormatterIsOneEvent(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "darwin" {
		t.Skip("kqueue would open 10,000 files")
	}
	d := repotest.New(t)
	n := fault.Size(500, 10_000)
	for i := range n {
		d.Write(fmt.Sprintf("d%d/f%d.go", i%100, i), "x")
	}
	d.Age()
	s := watch(d, WatchOptions{})
	begin := time.Now()
	last, paused := begin, time.Duration(0)
	for i := range n {
		d.Write(fmt.Sprintf("d%d/f%d.go", i%100, i), "formatted")
		now := time.Now()
		last, paused = now, max(paused, now.Sub(last))
	}
	took := last.Sub(begin)
	sum := func() (files int) {
		for _, e := range s.seen {
			if many(e) == 0 {
				t.Fatalf("a formatter's run emitted as %+v", e)
			}
			files += many(e)
		}
		return files
	}
	s.until("all files", func() bool { return sum() >= n })
	// The run of a machine that needs longer than manyAtMost, or pauses for long, may be cut.
	if len(s.seen) != 1 && took < manyAtMost/2 && paused < s.w.o.Quiet {
		t.Errorf("%d events of a run of %v with a pause of %v, want one", len(s.seen), took, paused)
	}
	if e := s.seen[0]; len(s.seen) == 1 && len(e.Paths()) != min(n, event.MaxPaths) {
		t.Errorf("%d paths", len(e.Paths()))
	}
	s.seen = nil
	d.Write("d1/f1.go", "by hand")
	s.expect("save d1/f1.go")
}

func TestRepositoryGone(t *testing.T) {
	d := repotest.New(t)
	d.Write("a.go", "x")
	d.Commit("first")
	d.Age()
	s := watch(d, WatchOptions{})
	d.Write("a.go", "xx")
	s.expect("save a.go")
	d.Remove(".")
	select {
	case err := <-s.done:
		if !errors.Is(err, ErrRepoGone) {
			t.Errorf("Run: %v, want ErrRepoGone", err)
		}
	case <-time.After(patience):
		t.Fatal("Run goes on without a repository")
	}
	s.done <- nil
}

// TestImpossibleTimes: a save is as old as its file, unless the file's time is before 1970 or after
// now.
func TestImpossibleTimes(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	for mtime, want := range map[int64]time.Time{-1: at, 0: at, math.MinInt64: at, math.MaxInt64: at,
		int64(time.Hour): time.Unix(3600, 0)} {
		got := (&Watcher{bulk: 9}).events(event.KindSave, []fileChange{{path: "a.go", now: stamp{mtime: mtime}}}, at)
		if len(got) != 1 || !got[0].Time.Equal(want) {
			t.Errorf("modified at %d: %v", mtime, got)
		}
	}
}

// TestEndBesideGit: what a person saved while git held its lock is reported when the watcher ends, and
// what git may have written is not; also when the watcher ends while it asks git about them.
func TestEndBesideGit(t *testing.T) {
	for name, locked := range map[string]bool{"lock": true, "question": false} {
		t.Run(name, func(t *testing.T) {
			d := repotest.New(t)
			d.Write("a.go", "a")
			d.Write("b.go", "of the first commit")
			d.Commit("first")
			d.Write("b.go", "of the second commit")
			d.Commit("second")
			d.Age()
			var s *watching
			s = watch(d, WatchOptions{}, func(w *Watcher) {
				w.differing = func(ctx context.Context) (map[event.Path]bool, error) {
					s.cancel()
					return w.repo.differing(ctx)
				}
			})
			d.Write(".git/index.lock", "")
			d.Write("a.go", "of a person")
			d.Write("b.go", "of the first commit")
			in := s.w.in
			fault.Until(t, patience, "both wait", func() bool {
				in.mu.Lock()
				defer in.mu.Unlock()
				return len(in.saves.pending) == 2
			})
			if locked {
				in.wake.Give() // a step is due, too
				s.cancel()
			} else {
				d.Remove(".git/index.lock")
			}
			<-s.done
			for len(s.events) > 0 {
				s.seen = append(s.seen, <-s.events...)
			}
			fault.Same(t, "told", strings.Join(s.summary(), ", "), "save a.go")
			s.done <- nil
		})
	}
}

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
// written, and what someone wrote does, beside and after it.
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
