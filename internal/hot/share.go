package hot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// shared is where views read scores.
type shared struct{ remote atomic.Pointer[remote] }

// remote is a server that several daemons learn into.
type remote struct {
	scores Reader
	lost   func(error)
}

// Share makes this store's views read scores from a server that several daemons learn into; sessions and facts, which
// are this daemon's own, stay here. When a view cannot read there in time it is answered from here, the sharing ends,
// and lost is called with the reason. A nil Reader ends the sharing.
func (s *Store) Share(scores Reader, lost func(error)) {
	if scores == nil {
		s.shared.remote.Store(nil)
		return
	}
	s.shared.remote.Store(&remote{scores, lost})
}

// Shared reports whether views read scores from a server.
func (s *Store) Shared() bool { return s.shared.remote.Load() != nil }

// ErrSlow means that the server did not answer within a question's time; it may be well otherwise.
var ErrSlow = errors.New("the server was too slow for a question")

// remoteTime is how long a view without a deadline waits for the server.
const remoteTime = time.Second

// readShared reads sets from the server. It takes at most half of the time that is left, so that the store here can
// still answer. It reports false when the server did not.
func (s *Store) readShared(ctx context.Context, sets []*SetRead) (answered bool, err error) {
	r := s.shared.remote.Load()
	if r == nil {
		return false, nil
	}
	left := remoteTime
	if until, ok := ctx.Deadline(); ok {
		left = min(left, time.Until(until)/2)
	}
	bounded, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	err = r.scores.Read(bounded, &Reads{Sets: sets})
	if err == nil || ctx.Err() != nil {
		return err == nil, errors.Join(err, ctx.Err())
	}
	if bounded.Err() != nil || errors.Is(err, os.ErrDeadlineExceeded) { // the client may give up a moment before the context
		err = fmt.Errorf("%w: %w", ErrSlow, err)
	}
	if s.shared.remote.CompareAndSwap(r, nil) && r.lost != nil {
		r.lost(err)
	}
	return false, nil
}
