package log

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// told has the warnings of a store written to a text.
func (k *kept) told() *strings.Builder {
	told := &strings.Builder{}
	k.log = slog.New(slog.NewTextHandler(told, nil))
	return told
}

// TestASnapshotThatFails is told of by Save and Saved and in the log, the one before is kept, and
// the next is tried.
func TestASnapshotThatFails(t *testing.T) {
	k := newKept(t)
	told, broken := k.told(), &recorder{} // which cannot be saved
	l := k.begin(broken)
	defer k.running(l)()
	_, err := l.Append(t.Context(), many(0, 1))
	fault.Check(t, err)
	saved := l.Save(t.Context())
	if at, err := l.Saved(); saved == nil || !errors.Is(err, saved) || !at.IsZero() || l.Kept() != 0 {
		t.Errorf("save: %v, saved at %v: %v, batch %d", saved, at, err, l.Kept())
	}
	fault.Same(t, "warnings", strings.Count(told.String(), "snapshot not written"), 1)
	fault.Check(t, l.ask(t.Context(), func(context.Context) error { l.consumers = l.consumers[:3]; return nil }))
	fault.Check(t, l.Save(t.Context()))
	if at, err := l.Saved(); err != nil || !at.Equal(clock()) || l.Kept() != l.Position() {
		t.Errorf("saved at %v: %v, batch %d of %d", at, err, l.Kept(), l.Position())
	}
	// A log with other states does not take it.
	again := k.begin(broken)
	fault.Same(t, "a snapshot of other states", strings.Count(told.String(), "the snapshot was damaged"), 1)
	fault.Same(t, "replayed", []any{again.Position(), again.Kept(), broken.ids()},
		[]any{l.Position(), int64(0), []string{"0", "0"}})
}

// TestOneSnapshotAtATime: two snapshots are written one after the other, the newer one last.
func TestOneSnapshotAtATime(t *testing.T) {
	k := newKept(t)
	l := k.begin()
	defer k.running(l)()
	fault.Check(t, l.ask(t.Context(), func(ctx context.Context) error {
		for _, e := range many(0, 2) {
			if _, err := l.append(ctx, []event.Event{e}, nil); err != nil {
				return err
			}
			before := l.saving
			l.save(ctx)
			select {
			case <-before:
			default:
				if before != nil {
					t.Error("two snapshots are written at once")
				}
			}
		}
		return nil
	}))
	fault.Check(t, l.Save(t.Context()))
	fault.Same(t, "kept", l.Kept(), l.Position())
}

// TestForgettingThatFails says what is left: nothing is forgotten if the first store refuses.
func TestForgettingThatFails(t *testing.T) {
	k := newKept(t)
	got, refuses := &recorder{}, errors.New("refused")
	l := k.begin(got)
	l.o.Elsewhere = func(context.Context, cold.ForgetFilter) error { return refuses }
	defer k.running(l)()
	_, err := l.Append(t.Context(), []event.Event{read("1", "s", "a.go"), read("2", "t", "b.go")})
	fault.Check(t, err)
	if _, err := l.Forget(t.Context(), cold.ForgetFilter{}); err == nil {
		t.Error("nothing was named, and it was forgotten")
	}
	gone, err := l.Forget(t.Context(), cold.ForgetFilter{Session: "s"})
	if !errors.Is(err, refuses) || !strings.Contains(err.Error(), "not forgotten") || gone.Any() || l.Forgetting() {
		t.Errorf("forget: %v, %v", gone, err)
	}
	fault.Same(t, "known", got.ids(), []string{"1", "2"})
	refuses = nil
	gone, err = l.Forget(t.Context(), cold.ForgetFilter{Session: "s"})
	fault.Check(t, err)
	fault.Same(t, "forgotten", []any{len(gone.Events), got.ids(), l.Unscrubbed()}, []any{1, []string{"2"}, error(nil)})
}

func read(id, session string, path event.Path) event.Event {
	e := deleted(id)
	e.Session, e.Body = session, event.Call{Act: event.ActRead, Paths: []event.Path{path}}
	return e
}

// TestPrune deletes only what a snapshot contains, and says what it deleted.
func TestPrune(t *testing.T) {
	k := newKept(t)
	told := k.told()
	l := k.begin()
	defer k.running(l)()
	_, err := l.Append(t.Context(), many(0, 3))
	fault.Check(t, err)
	left := func(want int, said string) {
		t.Helper()
		fault.Check(t, l.Prune(t.Context(), 0))
		events, err := k.db.Log(t.Context(), cold.LogFilter{})
		if err != nil || len(events) != want || !strings.Contains(told.String()+"nothing", said) {
			t.Errorf("%d events are left, want %d: %v; said: %s", len(events), want, err, told)
		}
	}
	left(3, "nothing")
	fault.Check(t, l.Save(t.Context()))
	left(0, "events=3 of_peers=0")
	left(0, "nothing")
	fault.Same(t, "said", strings.Count(told.String(), "log pruned"), 1)
}
