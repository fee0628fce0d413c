package cold

import (
	"context"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Numbered is an event with its place in the log: one sequence for prompts and actions of all sessions. Numbers
// grow with the order in which events were accepted and have gaps. Only Forget may let numbers be used again.
type Numbered struct {
	Seq int64
	event.Event
}

// Thread returns what people and agents did in a session, in the order of the log: the newest limit events with
// numbers over after, and of the older ones the prompts with numbers over prompts. Predictions and their outcomes
// are not among them.
func (d *DB) Thread(ctx context.Context, session string, after, prompts int64, limit int) ([]Numbered, error) {
	return d.numbered(ctx, "thread", session, after, prompts, limit)
}

// Turn returns an event of a session by its number, and at most limit-1 of those behind it.
func (d *DB) Turn(ctx context.Context, session string, from int64, limit int) ([]Numbered, error) {
	return d.numbered(ctx, "turn", session, from, limit)
}

// Prompts returns the prompts of all sessions in the order of the log: the newest limit ones with numbers over
// after. The first call reads the whole log, later ones what came since.
func (d *DB) Prompts(ctx context.Context, after int64, limit int) ([]Numbered, error) {
	return d.numbered(ctx, "prompts_after", after, limit)
}

func (d *DB) numbered(ctx context.Context, name string, args ...any) ([]Numbered, error) {
	var out []Numbered
	err := d.Each(ctx, name, args, func(row Row) error {
		var n Numbered
		var r eventRow
		if err := r.scan(row, &n.Seq); err != nil {
			return err
		}
		var err error
		if n.Event, err = r.event(d.seal); err == nil {
			out = append(out, n)
		}
		return err
	})
	slices.Reverse(out)
	return out, err
}
