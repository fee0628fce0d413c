package daemon

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// outcomes is the consumer that logs what became of predictions. It follows scores in the list, so the state of
// predictions contains the batch that it gets. It has no state on disk: an outcome that was due when a daemon was
// killed is found again by the replay.
type outcomes struct {
	predictions *prefetch.Prefetcher
	add         func(...event.Event)
	metrics     *metrics
	applied     atomic.Int64
	live        bool                   // the replay is over
	due         map[string]event.Event // found by the replay and not in the log so far; id → outcome
}

func newOutcomes(p *prefetch.Prefetcher, m *metrics, applied int64) *outcomes {
	o := &outcomes{predictions: p, metrics: m, due: map[string]event.Event{}}
	o.applied.Store(applied)
	return o
}

func (o *outcomes) Name() string { return "outcomes" }

func (o *outcomes) Applied() int64 { return o.applied.Load() }

func (o *outcomes) Apply(_ context.Context, seq int64, events []event.Event) error {
	found := o.predictions.Observe(events)
	o.applied.Store(seq)
	if o.live {
		o.log(found)
		return nil
	}
	for _, e := range found {
		o.due[e.ID] = e
	}
	for _, e := range events {
		delete(o.due, e.ID)
	}
	return nil
}

// begin ends the replay: events go to add from now on.
func (o *outcomes) begin(add func(...event.Event)) {
	o.add, o.live = add, true
	due := make([]event.Event, 0, len(o.due))
	for _, id := range slices.Sorted(maps.Keys(o.due)) {
		due = append(due, o.due[id])
	}
	o.due = nil
	o.log(due)
}

func (o *outcomes) log(found []event.Event) {
	for _, e := range found {
		if b, ok := e.Body.(event.Outcome); ok {
			o.metrics.outcome(b)
		}
	}
	o.add(found...)
}

func (o *outcomes) Flush(context.Context) (int64, error) { return o.Applied(), nil }
