package daemon_test

import (
	"context"
	"database/sql"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/fault"
	"github.com/aoa-dev/aoa/scripts/hooktest"
)

// heard passes records on and tells of one whose message begins like that.
type heard struct {
	slog.Handler
	begin string
	tell  chan<- struct{}
}

func (h heard) Handle(ctx context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, h.begin) {
		select {
		case h.tell <- struct{}{}:
		default:
		}
	}
	return h.Handler.Handle(ctx, r)
}

// TestIdleKeepsWhatWaits: a daemon that is idle does not end while events wait that could not be written. It ends once
// they are.
func TestIdleKeepsWhatWaits(t *testing.T) {
	t.Parallel()
	d := newFixture(t, "AOA_IDLE_TIMEOUT=1h")
	waits, goesOn := make(chan struct{}, 1), make(chan struct{}, 1)
	d.o.Log = slog.New(heard{heard{d.o.Log.Handler(), "events wait in memory", waits}, "idle, but", goesOn})
	d.start()
	d.until("the history is read", func() bool { return call(d, api.Status, api.None{}).Import.State == "done" })
	file := filepath.Join(d.o.Place.Store, "aoa.db")
	other, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(5000)") // the daemon may be writing just now
	fault.Check(t, err)
	defer other.Close()
	held, err := other.Conn(t.Context())
	if err == nil {
		_, err = held.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	}
	fault.Check(t, err)
	root := string(d.o.Repo.Root)
	_, err = hooktest.Send(t.Context(), d.o.Place, api.Hook{Agent: "claude", Dir: root, Payload: []byte(`{"session_id":"s","cwd":"` + root +
		`","hook_event_name":"PostToolUse","tool_name":"Read","tool_use_id":"t1","tool_input":{"file_path":"` + root +
		`/a.go"},"tool_response":{"type":"text"}}`)})
	fault.Check(t, err)
	<-waits
	d.late.Store(int64(2 * time.Hour))
	select {
	case <-goesOn:
	case err := <-d.done:
		d.done <- err
		t.Errorf("it ended: %v", err)
	}
	if _, err := held.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	fault.Check(t, held.Close())
	d.ended()
	db, err := cold.Open(t.Context(), file, cold.Options{Now: time.Now})
	fault.Check(t, err)
	defer db.Close()
	if events, err := db.Log(t.Context(), cold.LogFilter{Kinds: []event.Kind{event.KindRead}, Limit: 10}); err != nil ||
		len(events) != 1 {
		t.Errorf("of one event that waited %d are there: %v", len(events), err)
	}
}

// TestEndedBeforeTheLockIsFree: what a daemon does at its end it does before the next daemon can begin, so it undoes
// nothing of the next one's.
func TestEndedBeforeTheLockIsFree(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	called := false
	d.o.Ended = func() {
		called = true
		if free, err := flock.New(d.o.Place.Lock()).TryLock(); free || err != nil {
			t.Errorf("the lock is free: %v, %v", free, err)
		}
	}
	d.start()
	d.stop()
	if !called {
		t.Error("Ended was not called")
	}
}
