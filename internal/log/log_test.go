package log

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// recorder is a consumer that keeps what it got since it was empty.
type recorder struct {
	mu  sync.Mutex
	got []event.Event
}

func (r *recorder) Apply(e event.Event, _ *session.Session, _ session.Delta) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, e)
}

func (r *recorder) Snapshot() ([]byte, error) { return nil, fmt.Errorf("it is not saved") }

func (r *recorder) Restore([]byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = nil
	return nil
}

func (r *recorder) ids() (ids []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.got {
		ids = append(ids, e.ID)
	}
	return ids
}

func deleted(id string) event.Event {
	return event.Event{ID: id, Time: eventtest.Start, Agent: "watch", Body: event.Delete{Paths: []event.Path{"a.go"}}}
}

type counted func()

func (f counted) Learned(int, time.Duration) { f() }

// TestAddedWhileForgetting: what is added while something is forgotten is durable before that is
// done, and is known afterwards, once.
func TestAddedWhileForgetting(t *testing.T) {
	k := newKept(t)
	got := &recorder{}
	l := k.begin(got)
	var learning atomic.Int64 // batches that are still to be learned until something is added
	learning.Store(1000)
	late := false // belongs to Run
	l.o.Now = func() time.Time {
		if late {
			return clock().Add(time.Hour)
		}
		return clock()
	}
	l.o.Count = counted(func() {
		switch learning.Add(-1) {
		case 0:
			l.Add(deleted("added"))
			late = true
		case -1:
			known, err := k.db.Log(context.WithoutCancel(t.Context()), cold.LogFilter{})
			if err != nil || len(known) != 4 {
				t.Errorf("while it learns again the log has %v, %v", known, err)
			}
		}
	})
	end := k.running(l)
	k.append(l, deleted("a"), deleted("b"), deleted("c"),
		event.Event{ID: "secret", Time: eventtest.Start, Session: "gone", Body: event.Prompt{}})
	learning.Store(2) // the second batch, when it is learned again
	gone := fault.Must(l.Forget(t.Context(), cold.ForgetFilter{Session: "gone"}))
	fault.Same(t, "gone", len(gone.Events), 1)
	fault.Check(t, l.Flush(t.Context()))
	fault.Same(t, "known", got.ids(), []string{"a", "b", "c", "added"})
	if !k.db.HasCopy() || l.Status().Forgetting {
		t.Error("there is no new copy, or it still forgets")
	}
	end()
}

// TestNoSnapshotWhileForgetting: before anything is deleted, a snapshot that is being written is
// there and dropped, and the log keeps all that the next start has to read.
func TestNoSnapshotWhileForgetting(t *testing.T) {
	k := newKept(t)
	l := k.begin()
	defer k.running(l)()
	k.append(l, deleted("a"))
	fault.Check(t, l.ask(t.Context(), func(ctx context.Context) error {
		l.save(ctx)
		_, err := l.delete(ctx, func(ctx context.Context) (gone cold.Forgotten, err error) {
			_, at, err := l.o.Kept.Load(ctx)
			if saved := l.Status().Saved; saved.IsZero() || at != 0 || l.Status().Kept != 0 {
				t.Errorf("a snapshot was written: %v; one is kept of batch %d, or of %d", !saved.IsZero(), at, l.Status().Kept)
			}
			return gone, err
		})
		return err
	}))
}

// firstOpens is a consumer with a state of its own: how many files each session has opened for the
// first time.
type firstOpens map[string]int

func (f firstOpens) Apply(e event.Event, _ *session.Session, d session.Delta) {
	if d.First() {
		f[e.Session]++
	}
}

func (f firstOpens) Snapshot() ([]byte, error) { return json.Marshal(f) }

func (f firstOpens) Restore(saved []byte) error { return json.Unmarshal(saved, &f) }

// clock is a time after every sequence.
func clock() time.Time { return eventtest.Start.AddDate(0, 1, 0) }

// kept is a store whose log is folded.
type kept struct {
	*testing.T
	clock func() time.Time
	log   *slog.Logger
	dir   string
	seal  *cold.Seal
	db    *cold.DB
	blobs *cold.Blobs
}

func newKept(t *testing.T) *kept {
	t.Helper()
	k := &kept{T: t, clock: clock, log: slog.New(slog.NewTextHandler(t.Output(), nil)), dir: t.TempDir()}
	var err error
	k.seal, err = cold.OpenSeal(filepath.Join(k.dir, "key"))
	fault.Check(t, err)
	k.db, err = cold.Open(t.Context(), filepath.Join(k.dir, "aoa.db"), cold.Options{Now: clock, Log: k.log, Seal: k.seal})
	fault.Check(t, err)
	k.openBlobs("cache.db")
	t.Cleanup(func() { fault.Check(t, errors.Join(k.db.Close(), k.blobs.Close())) })
	return k
}

func (k *kept) openBlobs(name string) {
	k.blobs = fault.Must(cold.OpenBlobs(k.Context(), filepath.Join(k.dir, name),
		cold.Options{Now: clock, Seal: k.seal, Log: k.log}))
}

// dropBlobs loses the snapshot.
func (k *kept) dropBlobs() {
	k.Helper()
	fault.Check(k, k.blobs.Close())
	k.openBlobs("other.db")
}

// begin starts with what is in the store.
func (k *kept) begin(more ...Consumer) *Log {
	k.Helper()
	o := k.options()
	l := newLog(newStates(o), o)
	l.consumers = append(l.consumers, more...)
	fault.Check(k, l.load(k.Context()))
	fault.Must(l.Replay(k.Context()))
	return l
}

func (k *kept) options() Options {
	return Options{DB: k.db, Blobs: k.blobs, Kept: cold.NewSnapshot(k.db, k.blobs, "states"), Now: k.clock, Log: k.log,
		Alert: k.log, Count: uncounted{}, EndsTurns: func(string) bool { return true }}
}

// running runs a log until end is called, which returns when all is written.
func (k *kept) running(l *Log) (end func()) {
	ctx, stop := context.WithCancel(context.WithoutCancel(k.Context()))
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	return func() {
		stop()
		fault.Check(k, <-ended)
	}
}

// append has a running log write events, each a batch.
func (k *kept) append(l *Log, events ...event.Event) {
	k.Helper()
	for _, e := range events {
		fault.Must(l.Append(k.Context(), []event.Event{e}))
	}
}

// panicker panics at an event.
type panicker struct{ at string }

func (p panicker) Apply(e event.Event, _ *session.Session, _ session.Delta) {
	if e.ID == p.at {
		panic("the consumer is broken")
	}
}
func (panicker) Snapshot() ([]byte, error) { return nil, nil }
func (panicker) Restore([]byte) error      { return nil }

// TestPanic: an event that makes a consumer panic is passed over and reported. Those around it are
// learned.
func TestPanic(t *testing.T) {
	k := newKept(t)
	var warned strings.Builder
	k.log = slog.New(slog.NewTextHandler(&warned, nil))
	l := k.begin(panicker{"bad"}, firstOpens{})
	opens := l.consumers[len(l.consumers)-1].(firstOpens)
	end := k.running(l)
	k.append(l, read("first", "s", "first"), read("bad", "s", "bad"), read("last", "s", "last"))
	end()
	fault.Same(t, "opens that came behind the one that panicked", opens["s"], 2)
	fault.Same(t, "a request after the end", l.Flush(t.Context()), ErrStopping, cmpopts.EquateErrors())
	if text := warned.String(); strings.Count(text, "passed over") != 1 || !strings.Contains(text, "event=bad") {
		t.Errorf("the warnings are %q", text)
	}
}

type uncounted struct{}

func (uncounted) Learned(int, time.Duration) {}
