package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/aoa-dev/aoa/internal/api"
)

// ErrRunning is returned by Run when another daemon holds the repository's lock: it has won the race.
var ErrRunning = errors.New("another daemon serves this repository")

// lock takes the store's lock file. Whoever holds it owns the socket, so a socket found then is stale.
func lock(p api.Place) (*flock.Flock, error) {
	l := flock.New(filepath.Join(p.Store, "lock"), flock.SetPermissions(0o600))
	won, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock store %s: %w", p.Store, err)
	}
	if !won {
		return nil, ErrRunning
	}
	return l, nil
}

// Spawn starts a daemon for the repository in dir as a process of its own and returns at once: the caller
// dials until it listens. Of several that are spawned, one gets the lock and the others exit.
func Spawn(_ context.Context, dir string, env []string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find own binary: %w", err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	cmd := exec.Command(self, "daemon")
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = null, null, null
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start daemon: %w", err)
	}
	return cmd.Process.Release()
}
