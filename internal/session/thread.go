package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// item is a prompt or an action at its place.
type item struct {
	seq    int64
	at     time.Time
	prompt string // "" for an action
	action Action
}

// thread is what a session holds beyond its summary.
type thread struct {
	digest digest
	items  []item // behind the summary's older end, in order
	fresh  bool   // there was no summary that stands
	loose  bool   // events came out of order: nothing is kept
}

// Bounds of a session's log.
const (
	maxThread = 2500             // events that are read, the newest
	disorder  = 10 * time.Minute // events that come later in the log may be so much older; more is another story
)

// thread reads a session: its summary if it stands, and what came since; else all of it.
func (s *Store) thread(ctx context.Context, session string, whole bool) (thread, error) {
	if !whole {
		d, ok, err := s.loadSummary(ctx, session)
		if err != nil && !errors.Is(err, cold.ErrDamaged) {
			return thread{}, err
		}
		if ok && err == nil {
			events, err := s.o.DB.Thread(ctx, session, d.Done, d.Said, maxThread)
			if err != nil {
				return thread{}, err
			}
			items, tidy := itemsOf(events, d)
			if tidy && len(events) < maxThread {
				return thread{digest: d, items: items}, nil
			}
		}
	}
	events, err := s.o.DB.Thread(ctx, session, 0, 0, maxThread)
	if err != nil {
		return thread{}, err
	}
	t := thread{fresh: true}
	var tidy bool
	if t.items, tidy = itemsOf(events, digest{}); !tidy {
		sortByTime(t.items)
		t.loose = true
	}
	return t, nil
}

// itemsOf reads the events behind a summary. tidy is false when some are much older than others before them.
func itemsOf(events []cold.Numbered, d digest) (items []item, tidy bool) {
	tidy = true
	known, last := max(d.Said, d.Done), d.Last
	for _, e := range events {
		if e.Seq > known {
			tidy = tidy && e.Time.UnixMilli() >= last-disorder.Milliseconds()
			last = max(last, e.Time.UnixMilli())
		}
		if e.Kind == event.KindPrompt {
			if e.Subagent == "" && e.Text != "" {
				items = append(items, item{seq: e.Seq, at: e.Time, prompt: e.Text})
			}
			continue
		}
		if a, ok := action(e); ok {
			items = append(items, item{seq: e.Seq, at: e.Time, action: a})
		}
	}
	return items, tidy
}

// sortByTime brings items into the order in which they happened, and numbers them anew: such numbers are good for
// one context only.
func sortByTime(items []item) {
	slices.SortStableFunc(items, func(a, b item) int { return a.at.Compare(b.at) })
	for i := range items {
		items[i].seq = int64(i + 1)
		items[i].action.Seq = items[i].seq
	}
}
