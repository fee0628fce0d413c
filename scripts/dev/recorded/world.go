package recorded

import (
	"context"
	"fmt"
	"time"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/rank"
)

// World is a hot store with the present files. The daemon's learner updates it, and its ranker
// answers questions.
type World struct {
	store    *hot.Store
	sessions *session.Sessions
	learner  *learn.Learner
	Ranker   *rank.Ranker
	Tree     *index.Tree // the present files; it changes with what is learned
	pending  []event.Event
	hour     time.Time // time of the last tick
	untold   int       // number of commits since the last tick
	learned  func(event.Event)

	reader *blobs // nil if contents are not known
	blobs  map[string][]blob
	unread map[event.Path]string // the newest version of each file that was not read yet
	held   map[event.Path]string // the newest version of each file
	said   *index.Contents       // nil if contents are not known

	checkedOut map[event.Path]string // see Checkout
}

// How many events are learned at once. The resulting state does not depend on these numbers.
const (
	maxBatch   = 4000
	tickCommit = 2000 // commits between two ticks; a daemon imports history without ticks
)

// NewWorld makes a World that knows nothing yet. Close it at the end.
func NewWorld(ctx context.Context, s eval.Source, o Options) (*World, error) {
	store, sessions := hot.New(), session.New()
	w := &World{store: store, sessions: sessions, learner: learn.New(store),
		Tree: index.NewTree(nil), learned: o.Learned}
	var say func() *index.Contents
	if o.Contents && s.Clone != nil {
		var err error
		if w.reader, err = openBlobs(ctx, s.Clone.Dir, s.Clone.Env); err != nil {
			return nil, err
		}
		if w.blobs, err = versions(ctx, s.Clone); err != nil {
			w.reader.Close()
			return nil, err
		}
		w.said = index.NewContents()
		w.unread, w.held = map[event.Path]string{}, map[event.Path]string{}
		say = func() *index.Contents { return w.said }
	}
	w.Ranker = rank.New(store, sessions, func() *index.Tree { return w.Tree },
		rank.Options{Models: o.Models, Texts: o.Texts,
			Contents: say, Read: w.text})
	return w, nil
}

// Close ends the process that reads contents.
func (w *World) Close() {
	if w.reader != nil {
		w.reader.Close()
	}
}

// Learn learns events. The next question knows them.
func (w *World) Learn(ctx context.Context, events ...event.Event) error {
	for _, e := range events {
		w.tick(e)
		grow(w.Tree, e)
		w.contents(e)
		w.pending = append(w.pending, e)
		if w.learned != nil {
			w.learned(e)
		}
	}
	if len(w.pending) >= maxBatch {
		w.flush()
	}
	return ctx.Err()
}

// tick does the daemon's hourly housekeeping, in hours with work and after many commits.
func (w *World) tick(e event.Event) {
	hour := e.Time.UTC().Truncate(time.Hour)
	if e.Kind() == event.KindCommit {
		if w.untold++; w.untold < tickCommit {
			return
		}
	}
	if hour.After(w.hour) {
		w.hour, w.untold = hour, 0
		w.pending = append(w.pending, event.Event{ID: fmt.Sprintf("tick:%d", hour.Unix()), Time: hour, Agent: "cron",
			Body: event.Tick{}})
	}
}

func (w *World) flush() {
	w.learner.Learn(w.sessions, w.pending...)
	w.pending = w.pending[:0]
}

// Ask ranks with everything known so far.
func (w *World) Ask(ctx context.Context, q event.Query) (*rank.Ranking, error) {
	w.flush()
	if err := w.read(); err != nil {
		return nil, err
	}
	return w.Ranker.Score(ctx, q)
}
