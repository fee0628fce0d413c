package prefetch

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// LastRefit is the newest refit that was folded; its Verdict is "" if there was none. One round trip.
func (p *Prefetcher) LastRefit(ctx context.Context) (Refit, error) {
	v := p.store.View(time.Time{})
	facts := v.Facts(factRefit)
	if err := v.Load(ctx); err != nil {
		return Refit{}, fmt.Errorf("read the calibration: %w", err)
	}
	return decodeRefit(facts.Fields[fieldNow]), nil
}

// Refit learns from the outcome events of the log, in any order. It returns the event to log, which Fold takes over
// like any other, or none when nothing is decided. One round trip.
func (p *Prefetcher) Refit(ctx context.Context, outcomes []event.Event, at time.Time) (r Refit, log []event.Event,
	err error) {
	last, err := p.LastRefit(ctx)
	if err != nil {
		return Refit{}, nil, err
	}
	r = last.Next(outcomesOf(outcomes), at)
	if r.Verdict == Waited || r.At.Equal(last.At) {
		return r, nil, nil
	}
	e := event.Event{ID: fmt.Sprintf("refit:%d", at.UnixNano()), Time: at, Agent: "cron",
		Body: event.Setting{Name: settingRefit, Value: r.encode()}}
	return r, []event.Event{e}, nil
}

// outcomesOf are the outcomes of all arms, oldest first: shown, withheld and shadow. A kind whose files have no
// probability teaches nothing, nor does an outcome with another label than its kind's.
func outcomesOf(events []event.Event) []Outcome {
	var out []Outcome
	for _, e := range events {
		o, ok := e.Body.(event.Outcome)
		class, known := classOfKind[Kind(o.Name)]
		if !ok || !known || !measures(o) || len(o.Scores) != 1 || !(o.Scores[0] > 0 && o.Scores[0] < 1) {
			continue
		}
		out = append(out, Outcome{Class: class, P: o.Scores[0], Used: o.Used, At: e.Time})
	}
	slices.SortStableFunc(out, func(a, b Outcome) int { return a.At.Compare(b.At) })
	return out
}

// classOfKind is what a kind's files are: hints are of files that nothing has named.
var classOfKind = map[Kind]Class{Next: OpenUnseen, Prompt: PromptOther, Partner: OfChange}
