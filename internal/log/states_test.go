package log

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

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
	return keptIn(t, t.TempDir())
}

func keptIn(t *testing.T, dir string) *kept {
	t.Helper()
	k := &kept{T: t, clock: clock, log: slog.New(slog.NewTextHandler(t.Output(), nil)), dir: dir}
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
	k.blobs = cold.NewBlobs(cold.BlobOptions{Path: filepath.Join(k.dir, name), Now: clock, Seal: k.seal, Log: k.log})
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
	_, err := l.Replay(k.Context())
	fault.Check(k, err)
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

// TestAConsumerIsOneLine: a consumer that is added to the states gets every event with what it
// changed, is saved with the others at one position, and is the same after a restart, from its
// snapshot and from the whole log.
func TestAConsumerIsOneLine(t *testing.T) {
	k := newKept(t)
	var toy firstOpens
	begin := func() *Log {
		toy = firstOpens{}
		return k.begin(toy)
	}
	l := begin()
	end := k.running(l)
	for i, f := range []event.Path{"a.go", "b.go", "a.go"} {
		l.Add(event.Event{ID: string(rune('a' + i)), Time: eventtest.Start, Agent: "test", Session: "s",
			Body: event.Call{Act: event.ActRead, Paths: []event.Path{f}}})
	}
	fault.Check(t, l.Flush(t.Context()))
	fault.Check(t, l.Save(t.Context()))
	end()
	if toy["s"] != 2 || l.Position() != l.Kept() || l.Kept() == 0 {
		t.Errorf("the consumer counted %v, batch %d is applied, %d kept", toy, l.Position(), l.Kept())
	}
	if l := begin(); toy["s"] != 2 || l.Position() == 0 {
		t.Errorf("from the snapshot: %v", toy)
	}
	k.dropBlobs()
	if begin(); toy["s"] != 2 {
		t.Errorf("from the whole log: %v", toy)
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

// TestPanic: an event that makes a consumer panic is passed over and told of. Those around it are
// learned.
func TestPanic(t *testing.T) {
	k := newKept(t)
	var warned strings.Builder
	k.log = slog.New(slog.NewTextHandler(&warned, nil))
	l := k.begin(panicker{"bad"}, firstOpens{})
	opens := l.consumers[len(l.consumers)-1].(firstOpens)
	end := k.running(l)
	for _, id := range []string{"first", "bad", "last"} {
		_, err := l.Append(t.Context(), []event.Event{{ID: id, Time: eventtest.Start, Session: "s",
			Body: event.Call{Act: event.ActRead, Paths: []event.Path{event.Path(id)}}}})
		fault.Check(t, err)
	}
	end()
	fault.Same(t, "opens that came behind the one that panicked", opens["s"], 2)
	if text := warned.String(); strings.Count(text, "passed over") != 1 || !strings.Contains(text, "event=bad") {
		t.Errorf("the warnings are %q", text)
	}
}

type uncounted struct{}

func (uncounted) Learned(int, time.Duration) {}
