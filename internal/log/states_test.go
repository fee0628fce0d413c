package log

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/scripts/eventtest"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// firstOpens is a consumer with a state of its own: how many files each session has opened for the first time.
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
	log   *slog.Logger
	dir   string
	seal  *cold.Seal
	db    *cold.DB
	blobs *cold.Blobs
}

func newKept(t *testing.T) *kept {
	t.Helper()
	k := &kept{T: t, log: slog.New(slog.NewTextHandler(t.Output(), nil)), dir: t.TempDir()}
	var err error
	k.seal, err = cold.OpenSeal(cold.SealOptions{Identity: filepath.Join(k.dir, "identity"),
		Keys: filepath.Join(k.dir, "keys"), Log: k.log})
	fault.Check(t, err)
	k.db, err = cold.Open(t.Context(), filepath.Join(k.dir, "aoa.db"), cold.Options{Now: clock, Log: k.log, Seal: k.seal})
	fault.Check(t, err)
	k.openBlobs("cache.db")
	t.Cleanup(func() { fault.Check(t, errors.Join(k.db.Close(), k.blobs.Close())) })
	return k
}

func (k *kept) openBlobs(name string) {
	k.blobs = cold.NewBlobs(cold.BlobOptions{Path: filepath.Join(k.dir, name), Now: clock, Seal: k.seal, Log: k.log})
}

// dropBlobs loses the snapshot.
func (k *kept) dropBlobs() {
	k.Helper()
	fault.Check(k, k.blobs.Close())
	k.openBlobs("other.db")
}

// begin starts with what is in the store.
func (k *kept) begin(fresh func(now func() time.Time) *States) (*Fold, *Log) {
	k.Helper()
	s := &Fold{fresh: fresh, o: Options{Kept: cold.NewSnapshot(k.db, k.blobs, "scores"), Now: clock, Log: k.log,
		Alert: k.log, Count: uncounted{}}}
	fault.Check(k, s.load(k.Context()))
	l := New(k.db, clock, k.log, k.log, s)
	s.Begin(l)
	_, _, err := l.Replay(k.Context())
	fault.Check(k, err)
	return s, l
}

// TestAConsumerIsOneLine: a consumer that is added to the states gets every event with what it changed, is saved with
// the others at one position, and is the same after a restart, from its snapshot and from the whole log.
func TestAConsumerIsOneLine(t *testing.T) {
	k := newKept(t)
	var toy firstOpens
	begin := func() (*Fold, *Log) {
		return k.begin(func(now func() time.Time) *States {
			made := newStates(now)
			toy = firstOpens{}
			made.consumers = append(made.consumers, toy) // the line
			return made
		})
	}
	s, l := begin()
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	for i, f := range []event.Path{"a.go", "b.go", "a.go"} {
		l.Add(event.Event{ID: string(rune('a' + i)), Time: eventtest.Start, Agent: "test", Session: "s",
			Body: event.Call{Act: event.ActRead, Paths: []event.Path{f}}})
	}
	l.Sync(t.Context())
	fault.Check(t, l.Save(t.Context()))
	end()
	if err := <-ended; err != nil || toy["s"] != 2 || s.Applied() != l.Kept() {
		t.Errorf("%v: the consumer counted %v, batch %d is applied, %d kept", err, toy, s.Applied(), l.Kept())
	}
	if s, _ := begin(); toy["s"] != 2 || s.Applied() == 0 {
		t.Errorf("from the snapshot: %v", toy)
	}
	k.dropBlobs()
	if begin(); toy["s"] != 2 {
		t.Errorf("from the whole log: %v", toy)
	}
}

// TestWhatWasForgottenIsNotSaved: states that hold what was forgotten are not written, and the log keeps all that the
// next start has to read.
func TestWhatWasForgottenIsNotSaved(t *testing.T) {
	s, l := newKept(t).begin(newStates)
	ctx, end := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = l.Run(ctx) })
	_, err := l.Append(t.Context(), []event.Event{{ID: "a", Time: eventtest.Start, Agent: "test", Body: event.Tick{}}})
	fault.Check(t, err)
	l.Sync(t.Context())
	fault.Check(t, l.Save(t.Context()))
	if l.Kept() == 0 || l.Kept() != s.Applied() {
		t.Errorf("batch %d is applied, %d kept", s.Applied(), l.Kept())
	}
	fault.Check(t, l.Exclusive(t.Context(), func() (bool, error) { return true, nil }))
	fault.Check(t, l.Save(t.Context()))
	if !l.Void() || l.Kept() != 0 {
		t.Errorf("after forgetting: batch %d counts as kept", l.Kept())
	}
	end()
	running.Wait()
}

type uncounted struct{}

func (uncounted) Learned(int, time.Duration) {}
