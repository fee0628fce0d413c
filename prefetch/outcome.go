package prefetch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Observe returns the outcome events that are due after the events were learned and folded: files that were
// opened in time, and all others once the session's horizon, the session itself, or (at a tick) two idle hours are
// over. The caller logs and folds them like any others. Asked twice before that it returns the same events
// with the same IDs, so nothing is lost by a crash and nothing counts twice. It writes nothing; one round
// trip, two at a tick.
func (p *Prefetcher) Observe(ctx context.Context, events []event.Event) ([]event.Event, error) {
	when := map[string]time.Time{} // session → its newest event
	var ids []string
	for _, e := range events {
		if e.Session != "" && e.Kind != event.KindOutcome && e.Kind != event.KindSuggest {
			if _, known := when[e.Session]; !known {
				ids = append(ids, e.Session)
			}
			if e.Time.After(when[e.Session]) {
				when[e.Session] = e.Time
			}
		}
	}
	idle, err := p.idle(ctx, events)
	if err != nil {
		return nil, err
	}
	committed, err := p.awaiting(ctx, events)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(committed)) {
		if _, known := when[id]; !known {
			ids = append(ids, id)
			when[id] = newest(events)
		}
	}
	for _, id := range idle {
		if _, known := when[id]; !known {
			ids = append(ids, id)
			when[id] = newest(events)
		}
	}
	sessions := p.sessions(ids, newest(events))
	var out []event.Event
	for _, id := range ids {
		s := sessions[id]
		if slices.Contains(idle, id) {
			s.expire()
		}
		s.due(func(made openPrediction, f file) { out = append(out, outcome(id, made, f, when[id])) })
	}
	return out, nil
}

// idle lists the sessions with predictions that wait since longer than idleEnd, if a tick came.
func (p *Prefetcher) idle(ctx context.Context, events []event.Event) ([]string, error) {
	var at time.Time
	for _, e := range events {
		if e.Kind == event.KindTick && e.Time.After(at) {
			at = e.Time
		}
	}
	if at.IsZero() {
		return nil, nil
	}
	v := p.store.View(at)
	waiting := v.Facts(factWaiting)
	if err := v.Load(ctx); err != nil {
		return nil, fmt.Errorf("read waiting predictions: %w", err)
	}
	var ids []string
	for id, last := range waiting.Fields {
		if at.Sub(time.UnixMilli(int64(parse(last)))) > idleEnd {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// sessions reads the states of sessions.
func (p *Prefetcher) sessions(ids []string, at time.Time) map[string]session {
	out := make(map[string]session, len(ids))
	for _, id := range ids {
		out[id] = decodeSession(p.live.Get(id, at).Hints)
	}
	return out
}

func outcome(id string, made openPrediction, f file, at time.Time) event.Event {
	return event.Event{ID: outcomeID(made.ID, f.Path), Time: at, Kind: event.KindOutcome, Agent: "aoa", Session: id,
		Tool: string(made.Kind), Cause: made.ID, Paths: []event.Path{f.Path}, Scores: []float64{f.P}, OK: f.Used,
		Why: string(made.Arm), Label: string(made.Label)}
}

// MarkCause sets the Cause of opens that a shown suggestion named within its horizon, in place, before the
// events are logged: what a suggestion led to counts less when it is learned. It returns events.
func (p *Prefetcher) MarkCause(events []event.Event) []event.Event {
	var ids []string
	for _, e := range events {
		if e.Session != "" && e.Kind.Open() && len(e.Paths) > 0 && e.Cause == "" && !slices.Contains(ids, e.Session) {
			ids = append(ids, e.Session)
		}
	}
	sessions := p.sessions(ids, newest(events))
	for i := range events {
		e := &events[i]
		if e.Session == "" || !e.Kind.Open() || len(e.Paths) == 0 || e.Cause != "" {
			continue
		}
		s := sessions[e.Session]
		for _, f := range e.Paths {
			if e.Cause = s.cause(*e, f); e.Cause == "" {
				e.Cause = p.pendingCause(*e, f)
			}
			if e.Cause != "" {
				break
			}
		}
	}
	return events
}

// pendingCause is the shown suggestion still on its way through the log that named the file.
func (p *Prefetcher) pendingCause(e event.Event, f event.Path) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range p.waiting(e.Session, e.Time) {
		made := openPrediction{By: d.by, Label: labelOf(d.kind)}
		if d.arm == Shown && made.concerns(e) && slices.Contains(d.files, f) {
			return d.id
		}
	}
	return ""
}
