package log

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/schedule"
)

// Options are the settings of a Log. All are required except After, Gone and Elsewhere.
type Options struct {
	DB    *cold.DB
	Blobs *cold.Blobs    // forgotten data is deleted there, too
	Kept  *cold.Snapshot // the snapshot of the States
	Now   func() time.Time
	Log   *slog.Logger
	Alert *slog.Logger // its warnings are shown by aoa status
	Count Counter

	EndsTurns func(agent string) bool // see reload.NewTurns

	// After is called when events were written and applied. It must not block.
	After func()
	// Gone reports whether the store was replaced by another. Then no file of the store may be
	// written any more.
	Gone func() bool
	// Elsewhere forgets data that is stored outside of the log and the blobs. It may be called
	// again with the same filter.
	Elsewhere func(ctx context.Context, f cold.ForgetFilter) error
}

// Limits of the events that wait to be written.
const (
	batchAge   = 100 * time.Millisecond // a batch is written at this age …
	batchSize  = 500                    // … or when it has this many events
	maxPending = 50_000                 // events kept while the disk is full; further ones are dropped
	retryEvery = time.Second            // pause between two attempts to write to a failing disk
)

// Log takes all events and holds the states that are computed from them. It is safe for concurrent
// use.
type Log struct {
	*States
	o        Options
	requests chan func()     // functions that Run calls between two batches
	wake     schedule.Signal // events wait
	full     schedule.Signal // batchSize events wait
	ended    chan struct{}   // closed when Run has ended

	// These fields belong to the goroutine of Run.
	saving chan struct{} // closed when the last snapshot was written; nil before the first
	gap    bool          // a replay failed: the next batch is applied by reading the log from the position of the states

	mu      sync.Mutex // guards the fields below
	pending []event.Event
	writing int       // events of the batch that is being written; they become pending again if that fails
	since   time.Time // when the oldest pending event was added; zero if none waits
	begun   time.Time // when the writing of the current batch began
	status  Status    // Waiting and Behind are 0
}

// Status tells how far a Log is.
type Status struct {
	Waiting int           // events that are not written yet
	Dropped int           // events that were dropped because too many waited
	Failing error         // why the last attempt to write failed; nil if the store can be written
	Behind  time.Duration // age of the oldest event that was accepted and is not applied yet

	Position int64     // number of the last batch in the states
	Kept     int64     // number of the last batch in the snapshot on the disk; the log must keep all later batches
	Saved    time.Time // when that snapshot was written
	Unsaved  error     // why a newer one could not be written

	// Events are being forgotten at the moment. Until then the states may still hold them, or may lack
	// something that will be learned again. Call Flush to wait for the end.
	Forgetting bool
	Unscrubbed error // why bytes of forgotten data are still on the disk; nil if they are not
}

// Status returns how far the log is.
func (l *Log) Status() Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.status
	s.Waiting = len(l.pending) + l.writing
	if oldest := cmp.Or(l.begun, l.since); !oldest.IsZero() {
		s.Behind = l.o.Now().Sub(oldest)
	}
	return s
}

// note changes the status.
func (l *Log) note(change func(*Status)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.status)
}

// Open returns a Log with the states of the snapshot. It discards a snapshot that is damaged or was
// made with other half-lives; then the whole log has to be replayed. Call Replay before Run to
// bring the States to the end of the log.
func Open(ctx context.Context, o Options) (*Log, error) {
	l := newLog(newStates(o), o)
	return l, l.load(ctx)
}

func newLog(s *States, o Options) *Log {
	return &Log{States: s, o: o, requests: make(chan func()), wake: schedule.NewSignal(), full: schedule.NewSignal(),
		ended: make(chan struct{})}
}

// Add adds events, which become durable within batchAge. It never waits for the disk.
func (l *Log) Add(events ...event.Event) {
	if len(events) == 0 {
		return
	}
	now := l.o.Now()
	l.mu.Lock()
	for _, e := range events {
		if len(l.pending) >= maxPending {
			l.status.Dropped++
			continue
		}
		l.pending = append(l.pending, e.Normalize(now))
	}
	n := len(l.pending)
	if l.since.IsZero() {
		l.since = now
	}
	l.mu.Unlock()
	l.wake.Give()
	if n >= batchSize {
		l.full.Give()
	}
}

// Append writes a batch at once, after the pending events. It returns when the batch is durable and
// applied, with the number of events that were new.
func (l *Log) Append(ctx context.Context, events []event.Event) (fresh int, err error) {
	new := make(chan int, 1)
	err = l.ask(ctx, func(ctx context.Context) error {
		n, err := l.append(ctx, events, nil)
		new <- n
		return err
	})
	if err != nil {
		return 0, err
	}
	return <-new, nil
}

// AppendHistory is like Append. For git history it also saves cursor, which says how far the
// history was read; for events of other clones cursor is nil.
func (l *Log) AppendHistory(ctx context.Context, events []event.Event, cursor map[string]string) error {
	return l.ask(ctx, func(ctx context.Context) error {
		_, err := l.append(ctx, events, cursor)
		return err
	})
}

// Flush writes and applies all events that were added so far. On an error they stay pending.
func (l *Log) Flush(ctx context.Context) error { return l.ask(ctx, l.flush) }

// syncTime is how long a question that has no deadline waits for the events added just before it.
const syncTime = 20 * time.Millisecond

// SyncBriefly is Flush within a third of the time that ctx leaves, so that a question does not miss
// its deadline, or within syncTime if ctx has none.
func (l *Log) SyncBriefly(ctx context.Context) {
	wait := syncTime
	if end, ok := ctx.Deadline(); ok {
		wait = time.Until(end) / 3
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	_ = l.Flush(ctx) // on an error the question is answered from what is known
}

// ErrStopping is returned when the daemon is stopping and writes nothing more.
var ErrStopping = errors.New("the daemon is stopping")
