package log

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/eventtest"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// recorder is a consumer that keeps what it got.
type recorder struct {
	name  string
	apply func(events []event.Event) error // nil: keeps it

	mu      sync.Mutex
	applied int64
	got     map[int64][]event.Event
}

func newRecorder(name string) *recorder { return &recorder{name: name, got: map[int64][]event.Event{}} }

func (r *recorder) Name() string { return r.name }

func (r *recorder) Applied() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.applied
}

func (r *recorder) Apply(_ context.Context, seq int64, events []event.Event) error {
	if r.apply != nil {
		if err := r.apply(events); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if seq <= r.applied {
		return fmt.Errorf("batch %d after %d", seq, r.applied)
	}
	r.applied, r.got[seq] = seq, slices.Clone(events)
	return nil
}

func (r *recorder) Flush(context.Context) (int64, error) { return 0, nil } // nothing of it is on disk

// logged writes three batches of events of many kinds through an event log to consumers.
func logged(t *testing.T, db *cold.DB, alert *slog.Logger, list ...Follower) {
	t.Helper()
	l := New(db, time.Now, slog.New(slog.DiscardHandler), alert, list...)
	ctx, end := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = l.Run(ctx) })
	at := time.Now()
	for batch := range 3 {
		var events []event.Event
		for i, k := range []event.Kind{event.KindRead, event.KindPrompt, event.KindEdit, event.KindFailed,
			event.KindFeedback, event.KindSetting, event.KindCommit, event.KindUncommit, event.KindRename,
			event.KindHint, event.KindTick} {
			id := fmt.Sprint(batch, i)
			if k == event.KindCommit || k == event.KindUncommit {
				id = fmt.Sprintf("%s:%040x", k, batch)
			}
			events = append(events, event.Event{ID: id, Time: at, Agent: "test", Session: "s", Subagent: "sub",
				Turn: "t",
				Body: eventtest.Fill(k, eventtest.Fields{"Paths": []event.Path{"a.go", "b.go"},
					"To": []event.Path{"a.go", "b.go"}, "Tool": "Read", "Batch": "b", "From": []event.Path{"c.go",
						"d.go"}, "Named": []event.Path{"e.go"}, "Seen": []event.Path{"f.go"}, "Listing": true,
					"Terms": []string{"marmalade"}, "Tags": []string{"go"}, "Scores": []float64{.5, .25},
					"Text": "fix the marmalade", "Name": "start", "Status": "shown", "Cause": "x", "Author": at,
					"Tokens": 3, "Offset": 4, "Value": ".5"})})
		}
		if _, err := l.Append(t.Context(), events); err != nil {
			t.Fatal(err)
		}
	}
	end()
	running.Wait()
}

func newLog(t *testing.T) *cold.DB {
	t.Helper()
	db, err := cold.Open(t.Context(), filepath.Join(t.TempDir(), "aoa.db"), cold.Options{Now: time.Now})
	fault.Check(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// TestReplayIsLive: a consumer gets after a restart, from the log, exactly what it got live, batch by batch.
func TestReplayIsLive(t *testing.T) {
	t.Parallel()
	db, log := newLog(t), slog.New(slog.DiscardHandler)
	live, replayed := newRecorder("recorder"), newRecorder("recorder")
	logged(t, db, log, live)
	events, last, err := New(db, time.Now, log, log, replayed).Replay(t.Context())
	if err != nil || events != 33 || last != live.Applied() {
		t.Errorf("%d events up to batch %d, %v", events, last, err)
	}
	fault.Same(t, "batches, replayed", replayed.got, live.got)
}

// TestConsumerFails: a consumer that fails or panics gets nothing more and is named in the warnings. The others go on,
// and the next start gives it what it missed.
func TestConsumerFails(t *testing.T) {
	t.Parallel()
	for what, fail := range map[string]func() error{
		"error": func() error { return errors.New("the consumer is broken") },
		"panic": func() error { panic("the consumer is broken") },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			good, bad := newRecorder("good"), newRecorder("bad")
			calls := 0
			bad.apply = func([]event.Event) error {
				if calls++; calls == 2 {
					return fail()
				}
				return nil
			}
			var warned strings.Builder
			db, log := newLog(t), slog.New(slog.NewTextHandler(t.Output(), nil))
			logged(t, db, slog.New(slog.NewTextHandler(&warned, nil)), bad, good)
			if text := warned.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "consumer=bad") {
				t.Errorf("the warnings are %q", text)
			}
			if len(bad.got) != 1 || len(good.got) != 3 || calls != 2 {
				t.Fatalf("the broken one has %d batches after %d calls, the other %d", len(bad.got), calls, len(good.got))
			}
			if _, _, err := New(db, time.Now, log, log, bad, good).Replay(t.Context()); err != nil {
				t.Fatal(err)
			}
			fault.Same(t, "after a restart, repaired", bad.got, good.got)
		})
	}
}
