package daemon

import (
	"context"

	"github.com/aoa-dev/aoa/internal/cold"
)

// room is a part of the house with a file of its own under the store, opened when somebody asks it.
type room interface {
	Rest() error  // closes the file if nobody used it since the last Rest
	Close() error // closes the file
	sweep(ctx context.Context)
	forget(ctx context.Context, f cold.ForgetFilter) error
}

// rooms are those that are kept so; house.open makes them.
func (h *house) rooms() []room {
	if h.shelf == nil {
		return nil // the stores below did not open
	}
	return []room{h.shelf, h.desk, sequences{h.sequences, h}}
}

// How long an unused file stays open, at least, and how often rooms take out what is past its time; each of them knows
// what that is, so it costs a question.
const (
	restSchedule  = "@every 1m"
	sweepSchedule = "@hourly"
)

// sweepRooms takes out what is past its time, unless the clock cannot be trusted.
func (h *house) sweepRooms(ctx context.Context) {
	if !h.sound() {
		return
	}
	for _, r := range h.rooms() {
		r.sweep(ctx)
	}
}

func (h *house) restRooms() {
	for _, r := range h.rooms() {
		if err := r.Rest(); err != nil {
			h.o.Log.Warn("a room's file not closed", "err", err)
		}
	}
}
