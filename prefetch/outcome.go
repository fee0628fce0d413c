package prefetch

import (
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session/live"
)

// idleEnd is after how long without a file event a session's predictions are settled.
const idleEnd = 2 * time.Hour

// Observe returns the outcome events that are due after the events were folded: files that were opened in time, and all
// others once the session's horizon, the session itself, or (at a tick) two idle hours are over. The caller logs and
// folds them like any others. Asked twice before that it returns the same events with the same IDs, so nothing is lost
// by a crash and nothing counts twice. It writes nothing.
func (p *Prefetcher) Observe(events []event.Event) (out []event.Event) {
	var at, tick time.Time // of the newest event, and of the newest tick
	touched, commit := map[string]time.Time{}, false
	for _, e := range events {
		if e.Time.After(at) {
			at = e.Time
		}
		switch {
		case e.Kind() == event.KindCommit:
			commit = true
		case e.Kind() == event.KindTick && e.Time.After(tick):
			tick = e.Time
		case e.Kind() != event.KindOutcome && e.Kind() != event.KindSuggest && e.Time.After(touched[e.Session]):
			touched[e.Session] = e.Time
		}
	}
	if len(touched) == 0 && tick.IsZero() && !commit {
		return nil
	}
	for _, id := range p.live.Waiting() {
		s := p.live.Get(id, at)
		idle := tick.Sub(s.Hints.Last) > idleEnd
		when, known := touched[id]
		if !known {
			when = at
		}
		if known || commit || idle {
			s.Hints.Due(idle, func(made live.Prediction, f live.Predicted) { out = append(out, outcome(id, made, f, when)) })
		}
	}
	return out
}

func outcome(id string, made live.Prediction, f live.Predicted, at time.Time) event.Event {
	return event.Event{ID: outcomeID(made.ID, f.Path), Time: at, Agent: "aoa", Session: id,
		Body: event.Outcome{Name: made.Kind, Cause: made.ID, Paths: []event.Path{f.Path}, Scores: []float64{f.P},
			Used: f.Used, Arm: made.Arm, Label: string(made.Label)}}
}
