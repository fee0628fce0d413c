package daemon

import (
	"context"
	"errors"
	"fmt"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
)

// end answers a request to stop. A daemon whose events cannot be written goes on, with the events in memory, unless it
// is forced: it cannot take back a stop that it has begun. A damaged store is no reason to go on, because salvage gives
// the events to a fresh one.
func (s *statusHandler) end(ctx context.Context, r api.StopRequest) (api.StopAnswer, error) {
	var out api.StopAnswer
	if r.Unless != "" && r.Unless == s.o.Build {
		return out, nil
	}
	if err := s.events.Flush(ctx); err != nil && !errors.Is(err, cold.ErrDamaged) {
		waiting, _, _ := s.events.Trouble()
		switch {
		case ctx.Err() != nil:
			return out, err // who asked has gone
		case !r.Force:
			return out, &api.Error{Code: api.CodeFull, Message: fmt.Sprintf("%d events cannot be written, the daemon goes on with them in memory: %v", waiting, err),
				Hint: "free some space on that disk, then aoa stop; aoa stop --force loses them"}
		}
		out.Unwritten, out.Why = waiting, err.Error()
	}
	s.o.asked.Store(true)
	s.stop(errAsked)
	return out, nil
}

// owes reports whether events wait that could not be written: then the daemon does not stop by itself.
func (s *statusHandler) owes() bool {
	waiting, _, err := s.events.Trouble()
	return err != nil && waiting > 0
}
