package log

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestAQuestionLeavesALongWrite: a question that finds events that are not written yet waits for them no longer than
// its deadline, and they are written all the same.
func TestAQuestionLeavesALongWrite(t *testing.T) {
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	db, err := cold.Open(t.Context(), filepath.Join(t.TempDir(), "aoa.db"), cold.Options{Now: time.Now, Log: log})
	fault.Check(t, err)
	defer db.Close()
	l := New(db, time.Now, log, log)
	writing, goOn := make(chan struct{}), make(chan struct{})
	var other sync.WaitGroup
	other.Go(func() { // keeps the file locked
		err := db.Write(context.WithoutCancel(t.Context()), "wait", func(*cold.Tx) error {
			close(writing)
			<-goOn
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	defer other.Wait()
	<-writing
	l.Add(event.Event{ID: "1", Time: time.Now(), Agent: "watch", Body: event.Delete{Paths: []event.Path{"a.go"}}})
	guard, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	deadline, over := context.WithCancel(t.Context())
	synced := make(chan struct{})
	go func() {
		defer close(synced)
		l.Sync(deadline)
	}()
	over()
	select {
	case <-synced:
	case <-guard.Done():
		t.Error("the question waits for the write beyond its deadline")
	}
	close(goOn)
	<-synced
	fault.Check(t, l.Flush(t.Context()))
	if events, err := db.Log(t.Context(), cold.LogFilter{Limit: 5}); err != nil || len(events) != 1 {
		t.Errorf("%d events written, want 1: %v", len(events), err)
	}
}

// TestMisdated: events with impossible dates are logged with possible ones, and counted.
func TestMisdated(t *testing.T) {
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	l := New(newLog(t), time.Now, log, log)
	commit := func(id string, author int64) event.Event {
		return event.Event{ID: "commit:" + id, Time: time.Now(), Agent: "git", Body: event.Commit{Author: time.Unix(author, 0)}}
	}
	fresh, err := l.Append(t.Context(), []event.Event{commit("a", 1), commit("b", 253402300800), commit("c", 2)})
	l.Add(event.Event{ID: "d", Time: time.Unix(-1, 0), Agent: "watch", Body: event.Save{}})
	fault.Check(t, errors.Join(err, l.Flush(t.Context())))
	if n := l.Misdated(); fresh != 3 || n != 2 {
		t.Errorf("%d events are new, %d had impossible dates", fresh, n)
	}
}
