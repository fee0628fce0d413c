package api

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"

	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/internal/schedule"
)

// ErrRunning says that another daemon holds the repository's lock: it has won the race.
var ErrRunning = errors.New("another daemon serves this repository")

const (
	lockEvery = 10 * time.Millisecond // between two checks of a lock that is held
	lockWait  = time.Minute           // for a holder that neither listens nor leaves
)

// Lock takes the store's lock file. Whoever holds it owns the socket, so a socket found then is stale. A holder
// that listens has won. One that does not is about to listen, or writes its last snapshot: then this one is next.
func Lock(ctx context.Context, p locate.Place) (*flock.Flock, error) {
	l := flock.New(p.Lock(), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for {
		won, err := l.TryLock()
		switch {
		case err != nil:
			return nil, fmt.Errorf("lock store %s: %w", p.Store, err)
		case won:
			return l, nil
		}
		if conn, err := Dial(ctx, p); err == nil {
			conn.Close()
			return nil, ErrRunning
		}
		if !schedule.Pause(ctx, lockEvery) {
			return nil, ErrRunning
		}
	}
}

// Gone waits until no daemon holds the repository's lock: then everything is written, and the store may be deleted.
func Gone(ctx context.Context, p locate.Place) error {
	for {
		l := flock.New(p.Lock(), flock.SetFlag(os.O_RDONLY))
		free, err := l.TryRLock()
		if free {
			return l.Unlock()
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("check the lock of %s: %w", p.Store, err)
		}
		if !schedule.Pause(ctx, lockEvery) {
			return ctx.Err()
		}
	}
}
