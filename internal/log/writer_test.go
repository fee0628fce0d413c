package log

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// inBubble gives a store in a bubble of synctest, whose clock is the log's, and the texts of its
// warnings.
func inBubble(t *testing.T, do func(t *testing.T, k *kept, warned *strings.Builder)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		k, warned := newKept(t), &strings.Builder{}
		k.clock, k.log = time.Now, slog.New(slog.NewTextHandler(warned, nil))
		do(t, k, warned)
	})
}

// many are n events, the first of which has the number from.
func many(from, n int) (out []event.Event) {
	for i := range n {
		out = append(out, deleted(fmt.Sprint(from+i)))
	}
	return out
}

// TestWhenABatchIsWritten: what is added is written together when the first of it is batchAge old,
// and at once when there is a full batch of it, also if Run was busy meanwhile. Whoever follows is
// called for what is new alone.
func TestWhenABatchIsWritten(t *testing.T) {
	inBubble(t, func(t *testing.T, k *kept, _ *strings.Builder) {
		got := &recorder{}
		var called atomic.Int64
		l := k.begin(got)
		l.o.After = func() { called.Add(1) }
		defer k.running(l)()
		after := func(what string, d time.Duration, known, calls int, behind time.Duration) {
			t.Helper()
			synctest.Wait()
			time.Sleep(d) // in a synctest bubble
			synctest.Wait()
			fault.Same(t, what, []any{len(got.ids()), int(called.Load()), l.Status().Behind}, []any{known, calls, behind})
		}
		after("nothing waits", time.Hour, 0, 0, 0)
		l.Add()
		after("nothing was added", time.Hour, 0, 0, 0)
		l.Add(deleted("a"))
		after("it waits", batchAge/2, 0, 0, batchAge/2)
		l.Add(deleted("b"))
		after("two wait", batchAge/4, 0, 0, 3*batchAge/4)
		after("they are written together", batchAge/4, 2, 1, 0)
		l.Add(deleted("a"))
		after("it is there already", batchAge, 2, 1, 0)
		l.Add(many(0, batchSize-1)...)
		after("a batch that is not full", 0, 2, 1, 0)
		l.Add(deleted("last"))
		after("a full batch", 0, 2+batchSize, 2, 0)
		busy := func(events ...event.Event) error {
			return l.ask(t.Context(), func(context.Context) error { l.Add(events...); return nil })
		}
		fault.Check(t, busy(deleted("c")))
		after("it came while Run was busy", batchAge, 3+batchSize, 3, 0)
		fault.Check(t, busy(many(batchSize, batchSize)...))
		after("a full batch came while Run was busy", 0, 3+2*batchSize, 4, 0)
	})
}

// TestTheDiskRefuses: events that the disk does not take wait in memory, up to a bound, and are
// written as soon as it takes them. One warning says that it began, one that it is over and what
// was lost.
func TestTheDiskRefuses(t *testing.T) {
	inBubble(t, func(t *testing.T, k *kept, warned *strings.Builder) {
		got := &recorder{}
		l := k.begin(got)
		defer k.running(l)()
		trouble := func(what string, waiting, dropped int, known int) {
			t.Helper()
			st := l.Status()
			fault.Same(t, what, []any{st.Waiting, st.Dropped, st.Failing != nil, len(got.ids())}, []any{waiting, dropped, waiting > 0, known})
		}
		k.append(l, many(0, 2)...)
		allow := k.refuse()
		if n, err := l.Append(t.Context(), many(2, 1)); n != 0 || err == nil {
			t.Errorf("%d events were appended: %v", n, err)
		}
		if err := l.AppendHistory(t.Context(), many(2, 1), nil); err == nil {
			t.Error("history was appended")
		}
		l.Add(many(2, 3)...)
		if l.Flush(t.Context()) == nil {
			t.Error("the events are said to be durable")
		}
		trouble("three wait", 3, 0, 2)
		time.Sleep(batchAge + retryEvery/2) // in a synctest bubble
		fault.Same(t, "what waits is as old as its first event", l.Status().Behind, batchAge+retryEvery/2)
		l.Add(many(5, maxPending)...) // a full batch is no reason to try again sooner
		synctest.Wait()
		trouble("the newest are dropped", maxPending, 3, 2)
		allow()
		time.Sleep(retryEvery) // in a synctest bubble
		synctest.Wait()
		trouble("all are written", 0, 0, 2+maxPending)
		fault.Same(t, "in their order", got.ids()[2:4], []string{"2", "3"})
		fault.Same(t, "behind", l.Status().Behind, time.Duration(0))
		if s := warned.String(); strings.Count(s, "cannot be written") != 1 || strings.Count(s, "written again") != 1 ||
			!strings.Contains(s, "dropped=3") {
			t.Errorf("the warnings are %s", s)
		}
	})
}

// refuse has the file of the log refuse events until allow is called.
func (k *kept) refuse() (allow func()) {
	run := func(statement string) {
		k.Helper()
		fault.Check(k, k.db.Write(k.Context(), "refuse", func(tx *cold.Tx) error {
			_, err := tx.Exec(statement)
			return err
		}))
	}
	run("CREATE TRIGGER refused BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no space'); END")
	return func() { run("DROP TRIGGER refused") }
}

// TestWhoLeavesStopsNothing: a caller that does not wait for the end of its request holds up no
// later one.
func TestWhoLeavesStopsNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, k *kept, _ *strings.Builder) {
		l := k.begin()
		defer k.running(l)()
		ctx, leave := context.WithCancel(t.Context())
		begun, goOn, done := make(chan struct{}), make(chan struct{}), false
		go func() {
			<-begun
			leave()
			synctest.Wait()
			close(goOn)
		}()
		err := l.ask(ctx, func(ctx context.Context) error { close(begun); <-goOn; done = true; return ctx.Err() })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the caller that left got %v", err)
		}
		fault.Check(t, l.ask(t.Context(), func(context.Context) error { return nil }))
		fault.Same(t, "what was begun is done", done, true)
	})
}

// TestARestReplayed: after a replay that failed, the next batch is not applied before what lies
// before it.
func TestARestReplayed(t *testing.T) {
	k := newKept(t)
	l := k.begin()
	end := k.running(l)
	k.append(l, many(0, 3)...)
	end()
	k.dropBlobs()
	got := &recorder{}
	o := k.options()
	ctx, stop := context.WithCancel(t.Context())
	o.Count = counted(stop)
	l = newLog(newStates(o), o)
	l.consumers = append(l.consumers, got)
	if _, err := l.Replay(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a replay that was stopped: %v", err)
	}
	fault.Same(t, "before", got.ids(), []string{"0"})
	defer k.running(l)()
	l.Add(many(3, 1)...)
	fault.Check(t, l.Flush(t.Context()))
	k.append(l, many(4, 1)...)
	fault.Same(t, "with the next batch", got.ids(), []string{"0", "1", "2", "3", "4"})
}

// warned has the warnings of a store written to a text.
func (k *kept) warned() *strings.Builder {
	warned := &strings.Builder{}
	k.log = slog.New(slog.NewTextHandler(warned, nil))
	return warned
}

// TestASnapshotThatFails is reported by Save and Saved and in the log, the one before is kept, and
// the next is tried.
func TestASnapshotThatFails(t *testing.T) {
	k := newKept(t)
	warned, broken := k.warned(), &recorder{} // which cannot be saved
	l := k.begin(broken)
	defer k.running(l)()
	k.append(l, many(0, 1)...)
	saved := l.Save(t.Context())
	if at, err := l.Status().Saved, l.Status().Unsaved; saved == nil || !errors.Is(err, saved) || !at.IsZero() || l.Status().Kept != 0 {
		t.Errorf("save: %v, saved at %v: %v, batch %d", saved, at, err, l.Status().Kept)
	}
	fault.Same(t, "warnings", strings.Count(warned.String(), "snapshot not written"), 1)
	fault.Check(t, l.ask(t.Context(), func(context.Context) error { l.consumers = l.consumers[:3]; return nil }))
	fault.Check(t, l.Save(t.Context()))
	if at, err := l.Status().Saved, l.Status().Unsaved; err != nil || !at.Equal(clock()) || l.Status().Kept != l.Status().Position {
		t.Errorf("saved at %v: %v, batch %d of %d", at, err, l.Status().Kept, l.Status().Position)
	}
	// A log with other states does not take it.
	again := k.begin(broken)
	fault.Same(t, "a snapshot of other states", strings.Count(warned.String(), "the snapshot was damaged"), 1)
	fault.Same(t, "replayed", []any{again.Status().Position, again.Status().Kept, broken.ids()},
		[]any{l.Status().Position, int64(0), []string{"0", "0"}})
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
	fault.Same(t, "kept", l.Status().Kept, l.Status().Position)
}

// TestForgettingThatFails says what is left: nothing is forgotten if the first store refuses.
func TestForgettingThatFails(t *testing.T) {
	k := newKept(t)
	got, refuses := &recorder{}, errors.New("refused")
	l := k.begin(got)
	l.o.Elsewhere = func(context.Context, cold.ForgetFilter) error { return refuses }
	defer k.running(l)()
	k.append(l, read("1", "s", "a.go"), read("2", "t", "b.go"))
	if _, err := l.Forget(t.Context(), cold.ForgetFilter{}); err == nil {
		t.Error("nothing was named, and it was forgotten")
	}
	gone, err := l.Forget(t.Context(), cold.ForgetFilter{Session: "s"})
	if !errors.Is(err, refuses) || !strings.Contains(err.Error(), "not forgotten") || gone.Any() || l.Status().Forgetting {
		t.Errorf("forget: %v, %v", gone, err)
	}
	fault.Same(t, "known", got.ids(), []string{"1", "2"})
	refuses = nil
	gone = fault.Must(l.Forget(t.Context(), cold.ForgetFilter{Session: "s"}))
	fault.Same(t, "forgotten", []any{len(gone.Events), got.ids(), l.Status().Unscrubbed}, []any{1, []string{"2"}, error(nil)})
}

func read(id, session string, path event.Path) event.Event {
	e := deleted(id)
	e.Session, e.Body = session, event.Call{Act: event.ActRead, Paths: []event.Path{path}}
	return e
}

// TestPrune deletes only what a snapshot contains, and says what it deleted.
func TestPrune(t *testing.T) {
	k := newKept(t)
	warned := k.warned()
	l := k.begin()
	defer k.running(l)()
	k.append(l, many(0, 3)...)
	left := func(want int, said string) {
		t.Helper()
		fault.Check(t, l.Prune(t.Context(), 0))
		events, err := k.db.Log(t.Context(), cold.LogFilter{})
		if err != nil || len(events) != want || !strings.Contains(warned.String()+"nothing", said) {
			t.Errorf("%d events are left, want %d: %v; said: %s", len(events), want, err, warned)
		}
	}
	left(3, "nothing")
	fault.Check(t, l.Save(t.Context()))
	left(0, "events=3 of_peers=0")
	left(0, "nothing")
	fault.Same(t, "said", strings.Count(warned.String(), "log pruned"), 1)
}
