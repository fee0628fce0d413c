package hot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// shared is a server to which the views of an embedded store turn for scores.
type shared struct {
	far  atomic.Pointer[Store]
	lost atomic.Pointer[func(error)]
}

// Share makes this store's views read scores from far, a server that several daemons learn into; sessions and facts,
// which are this daemon's own, stay here. When a view cannot read there in time it is answered from here, the sharing
// ends and lost is called with the reason. nil ends it. Views that were begun before stay what they were. far takes no
// snapshots any more.
func (s *Store) Share(far *Store, lost func(error)) {
	if far != nil {
		far.writing.Lock()
		far.untracked = true
		far.writing.Unlock()
	}
	s.shared.lost.Store(&lost)
	s.shared.far.Store(far)
}

// Shared reports whether views read scores from a server.
func (s *Store) Shared() bool { return s.shared.far.Load() != nil }

// ErrSlow says that the server did not answer within a question's time; it may be well otherwise.
var ErrSlow = errors.New("the server was too slow for a question")

// farTime is how long a view without a deadline waits for the server.
const farTime = time.Second

// readShared answers the gets of scores from the server if there is one. It takes at most half of the time that is
// left, so that the store here can still answer.
func (s *Store) readShared(ctx context.Context, gets []*get) error {
	far := s.shared.far.Load()
	if far == nil || len(gets) == 0 {
		return s.read(ctx, gets)
	}
	left := farTime
	if until, ok := ctx.Deadline(); ok {
		left = min(left, time.Until(until)/2)
	}
	bounded, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	err := far.read(bounded, gets)
	if err == nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	if bounded.Err() != nil || errors.Is(err, os.ErrDeadlineExceeded) { // the client may give up a moment before the context
		err = fmt.Errorf("%w: %w", ErrSlow, err)
	}
	if s.shared.far.CompareAndSwap(far, nil) {
		if lost := s.shared.lost.Load(); lost != nil && *lost != nil {
			(*lost)(err)
		}
	}
	return s.read(ctx, gets)
}

func isNil(err error) bool { return errors.Is(err, redis.Nil) }
