package resume

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// Statements.
const (
	sqlPut = `INSERT INTO sessions (id, state, last, snapshot) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (id) DO UPDATE SET state = ?2, last = ?3, snapshot = ?4`
)

//go:embed sql
var embedded embed.FS

// When a snapshot is written after a change, and when sessions that nobody touches are put away.
const (
	shortly = time.Second      // after the last change
	later   = 5 * time.Second  // after the last, where it was written within the window before
	window  = 10 * time.Second // see later; and no change waits longer

	ArchiveAfter = 30 * 24 * time.Hour
	CleanUpAfter = 90 * 24 * time.Hour
)

// maxHeld bounds the snapshots kept in memory; written ones give way.
const maxHeld = 256

// Errors that callers branch on.
var (
	ErrUnknown = errors.New("no such session")
	ErrState   = errors.New("not in this state")
)

// Options of a desk. Path, Now and Since are required.
type Options struct {
	Path string
	Now  func() time.Time
	Log  *slog.Logger // gets one warning when a damaged file was moved aside; may be nil
	// Since returns the events of a session from then on, oldest first: what the last run learned and did not write.
	Since func(ctx context.Context, session string, from time.Time) ([]event.Event, error)
}

// Desk keeps the snapshots. It is safe for concurrent use.
type Desk struct {
	o    Options
	file *cold.Lazy
	wake chan struct{}

	writing sync.Mutex // held while snapshots are written: an older one must not follow a newer

	mu     sync.Mutex // guards what follows
	held   map[string]*entry
	writes int64 // transactions so far
}

type entry struct {
	Snapshot
	due     time.Time // when it is to be written; zero: nothing changed since
	changed time.Time // the first change that is not written
	written time.Time
}

// New opens nothing: the file is made with the first snapshot.
func New(o Options) *Desk {
	return &Desk{o: o, file: cold.NewLazy(o.Path, cold.Migrations(embedded), cold.Options{Now: o.Now, Log: o.Log}),
		wake: make(chan struct{}, 1), held: map[string]*entry{}}
}

// Rest closes the file when it was not used since the last Rest.
func (d *Desk) Rest() error { return d.file.CloseIdle() }

// Close closes the file. What was not flushed is read from the log at the next start.
func (d *Desk) Close() error { return d.file.Close() }

// Observe folds events in that were just learned.
func (d *Desk) Observe(ctx context.Context, events []event.Event) error {
	var errs []error
	fresh := map[string]map[string]bool{} // sessions taken up in this call → events that the log gave for them
	for _, e := range events {
		if e.Session == "" || !mine(e.Kind) {
			continue
		}
		s, known, err := d.take(ctx, e.Session, true)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if known != nil {
			fresh[e.Session] = known
		}
		if fresh[e.Session][e.ID] {
			continue
		}
		d.fold(s, e)
	}
	d.signal()
	return errors.Join(errs...)
}

func (d *Desk) fold(s *entry, e event.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.touch(s, s.take(e))
}

// mine reports whether the kind changes a snapshot.
func mine(k event.Kind) bool {
	return command(k) || k == event.KindStart || k == event.KindEnd || k == event.KindSuggest
}

// take returns the session's entry. One that was not in memory is read and brought up to the log; known are the
// events which that brought. One without a snapshot is begun from the log, or ErrUnknown; one whose snapshot cannot be
// read is begun from the log in any case.
func (d *Desk) take(ctx context.Context, id string, begin bool) (s *entry, known map[string]bool, err error) {
	d.mu.Lock()
	s = d.held[id]
	d.mu.Unlock()
	if s != nil {
		return s, nil, nil
	}
	snap, err := d.load(ctx, id)
	if err != nil && !errors.Is(err, cold.ErrRow) && (!begin || !errors.Is(err, ErrUnknown)) {
		return nil, nil, err
	}
	s = &entry{Snapshot: Snapshot{ID: id, State: Active}}
	from := time.Time{}
	if err == nil {
		s.Snapshot, from, s.written = snap, snap.Last.Add(time.Millisecond), d.o.Now()
	}
	missed, err := d.o.Since(ctx, id, from)
	if err != nil {
		return nil, nil, fmt.Errorf("take up session: %w", err)
	}
	known = map[string]bool{}
	d.mu.Lock()
	defer d.mu.Unlock()
	if other := d.held[id]; other != nil {
		return other, known, nil
	}
	for _, e := range missed {
		known[e.ID] = true
		if mine(e.Kind) {
			d.touch(s, s.take(e))
		}
	}
	d.room()
	d.held[id] = s
	return s, known, nil
}

// room makes place for one more; mu is held.
func (d *Desk) room() {
	for id, s := range d.held {
		if len(d.held) < maxHeld {
			return
		}
		if s.due.IsZero() {
			delete(d.held, id)
		}
	}
}

// touch notes a change; mu is held. An urgent one is due at once.
func (d *Desk) touch(s *entry, urgent bool) {
	now := d.o.Now()
	wait := shortly
	if !s.written.IsZero() && now.Sub(s.written) < window {
		wait = later
	}
	if urgent {
		wait = 0
	}
	if s.due.IsZero() {
		s.changed = now
	}
	s.due = now.Add(wait)
	if last := s.changed.Add(window); last.Before(s.due) {
		s.due = last
	}
}

// letGo drops from memory what is written; mu is held.
func (d *Desk) letGo() {
	maps.DeleteFunc(d.held, func(_ string, s *entry) bool { return s.due.IsZero() })
}

func (d *Desk) signal() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// Run writes snapshots as they fall due, until ctx ends; then all that is left.
func (d *Desk) Run(ctx context.Context) error {
	d.catchUp(ctx)
	for {
		var timer <-chan time.Time
		if due, any := d.next(); any {
			timer = time.After(due.Sub(d.o.Now()))
		}
		select {
		case <-ctx.Done():
			return d.Flush(context.WithoutCancel(ctx))
		case <-d.wake:
		case <-timer:
			if err := d.write(ctx, d.o.Now()); err != nil && d.o.Log != nil {
				d.o.Log.Warn("snapshots of sessions not written", "err", err)
			}
		}
	}
}

// catchUp brings the sessions that were at work when the last run ended up to the log: it may have been killed.
func (d *Desk) catchUp(ctx context.Context) {
	active, bad, err := d.list(ctx, Filter{State: Active, Limit: maxHeld / 2})
	for _, s := range active {
		bad = append(bad, s.ID)
	}
	for _, id := range bad {
		if err == nil {
			_, _, err = d.take(ctx, id, false)
		}
	}
	if err != nil && d.o.Log != nil && ctx.Err() == nil {
		d.o.Log.Warn("sessions not brought up to the log", "err", err)
	}
}

// next is when the first snapshot is due.
func (d *Desk) next() (due time.Time, any bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.held {
		if !s.due.IsZero() && (!any || s.due.Before(due)) {
			due, any = s.due, true
		}
	}
	return due, any
}

// Flush writes everything that changed.
func (d *Desk) Flush(ctx context.Context) error { return d.write(ctx, d.o.Now().Add(2*window)) }

// write writes what is due by then, in one transaction. What fails is due again later.
func (d *Desk) write(ctx context.Context, by time.Time) error {
	d.writing.Lock()
	defer d.writing.Unlock()
	now := d.o.Now()
	var all []Snapshot
	d.mu.Lock()
	for _, id := range slices.Sorted(maps.Keys(d.held)) {
		if s := d.held[id]; !s.due.IsZero() && !s.due.After(by) {
			all = append(all, s.clone())
			s.due, s.written = time.Time{}, now
		}
	}
	d.mu.Unlock()
	if len(all) == 0 {
		return nil
	}
	err := d.file.Use(ctx, func(f *cold.File) error {
		return f.Write(ctx, "keep snapshots", func(tx *cold.Tx) error {
			for _, s := range all {
				if err := put(tx, s); err != nil {
					return err
				}
			}
			return nil
		})
	})
	d.mu.Lock()
	defer d.mu.Unlock()
	d.writes++
	if err == nil {
		return nil
	}
	for _, s := range all {
		if e := d.held[s.ID]; e != nil {
			d.touch(e, false)
		}
	}
	return err
}

func put(tx *cold.Tx, s Snapshot) error {
	text, err := s.encode()
	if err != nil {
		return err
	}
	_, err = tx.Exec(sqlPut, s.ID, string(s.State), s.Last.UnixMilli(), text)
	return err
}

// load reads a snapshot from the file.
func (d *Desk) load(ctx context.Context, id string) (s Snapshot, err error) {
	if !d.file.Exists() {
		return s, ErrUnknown
	}
	err = d.file.Use(ctx, func(f *cold.File) error {
		var text string
		found, err := f.Scan(ctx, "SELECT snapshot FROM sessions WHERE id = ?", []any{id}, &text)
		if err == nil && !found {
			err = ErrUnknown
		}
		if err != nil {
			return err
		}
		if s, err = decode(id, text); err != nil {
			return f.BadRow(err)
		}
		return nil
	})
	return s, err
}
