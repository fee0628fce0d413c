package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/gofrs/flock"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/watcher"
)

// Options are the options of Run. All fields but Level and Ready are required.
type Options struct {
	Repo    *watcher.Repo // the worktree in which it was started; others are added when a client calls from there
	Place   locate.Place  // created by locate.Create
	Env     []string      // os.Environ()
	Version string
	Build   string // see api.BuildHeader
	Now     func() time.Time
	Log     *slog.Logger
	Level   *slog.LevelVar // the level of Log, which follows the setting
	Ready   func()         // called once it listens

	// Factor by which hooks wait longer than usual for an answer (client.Factor); 0 means 1.
	Patience int64

	// The lock that this daemon holds, to notice that another store has replaced its own.
	lockFile fs.FileInfo
}

// Replaced reports whether the store is gone or another one is at its path, because the repository
// was deleted, moved or cloned again, or the store was deleted and created again. Nothing may then
// be written by name.
func (o *Options) Replaced() bool {
	now, err := os.Stat(o.Place.Lock())
	return errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(o.lockFile, now)
}

// hold takes the lock of the store.
func (o *Options) hold(ctx context.Context) (*flock.Flock, error) {
	held, err := api.Lock(ctx, o.Place)
	if err != nil {
		return nil, err
	}
	if o.lockFile, err = held.Stat(); err != nil {
		return nil, errors.Join(held.Unlock(), fmt.Errorf("stat lock of %s: %w", o.Place.Store, err))
	}
	return held, nil
}

// Run serves the repository until ctx ends, a client sends /v1/stop, no client calls for the
// configured idle time, or the repository is gone. It returns api.ErrRunning if another daemon
// serves the repository. When Run returns, everything that was accepted is durable.
//
// It stops in this order: no new client connects; connected clients are served; watchers report
// changes that have paused; the event log is drained; the snapshot is written; the stores are
// closed; the lock is released.
func Run(ctx context.Context, o Options) error {
	held, err := o.hold(ctx)
	if err != nil {
		return err
	}
	defer held.Unlock() // the process ends, and its locks with it
	return o.open(ctx, func(ctx context.Context, d *Daemon) error {
		ln, err := api.Listen(o.Place)
		if err != nil {
			return err
		}
		return d.serve(ctx, ln)
	})
}

// Try opens what a daemon needs and closes it again, without serving anybody. The error tells why
// no daemon can start. It is nil if one is running. Try waits for the lock of the store until ctx
// ends.
func Try(ctx context.Context, o Options) error {
	held, err := o.hold(ctx)
	if errors.Is(err, api.ErrRunning) {
		return nil
	}
	if err != nil {
		return err
	}
	defer held.Unlock()
	return o.open(ctx, func(context.Context, *Daemon) error { return nil })
}

// maxDamaged is how often one daemon may open its stores after meeting damage. After that the disk
// must be bad.
const maxDamaged = 1000

// open opens the stores, calls use until something stops it, and closes the stores. If damage was
// found, it opens them again: package cold has noted the damage, and checks the whole file. If that fails twice
// in a row, as where a damaged file cannot be moved aside, it is given up.
func (o Options) open(ctx context.Context, use func(context.Context, *Daemon) error) error {
	var failed error
	for range maxDamaged {
		cause, err := o.openOnce(ctx, use)
		o.Log.Info("stopped", "cause", cause)
		if !errors.Is(cmp.Or(err, cause), cold.ErrDamaged) || err != nil && failed != nil {
			return err
		}
		failed = err
	}
	return fmt.Errorf("damage was found %d times: see the log", maxDamaged)
}

func (o Options) openOnce(ctx context.Context, use func(context.Context, *Daemon) error) (cause, err error) {
	cfg, warnings, err := config.Load(o.Env, o.Place.Settings())
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	d := newDaemon(o, cfg, stop)
	if err := d.load(ctx); err != nil {
		if errors.Is(err, context.Canceled) && ctx.Err() != nil {
			err = nil // it was stopped while the stores were being opened
		}
		return context.Cause(ctx), err
	}
	for _, w := range warnings {
		d.alert.Warn("config: " + w)
	}
	err = use(ctx, d)
	return context.Cause(ctx), errors.Join(err, d.close())
}

// The causes of a stop, for the log.
var (
	errAsked    = errors.New("a client asked for it")
	errDeleted  = errors.New("the repository is gone")
	errNameless = errors.New("the file of its socket was deleted")
)
