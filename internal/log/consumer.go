package log

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// Follower folds logged events into a state of its own. Every event of every source reaches it through Apply, in the
// order of the log, live and after a restart alike. A consumer forgets nothing by itself: after the log has forgotten, its
// blobs forget, and a snapshot is dropped and made again from the log.
type Follower interface {
	// Name names the consumer in logs.
	Name() string
	// Applied is the number of the last batch that the state contains.
	Applied() int64
	// Apply folds one batch. It reads the events and the consumer's own state, nothing else, and does not change the
	// events.
	Apply(ctx context.Context, seq int64, events []event.Event) error
	// Flush writes the state to disk and returns the number of the last batch that is durable in it. It is called one at
	// a time, and not while something is forgotten.
	Flush(ctx context.Context) (durable int64, err error)
}

// consumers is the list of all consumers, in the order in which they get a batch.
type consumers struct {
	list  []Follower
	log   *slog.Logger
	alert *slog.Logger // aoa status shows its warnings

	mu      sync.Mutex // guards what follows
	stopped map[string]error
	durable map[string]int64
}

func newConsumers(log, alert *slog.Logger, list ...Follower) *consumers {
	c := &consumers{list: list, log: log, alert: alert, stopped: map[string]error{}, durable: map[string]int64{}}
	for _, x := range list {
		c.durable[x.Name()] = x.Applied() // after a start the state is what the disk has
	}
	return c
}

// first is where the first consumer, which learns, begins.
func (c *consumers) first() int64 {
	if len(c.list) == 0 {
		return 0
	}
	return c.list[0].Applied()
}

// apply gives a batch to every consumer that does not contain it. Only the first one, which learns, gets events of
// other clones. A consumer that fails or panics gets no more batches until the next start, which replays them. The
// others go on.
func (c *consumers) apply(ctx context.Context, seq int64, events []event.Event) {
	own := slices.DeleteFunc(slices.Clone(events), func(e event.Event) bool { return e.Origin != "" })
	for i, x := range c.list {
		if c.failure(x.Name()) != nil || seq <= x.Applied() {
			continue
		}
		if i > 0 {
			events = own
		}
		if err := c.applyTo(ctx, x, seq, events); err != nil {
			c.mu.Lock()
			c.stopped[x.Name()] = err
			c.mu.Unlock()
			c.alert.Warn("a consumer of events stopped, aoa daemon stop lets the next start repair it", "consumer", x.Name(),
				"batch", seq, "err", err)
		}
	}
}

// applyTo turns a panic into an error.
func (c *consumers) applyTo(ctx context.Context, x Follower, seq int64, events []event.Event) (err error) {
	defer func() {
		if r := recover(); r != nil {
			c.log.Error("a consumer panicked", "consumer", x.Name(), "batch", seq, "panic", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return x.Apply(ctx, seq, events)
}

func (c *consumers) failure(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopped[name]
}

// replay gives the consumers what the log has beyond the oldest state. It returns how many events the log held there
// and the number of its last batch.
func (c *consumers) replay(ctx context.Context, db *cold.DB) (events int, last int64, err error) {
	last = c.list[0].Applied()
	for _, x := range c.list[1:] {
		last = min(last, x.Applied())
	}
	err = db.Replay(ctx, last, func(seq int64, batch []event.Event) error {
		events += len(batch)
		last = seq
		c.apply(ctx, seq, batch)
		return ctx.Err()
	})
	for _, x := range c.list {
		last = max(last, x.Applied())
	}
	return events, last, err
}

// save writes every state that is whole and not on the disk yet, that of the first consumer last: the time of its
// snapshot is shown as that of all. A consumer that stopped keeps what it wrote before.
func (c *consumers) save(ctx context.Context) error {
	var errs []error
	for _, x := range slices.Backward(c.list) {
		c.mu.Lock()
		done := c.stopped[x.Name()] != nil || c.durable[x.Name()] == x.Applied()
		c.mu.Unlock()
		if done {
			continue
		}
		durable, err := x.Flush(ctx)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", x.Name(), err))
			continue
		}
		c.mu.Lock()
		c.durable[x.Name()] = durable
		c.mu.Unlock()
	}
	return errors.Join(errs...)
}

// gone notes that states on the disk may have been deleted.
func (c *consumers) gone() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.durable)
}

// Kept is the number of the last batch that every consumer holds durably. The log must keep what follows it.
func (c *consumers) Kept() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := c.durable[c.list[0].Name()]
	for _, x := range c.list[1:] {
		kept = min(kept, c.durable[x.Name()])
	}
	return kept
}
