package watcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

func twentyFolders(t testing.TB) *repotest.Repo {
	d := repotest.New(t)
	for i := range 20 {
		d.Write(fmt.Sprintf("d%02d/a.go", i), "one")
	}
	d.Commit("first")
	return d
}

// twoBranches is twentyFolders on a branch on which all files differ from those of main.
func twoBranches(t testing.TB) *repotest.Repo {
	d := twentyFolders(t)
	d.Git("checkout", "-q", "-b", "other")
	for i := range 20 {
		d.Write(fmt.Sprintf("d%02d/a.go", i), "of the other branch")
	}
	d.Commit("second")
	return d
}

// savesAll saves a file in each of the twenty folders, and sees it.
func (s *watching) savesAll(text string) {
	s.t.Helper()
	var want []string
	for i := range 20 {
		name := fmt.Sprintf("d%02d/a.go", i)
		s.d.Write(name, text)
		want = append(want, "save "+name)
	}
	// A file may be seen between its two writes, empty, and so be saved twice.
	s.until("20 saves", func() bool { return len(slices.Compact(s.summary())) >= 20 })
	s.mark()
	fault.Same(s.t, "saw", slices.Compact(s.summary()), want)
	s.seen = nil
}

// TestWorktreeRemoved: while git removes a worktree it cannot tell what changed in it. That is no
// warning; a broken index is one.
func TestWorktreeRemoved(t *testing.T) {
	t.Parallel()
	d := twentyFolders(t)
	d.Git("worktree", "add", "-q", "../beside")
	r := fault.Must(OpenRepo(t.Context(), filepath.Join(d.Dir, "../beside"), d.Env))
	var log fault.Log
	w := NewWatcher(r, WatchOptions{Log: log.Logger(), Now: time.Now})
	fault.Check(t, os.WriteFile(filepath.Join(r.GitDir, "index"), []byte("broken"), 0o600))
	w.notGits(t.Context(), []fileChange{{path: "d00/a.go"}}, nil, maybeGit)
	fault.Check(t, os.Remove(r.Root.Abs(".git")))
	w.notGits(t.Context(), []fileChange{{path: "d00/a.go"}}, nil, maybeGit)
	if n := log.Warnings(); n != 1 {
		t.Errorf("%d warnings", n)
	}
}

// TestWatchesRunOut: the system refuses watches after the first few; then all is polled, with one
// warning, and a checkout in polled folders is still git's.
func TestWatchesRunOut(t *testing.T) {
	t.Parallel()
	d := twoBranches(t)
	out := &fault.Log{}
	s := watch(d, WatchOptions{Log: out.Logger()}, func(w *Watcher) {
		w.open = func() (notifier, error) {
			n, err := openNotifier()
			add, left := n.add, 12
			n.add = func(dir string) error {
				if left--; left < 0 {
					return &os.PathError{Op: "inotify_add_watch", Path: dir, Err: syscall.ENOSPC}
				}
				return add(dir)
			}
			return n, err
		}
	})
	if st := s.w.Status(); !st.Polling || st.Watched != 0 || st.Why == "" {
		t.Errorf("status %+v", st)
	}
	s.savesAll("mine, although polled")
	d.Write("d19/new/b.go", "x")
	s.until("polled save", func() bool { return slices.Contains(s.summary(), "save d19/new/b.go") })
	s.expect("save d19/new/b.go")
	d.Git("checkout", "-q", "-f", "main")
	s.until("branch", func() bool { return slices.Contains(s.summary(), "checkout main") })
	d.Write("d19/a.go", "after the switch")
	s.until("polled save", func() bool { return slices.Contains(s.summary(), "save d19/a.go") })
	s.expect("checkout main", "save d19/a.go")
	if n := out.Warnings(); n != 1 {
		t.Errorf("%d warnings, want one:\n%s", n, out)
	}
}

// TestPolling: nothing is watched, because it is asked for or because the system has no watcher
// left.
func TestPolling(t *testing.T) {
	t.Parallel()
	for _, poll := range []bool{true, false} {
		d := twentyFolders(t)
		d.Age()
		out := &fault.Log{}
		s := watch(d, WatchOptions{Poll: poll, Log: out.Logger()}, func(w *Watcher) {
			w.open = func() (notifier, error) { return notifier{}, syscall.EMFILE }
		})
		d.Write("d05/a.go", "in a folder without recent work")
		d.Write("root.go", "new")
		d.Remove("d04")
		s.until("three", func() bool { return len(s.seen) >= 3 })
		s.expect("save d05/a.go", "save root.go", "delete d04/a.go")
		d.Git("checkout", "-q", "-f", "-b", "other")
		s.until("branch", func() bool { return len(s.seen) > 0 })
		if st := s.w.Status(); (st.Why == "") != poll || !st.Polling || (out.Warnings() == 0) != poll {
			t.Errorf("status %+v, %d warnings", st, out.Warnings())
		}
		s.expect("checkout other")
		d.Write("d06/a.go", "right before the end")
		s.cancel()
		s.done <- <-s.done
		s.until("the last save", func() bool { return len(s.seen) > 0 })
		fault.Same(t, "saw", s.summary(), []string{"save d06/a.go"})
	}
}

// TestKernelOverflow: the system drops everything for a while and reports that; what git wrote
// meanwhile is git's.
func TestKernelOverflow(t *testing.T) {
	t.Parallel()
	d := twoBranches(t)
	d.Age()
	deaf := make(chan bool)
	s := watch(d, WatchOptions{}, func(w *Watcher) { w.open = func() (notifier, error) { return lossyNotifier(deaf) } })
	deaf <- true
	d.Git("checkout", "-q", "main")
	d.Write("d03/a.go", "mine")
	d.Write("d04/new/b.go", "mine")
	d.Remove("d05/a.go")
	d.Remove("d06")
	d.Rename("d07", "d04/d07")
	d.Remove("d08")
	d.Write("d08/a.go", "mine")
	deaf <- false
	s.until("seven events", func() bool { return len(s.seen) >= 7 })
	s.expect("checkout main", "save d03/a.go", "save d04/new/b.go", "delete d05/a.go", "delete d06/a.go",
		"delete d07/a.go", "save d08/a.go")
	d.Write("d04/d07/a.go", "mine")
	d.Write("d08/a.go", "mine again")
	s.expect("save d04/d07/a.go", "save d08/a.go")
}

// lossyNotifier drops all events after true arrives; false ends it with an overflow error.
func lossyNotifier(deaf <-chan bool) (notifier, error) {
	n, err := openNotifier()
	if err != nil {
		return n, err
	}
	in, events, errs := n.events, make(chan fsnotify.Event), make(chan error)
	n.events, n.errors = events, errs
	go func() {
		defer close(errs)
		defer close(events)
		drop := false
		for {
			select {
			case drop = <-deaf:
				if !drop {
					for len(in) > 0 {
						<-in
					}
					errs <- fsnotify.ErrEventOverflow
				}
			case ev, ok := <-in:
				if !ok {
					return
				}
				if !drop {
					events <- ev
				}
			}
		}
	}()
	return n, nil
}

// reportedWatcher makes a watcher of a.go that gets its reports from a channel, not from the
// system.
func reportedWatcher(r *Repo) (w *Watcher, events chan<- fsnotify.Event) {
	in, errs := make(chan fsnotify.Event), make(chan error)
	w = NewWatcher(r, testOptions(r, WatchOptions{Files: func() []event.Path { return []event.Path{"a.go"} }}))
	w.open = func() (notifier, error) {
		ok := func(string) error { return nil }
		return notifier{events: in, errors: errs, add: ok, remove: ok,
			close: func() error { close(in); close(errs); return nil }}, nil
	}
	return w, in
}

// TestQuietTime runs the loop on a false clock: a save is emitted exactly 100 ms after the last
// write.
func TestQuietTime(t *testing.T) {
	d := repotest.New(t)
	d.Write("a.go", "x")
	d.Commit("first")
	fault.Check(t, os.Chtimes(d.Path("a.go"), time.Unix(1, 0), time.Unix(1, 0)))
	r := open(d)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w, events := reportedWatcher(r)
		var summary []time.Duration
		begin := time.Now()
		done := make(chan error)
		go func() {
			done <- w.Run(ctx, func([]event.Event) { summary = append(summary, time.Since(begin)) }, func() {})
		}()
		<-w.ready
		begin = time.Now()
		for range 3 {
			events <- fsnotify.Event{Name: d.Path("a.go"), Op: fsnotify.Write}
			<-time.After(60 * time.Millisecond) // in a synctest bubble
		}
		d.Write("a.go", "xx")
		<-time.After(time.Second) // in a synctest bubble
		synctest.Wait()
		fault.Same(t, "emitted after", summary, []time.Duration{220 * time.Millisecond})
		d.Write("a.go", "the last save before the end")
		events <- fsnotify.Event{Name: d.Path("a.go"), Op: fsnotify.Write}
		synctest.Wait()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		fault.Same(t, "emitted", len(summary), 2)
	})
}

// TestSlowStatus runs a watcher that polls on a false clock, while a hook reports work twice a
// second for two minutes: a `git status` of five seconds is followed by a pause of several times
// that.
func TestSlowStatus(t *testing.T) {
	const took = 5 * time.Second
	d := repotest.New(t)
	d.Write("a.go", "x")
	d.Commit("first")
	r, err := OpenRepo(t.Context(), d.Dir, d.Env)
	fault.Check(t, errors.Join(err, os.Chtimes(d.Path("a.go"), time.Unix(1, 0), time.Unix(1, 0))))
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := NewWatcher(r, testOptions(r, WatchOptions{Poll: true,
			Files: func() []event.Path { return []event.Path{"a.go"} }}))
		var ended time.Time
		calls := 0
		w.differing = func(context.Context) (map[event.Path]bool, error) {
			if calls++; calls > 1 && time.Since(ended) < 4*took {
				t.Errorf("a pause of %v after a git status of %v", time.Since(ended), took)
			}
			<-time.After(took) // in a synctest bubble
			ended = time.Now()
			return nil, nil
		}
		done := make(chan error)
		go func() { done <- w.Run(ctx, func([]event.Event) {}, func() {}) }()
		<-w.ready
		for range 240 {
			w.Nudge()
			<-time.After(500 * time.Millisecond) // in a synctest bubble
		}
		cancel()
		if err := <-done; err != nil || calls < 2 {
			t.Errorf("%v; git status ran %d times", err, calls)
		}
	})
}
