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

// ErrRunning means that another daemon holds the repository's lock.
var ErrRunning = errors.New("another daemon serves this repository")

const (
	lockEvery = 10 * time.Millisecond // time between two checks of a lock that is held
	lockWait  = time.Minute           // time for a holder that neither listens nor leaves
)

// Lock takes the store's lock file. Whoever holds the lock owns the socket, so any existing socket
// is a leftover. If the holder listens on the socket, another daemon has won. If it does not, it is
// about to listen or writes its last snapshot; Lock then waits for its turn. The error is
// fs.ErrNotExist if the store was deleted meanwhile: the lock of a deleted store protects nothing,
// and its holder would share the databases of the next store with that store's daemon.
func Lock(ctx context.Context, p locate.Place) (*flock.Flock, error) {
	l := flock.New(p.Lock(), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for {
		won, err := l.TryLock()
		switch {
		case err != nil:
			return nil, fmt.Errorf("lock store %s: %w", p.Store, err)
		case won && !stands(l):
			return nil, errors.Join(l.Unlock(), fmt.Errorf("store %s was deleted: %w", p.Store, fs.ErrNotExist))
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

// stands reports whether the lock file still has its name.
func stands(l *flock.Flock) bool {
	held, err := l.Stat()
	return err == nil && named(l.Path(), held)
}

// named reports whether a file still has its name.
func named(path string, file os.FileInfo) bool {
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(file, now)
}

// Gone waits until no daemon holds the repository's lock, which means that everything has been
// written. It returns the lock, held, so that no daemon starts before the store is deleted. If
// there is no lock file, the returned lock is not held. The caller unlocks it.
func Gone(ctx context.Context, p locate.Place) (*flock.Flock, error) {
	for {
		l := flock.New(p.Lock(), flock.SetFlag(os.O_RDONLY))
		_, err := l.TryLockContext(ctx, lockEvery)
		switch {
		case err == nil && stands(l), errors.Is(err, fs.ErrNotExist):
			return l, nil
		case err == nil:
			err = l.Unlock() // another store has replaced this one
		}
		if err != nil {
			return nil, fmt.Errorf("check the lock of %s: %w", p.Store, err)
		}
	}
}
