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

// thread is a session: its summary and what follows it.
type thread struct {
	summary summary
	items   []item // behind the summary's older end, in order
	fresh   bool   // there was no valid summary
	loose   bool   // events are out of order: no summary is stored
}

// Bounds of a session's log.
const (
	maxThread = 2500             // events that are read, the newest
	disorder  = 10 * time.Minute // how much older an event may be than those before it in the log
)

// thread reads a session: its summary and what was logged since; without a summary, or with whole, all of it.
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
			items, ordered := itemsOf(events, d)
			if ordered && len(events) < maxThread {
				return thread{summary: d, items: items}, nil
			}
		}
	}
	events, err := s.o.DB.Thread(ctx, session, 0, 0, maxThread)
	if err != nil {
		return thread{}, err
	}
	t := thread{fresh: true}
	var ordered bool
	if t.items, ordered = itemsOf(events, summary{}); !ordered {
		sortByTime(t.items)
		t.loose = true
	}
	return t, nil
}

// itemsOf are the prompts and actions after a summary. ordered is false when some are much older than others before
// them.
func itemsOf(events []cold.Numbered, d summary) (items []item, ordered bool) {
	ordered = true
	known, last := max(d.Said, d.Done), d.Last
	for _, e := range events {
		if e.Seq > known {
			ordered = ordered && e.Time.UnixMilli() >= last-disorder.Milliseconds()
			last = max(last, e.Time.UnixMilli())
		}
		if e.Kind() == event.KindPrompt {
			if e.Subagent == "" && e.Text() != "" {
				items = append(items, item{seq: e.Seq, at: e.Time, prompt: e.Text()})
			}
			continue
		}
		if a, ok := action(e); ok {
			items = append(items, item{seq: e.Seq, at: e.Time, action: a})
		}
	}
	return items, ordered
}

// sortByTime sorts items by time and numbers them again. These numbers are valid in one context only.
func sortByTime(items []item) {
	slices.SortStableFunc(items, func(a, b item) int { return a.at.Compare(b.at) })
	for i := range items {
		items[i].seq = int64(i + 1)
		items[i].action.Seq = items[i].seq
	}
}
