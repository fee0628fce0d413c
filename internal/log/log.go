package log

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// Options of a Log. All are needed but After, Gone and Elsewhere.
type Options struct {
	DB    *cold.DB
	Blobs *cold.Blobs    // what is forgotten is forgotten there, too
	Kept  *cold.Snapshot // of the States
	Now   func() time.Time
	Log   *slog.Logger
	Alert *slog.Logger // aoa status shows its warnings
	Count Counter

	EndsTurns func(agent string) bool // see reload.NewTurns

	// After is called when something was written and applied. It must not wait.
	After func()
	// Gone reports whether the store was replaced: then nothing may be written by name any more.
	Gone func() bool
	// Elsewhere forgets what is kept outside of the log and the blobs. It may be called again with
	// the same filter.
	Elsewhere func(ctx context.Context, f cold.ForgetFilter) error
}

// Limits for events that wait to be written.
const (
	batchAge   = 100 * time.Millisecond // a batch is written when it is that old …
	batchSize  = 500                    // … or has this many events
	maxPending = 50_000                 // events kept while the disk is full; more are dropped, newest first
	retryEvery = time.Second            // between two attempts to write to a disk that refuses
)

// Log is the one door for events, and what is folded from them. It is safe for concurrent use.
type Log struct {
	*States
	o        Options
	requests chan func()   // what Run is to do between two batches
	wake     chan struct{} // something waits
	full     chan struct{} // batchSize events wait
	ended    chan struct{} // closed when Run has ended

	// These belong to Run.
	saving chan struct{} // closed when the snapshot under way is written; nil: there was none
	gap    bool          // a replay failed: what is new is read from the log, with what lies before it

	mu         sync.Mutex // guards what follows
	pending    []event.Event
	writing    int       // events of a batch that is being written; they are pending again when that fails
	since      time.Time // when the oldest of pending was added; zero: none waits
	begun      time.Time // when the batch that is being written and applied was begun
	failing    error     // why the last attempt to write failed: one warning per outage
	dropped    int       // events that exceeded maxPending
	misdated   int64
	position   int64 // the last batch in the states
	kept       int64 // the last batch in the snapshot on the disk
	saved      time.Time
	unsaved    error // why the last snapshot could not be written
	forgets    bool  // something is being forgotten
	unscrubbed error // why what was forgotten is not overwritten
}

// Open reads the snapshot. It drops a damaged snapshot, and one made under other half-lives; then
// the whole log has to be replayed. Call Replay before Run, to bring the States to the end of the
// log.
func Open(ctx context.Context, o Options) (*Log, error) {
	l := newLog(newStates(o), o)
	return l, l.load(ctx)
}

func newLog(s *States, o Options) *Log {
	return &Log{States: s, o: o, requests: make(chan func()), wake: make(chan struct{}, 1), full: make(chan struct{}, 1),
		ended: make(chan struct{})}
}

// Add takes events that become durable within batchAge. It never waits for the disk.
func (l *Log) Add(events ...event.Event) {
	if len(events) == 0 {
		return
	}
	now := l.o.Now()
	l.mu.Lock()
	for _, e := range events {
		if len(l.pending) >= maxPending {
			l.dropped++
			continue
		}
		l.pending = append(l.pending, l.normalize(e, now))
	}
	n := len(l.pending)
	if l.since.IsZero() {
		l.since = now
	}
	l.mu.Unlock()
	signal(l.wake)
	if n >= batchSize {
		signal(l.full)
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// normalize brings an event into the bounds of the log, and counts one whose times had to be moved.
// mu is held.
func (l *Log) normalize(e event.Event, now time.Time) event.Event {
	if e.Misdated() {
		l.misdated++
	}
	return e.Normalize(now)
}

// Append logs a batch at once, after what waits. It returns when the batch is durable and applied,
// with the number of events that were new.
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

// AppendHistory is Append of git history together with how far it was read, or of events of other
// clones with a nil cursor.
func (l *Log) AppendHistory(ctx context.Context, events []event.Event, cursor map[string]string) error {
	return l.ask(ctx, func(ctx context.Context) error {
		_, err := l.append(ctx, events, cursor)
		return err
	})
}

// Flush makes everything added so far durable, and applies it. On an error the events stay pending.
func (l *Log) Flush(ctx context.Context) error { return l.ask(ctx, l.flush) }

// syncTime is how long a question waits for the events that came just before it.
const syncTime = 20 * time.Millisecond

// SyncBriefly is Flush that does not cost a question its deadline.
func (l *Log) SyncBriefly(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, syncTime)
	defer cancel()
	_ = l.Flush(ctx) // the question is answered from what is known
}

// Position is the last batch in the states.
func (l *Log) Position() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.position
}

// Misdated is the number of events since the start whose times were outside of the years 1970 to
// 9999.
func (l *Log) Misdated() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.misdated
}

// Trouble says how many events wait because the store cannot be written, and why; nil when it can.
func (l *Log) Trouble() (waiting, dropped int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.pending) + l.writing, l.dropped, l.failing
}

// Unwritten returns the events that Run could not make durable, and why.
func (l *Log) Unwritten() ([]event.Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pending, l.failing
}

// Behind returns the age of the oldest event that was accepted and is not applied yet.
func (l *Log) Behind() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	oldest := l.begun
	if oldest.IsZero() {
		oldest = l.since
	}
	if oldest.IsZero() {
		return 0
	}
	return l.o.Now().Sub(oldest)
}

// ErrStopping says that the daemon ends and writes nothing more.
var ErrStopping = errors.New("the daemon is stopping")
