package watcher

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// patience is how long a test waits for what must come; a loaded machine needs most of it.
const patience = time.Minute

// testOptions fills in what a test does not set.
func testOptions(r *Repo, o WatchOptions) WatchOptions {
	o.Quiet, o.AtMost, o.Now = 100*time.Millisecond, 2*time.Second, time.Now
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Files == nil {
		o.Files = func() []event.Path {
			files, _ := r.Files(context.Background())
			return files
		}
	}
	return o
}

// watching is a running watcher and what it emitted so far.
type watching struct {
	t      testing.TB
	d      *repotest.Repo
	w      *Watcher
	events chan []event.Event
	heads  chan struct{}
	done   chan error
	cancel context.CancelFunc
	seen   []event.Event
	marks  int
}

// open is the repository as the program has it.
func open(d *repotest.Repo) *Repo {
	d.Helper()
	return fault.Must(OpenRepo(context.Background(), d.Dir, d.Env))
}

// watch starts a watcher that ends with the test.
func watch(d *repotest.Repo, o WatchOptions, with ...func(*Watcher)) *watching {
	d.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := open(d)
	w := NewWatcher(r, testOptions(r, o))
	for _, set := range with {
		set(w)
	}
	s := &watching{t: d, d: d, w: w, cancel: cancel, events: make(chan []event.Event, 100_000),
		heads: make(chan struct{}, 100_000), done: make(chan error, 1)}
	go func() {
		s.done <- w.Run(ctx, func(b []event.Event) { s.events <- b }, func() { s.heads <- struct{}{} })
	}()
	d.Cleanup(func() {
		cancel()
		<-s.done
		close(s.done)
	})
	select {
	case <-w.ready:
	case err := <-s.done:
		d.Fatalf("Run ended at once: %v", err)
	case <-time.After(patience):
		d.Fatal("not ready in time")
	}
	return s
}

// until collects events until enough is true. It nudges the watcher, as hooks do.
func (s *watching) until(what string, enough func() bool) {
	s.t.Helper()
	nudge := time.NewTicker(100 * time.Millisecond) // load
	deadline := time.After(patience)
	defer nudge.Stop()
	for !enough() {
		select {
		case batch := <-s.events:
			s.seen = append(s.seen, batch...)
		case <-nudge.C:
			s.w.Nudge()
		case <-deadline:
			s.t.Fatalf("no %s in time; seen: %s", what, strings.Join(s.summary(), ", "))
		}
	}
}

// mark saves one more file and waits until it is reported: what came before it has been reported as
// well.
func (s *watching) mark() {
	s.t.Helper()
	s.marks++
	name := fmt.Sprintf("mark%d.txt", s.marks)
	s.d.Write(name, name)
	s.until(name, func() bool { return slices.Contains(s.summary(), "save "+name) })
	// A busy machine reports a mark twice, when it was made and when it was written.
	s.seen = slices.DeleteFunc(s.seen, func(e event.Event) bool {
		return e.Kind() == event.KindSave && strings.HasPrefix(string(e.Paths()[0]), "mark")
	})
}

// summary lists what was seen as "kind path".
func (s *watching) summary() []string {
	var out []string
	for _, e := range s.seen {
		switch {
		case e.Kind() == event.KindCheckout:
			name := e.Body.(event.Checkout).Name
			if len(name) == 40 {
				name = "of a commit"
			}
			out = append(out, "checkout "+name)
		case many(e) > 0:
			out = append(out, fmt.Sprintf("bulk %s of %d", e.Kind(), len(e.Paths())))
		case e.Kind() == event.KindRename:
			for i := range e.Paths() {
				out = append(out, fmt.Sprintf("rename %s %s", e.From()[i], e.Paths()[i]))
			}
		default:
			out = append(out, string(e.Kind())+" "+string(e.Paths()[0]))
		}
	}
	slices.Sort(out)
	return out
}

// expect compares all that was seen since the last time, after a mark.
func (s *watching) expect(want ...string) {
	s.t.Helper()
	s.mark()
	slices.Sort(want)
	fault.Same(s.t, "saw", strings.Join(s.summary(), "\n"), strings.Join(want, "\n"))
	s.seen = nil
}

func (s *watching) awaitHead() {
	s.t.Helper()
	select {
	case <-s.heads:
	case <-time.After(patience):
		s.t.Fatal("head was not called")
	}
}

// many is how many files an event about many is about.
func many(e event.Event) int {
	switch b := e.Body.(type) {
	case event.Save:
		return b.Files
	case event.Delete:
		return b.Files
	}
	return 0
}
