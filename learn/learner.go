package learn

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

// Options of a Learner. The zero value works.
type Options struct {
	// Fold adds what other packages fold of the same events (predictions and their outcomes) to the batch. It is called once per
	// batch with all of its events. nil adds nothing.
	Fold func(ctx context.Context, b *hot.Batch, events []event.Event) error
}

// keepSessions is how many sessions' states are kept in memory.
const keepSessions = 256

// Store is where a Learner keeps what it learns: hot.Store in memory, or a server that several daemons learn into.
type Store interface {
	View(at time.Time) *hot.View
	Applied(ctx context.Context) (seq int64, err error)
	Apply(ctx context.Context, b *hot.Batch, seq int64) error
}

// Learner folds events into one store. Safe for concurrent use; calls are carried out one after the other.
type Learner struct {
	store Store
	opts  Options

	mu       sync.Mutex          // guards what follows
	sessions map[string]*session // id → state; the tools' edits are under toolsID
	used     int64               // counts uses, for eviction
}

// New makes a Learner. It reads nothing yet.
func New(store Store, o Options) *Learner {
	return &Learner{store: store, opts: o, sessions: map[string]*session{}}
}

const (
	bulk    = 500 // a batch of more commits is an import …
	bulkCap = 64  // … whose sets of partners are cut to this size while they are collected
)

// Learn folds one batch into the hot store with one Apply. Sequences increase; a batch that was applied before changes nothing. After
// an error the same batch may be given again.
func (l *Learner) Learn(ctx context.Context, events []event.Event, seq int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	applied, err := l.store.Applied(ctx)
	if err != nil {
		return fmt.Errorf("learn batch %d: %w", seq, err)
	}
	if seq <= applied {
		return nil
	}
	if err := l.load(ctx, events); err != nil {
		return fmt.Errorf("learn batch %d: load sessions: %w", seq, err)
	}
	f := &fold{batch: hot.NewBatch(), sign: 1, write: true, session: l.session, expire: l.expire, renamed: l.renamed}
	commits := 0
	for _, e := range events {
		if e.Kind == event.KindCommit {
			commits++
		}
		f.event(e)
	}
	if commits > bulk {
		f.batch.Cap(bulkCap)
	}
	f.save()
	if l.opts.Fold != nil {
		if err := l.opts.Fold(ctx, f.batch, events); err != nil {
			clear(l.sessions)
			return fmt.Errorf("learn batch %d: fold predictions: %w", seq, err)
		}
	}
	if err := l.store.Apply(ctx, f.batch, seq); err != nil {
		clear(l.sessions) // they are newer than the store
		return fmt.Errorf("learn batch %d: %w", seq, err)
	}
	l.evict()
	return nil
}

// Unlearn subtracts what the events of a session added and forgets its state. It needs all events of the session, in order. Times of
// last access and commit stay: the next one overwrites them.
func (l *Learner) Unlearn(ctx context.Context, events []event.Event, seq int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	fresh := map[string]*session{}
	f := &fold{batch: hot.NewBatch(), sign: -1, expire: func(time.Time) {},
		session: func(id string) *session {
			if fresh[id] == nil {
				fresh[id] = newSession(id)
			}
			return fresh[id]
		}}
	for _, e := range events {
		switch e.Kind {
		case event.KindTick, event.KindRename: // they belong to everyone
		default:
			f.event(e)
		}
	}
	for id := range fresh {
		if id != toolsID && id != watchID {
			f.batch.Session(id).Renew()
		}
	}
	if err := l.store.Apply(ctx, f.batch, seq); err != nil {
		return fmt.Errorf("unlearn batch %d: %w", seq, err)
	}
	clear(l.sessions)
	return nil
}

// Reset drops the session states in memory, so that they are read back from hot.
func (l *Learner) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.sessions)
}

// load reads the states of the sessions of a batch that are not in memory, in one round trip.
func (l *Learner) load(ctx context.Context, events []event.Event) error {
	var v *hot.View
	views := map[string]*hot.SessionView{}
	want := func(id string) {
		if id == "" || l.sessions[id] != nil || views[id] != nil {
			return
		}
		if v == nil {
			v = l.store.View(time.Unix(0, 0)) // the next event of a session decides whether it is over
		}
		views[id] = v.Session(id)
	}
	for _, e := range events {
		want(sessionOf(e))
		if e.Kind.Edit() || e.Kind == event.KindSave {
			want(toolsID)
		}
		if e.Kind == event.KindBranch {
			want(watchID)
		}
	}
	if v == nil {
		return nil
	}
	if err := v.Load(ctx); err != nil {
		return err
	}
	for id, view := range views {
		l.sessions[id] = restored(id, view)
	}
	return nil
}

func (l *Learner) session(id string) *session {
	s := l.sessions[id]
	if s == nil {
		s = newSession(id) // load has read every id: a tick of this batch has ended it
		s.renew = true
		l.sessions[id] = s
	}
	l.used++
	s.used = l.used
	return s
}

// expire forgets the sessions that a tick ends.
func (l *Learner) expire(at time.Time) {
	for id, s := range l.sessions {
		if s.over(at) {
			delete(l.sessions, id)
		}
	}
}

func (l *Learner) renamed(from, to event.Path) {
	for _, s := range l.sessions {
		s.rename(from, to)
	}
}

// evict drops the sessions that were used least recently.
func (l *Learner) evict() {
	for len(l.sessions) > keepSessions {
		oldest := ""
		for id, s := range l.sessions {
			if oldest == "" || s.used < l.sessions[oldest].used {
				oldest = id
			}
		}
		delete(l.sessions, oldest)
	}
}
