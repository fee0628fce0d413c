package fold

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/eventlog"
	"github.com/aoa-dev/aoa/internal/session/live"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// firstOpens is a consumer with a state of its own: how many files each session has opened for the first time.
type firstOpens map[string]int

func (f firstOpens) Apply(e event.Event, _ *live.Session, d live.Delta) {
	if d.First() {
		f[e.Session]++
	}
}

func (f firstOpens) Snapshot() ([]byte, error) { return json.Marshal(f) }

func (f firstOpens) Restore(saved []byte) error { return json.Unmarshal(saved, &f) }

// TestAConsumerIsOneLine: a consumer that is added to the states gets every event with what it changed, is saved with
// the others at one position, and is the same after a restart, from its snapshot and from the whole log.
func TestAConsumerIsOneLine(t *testing.T) {
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	dir := t.TempDir()
	seal, err := cold.OpenSeal(cold.SealOptions{Identity: filepath.Join(dir, "identity"), Keys: filepath.Join(dir, "keys"),
		Log: log})
	fault.Check(t, err)
	db, err := cold.Open(t.Context(), filepath.Join(dir, "aoa.db"), cold.Options{Now: time.Now, Log: log, Seal: seal})
	fault.Check(t, err)
	defer db.Close()
	blobs := cold.NewBlobs(cold.BlobOptions{Path: filepath.Join(dir, "cache.db"), Now: time.Now, Seal: seal, Log: log})
	defer blobs.Close()
	var toy firstOpens
	begin := func() (*Fold, *eventlog.Log) {
		s := &Fold{o: Options{Kept: cold.NewSnapshot(db, blobs, "scores"), Now: time.Now, Log: log, Alert: log,
			Count: uncounted{}}}
		s.fresh = func(now func() time.Time) *States {
			made := newStates(now)
			toy = firstOpens{}
			made.consumers = append(made.consumers, toy) // the line
			return made
		}
		fault.Check(t, s.load(t.Context()))
		l := eventlog.New(db, time.Now, log, log, s)
		s.Begin(l)
		if _, _, err := l.Replay(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s, l
	}
	s, l := begin()
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	for i, f := range []event.Path{"a.go", "b.go", "a.go"} {
		l.Add(event.Event{ID: string(rune('a' + i)), Time: time.Now(), Agent: "test", Session: "s",
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
	fault.Check(t, blobs.Close())
	blobs = cold.NewBlobs(cold.BlobOptions{Path: filepath.Join(dir, "other.db"), Now: time.Now, Seal: seal, Log: log})
	defer blobs.Close()
	if begin(); toy["s"] != 2 {
		t.Errorf("from the whole log: %v", toy)
	}
}

type uncounted struct{}

func (uncounted) Learned(int, time.Duration) {}
