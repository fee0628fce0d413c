package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/watcher"
)

// Options of a daemon. All fields but Ready are needed.
type Options struct {
	Repo    *watcher.Repo // the worktree it was started in; others join when somebody calls from there
	Place   api.Place     // made by api.Create
	Env     []string      // os.Environ()
	Version string
	Build   string // see api.BuildHeader
	Now     func() time.Time
	Log     *slog.Logger
	Ready   func() // called once it listens

	Patience int64 // how many times longer than usual hooks wait for an answer (client.Factor); 0 is 1

	lockFile fs.FileInfo  // the lock that this daemon holds, to notice a store that was made in place of its own
	asked    *atomic.Bool // a client asked for the end while one life was giving way to the next: the next must not begin
}

// Run serves the repository until ctx ends, somebody sends /v1/stop, nobody called for the configured idle
// time, or the repository is gone. It returns ErrRunning when another daemon serves it. What was accepted is
// durable when it returns.
//
// The end has an order: nobody new connects; who had connected is served; watchers hand in what was at rest; the
// journal drains; the snapshot is written; the stores are closed; the lock is free.
func Run(ctx context.Context, o Options) error {
	held, err := lock(ctx, o.Place)
	if err != nil {
		return err
	}
	defer held.Unlock() //nolint:errcheck // the process ends, and its locks with it
	if o.lockFile, err = held.Stat(); err != nil {
		return fmt.Errorf("stat lock of %s: %w", o.Place.Store, err)
	}
	defer limitMemory(o.Env, MemoryLimit)()
	o.asked = new(atomic.Bool)
	for range maxLives {
		cause, err := live(ctx, o)
		o.Log.Info("stopped", "cause", cause)
		if err != nil || o.asked.Load() || !errors.Is(cause, errForgot) && !errors.Is(cause, cold.ErrDamaged) {
			return err
		}
	}
	return fmt.Errorf("began anew %d times: see the log", maxLives)
}

// maxLives bounds how often one daemon begins anew: after what it has learned was to be forgotten in part, and after
// it met damage.
const maxLives = 1000

// live serves with stores of its own until something ends it, and says what.
func live(ctx context.Context, o Options) (cause, err error) {
	cfg, warnings, err := config.Load(o.Env, o.Place.Store)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	h, err := build(ctx, o, cfg)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return context.Cause(ctx), nil // the end came while the stores were being opened
	}
	if err != nil {
		return nil, err
	}
	d.stop = stop
	for _, w := range warnings {
		d.alert.Warn("config: " + w.String())
	}
	ln, err := api.Listen(o.Place)
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	err = d.serve(ctx, ln)
	return context.Cause(ctx), errors.Join(err, d.close(), d.salvage())
}

// salvage gives what a damaged store did not take any more to a fresh one: opening moves the damaged one aside.
func (d *Daemon) salvage() error {
	events, why := d.events.left()
	if len(events) == 0 || !errors.Is(why, cold.ErrDamaged) {
		return nil
	}
	db, err := cold.Open(context.Background(), d.database(), cold.Options{Now: d.now, Log: d.log, Seal: d.seal})
	if err == nil {
		_, _, err = db.Append(context.Background(), events)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		return fmt.Errorf("%d events are lost: %w", len(events), err)
	}
	return nil
}

// serve runs every part until ctx ends. All goroutines of the daemon start here.
func (d *Daemon) serve(ctx context.Context, ln *api.Listener) error {
	server := &api.Server{Frame: d.frame, HTTP: d.routes(), Log: d.log, Build: d.o.Build}
	// The journal outlives the rest: what the others accept while they stop must still be written.
	tail, endTail := context.WithCancel(context.WithoutCancel(ctx))
	defer endTail()
	drained := make(chan error, 1)
	go func() { drained <- d.events.Run(tail) }()

	if err := d.logThreshold(ctx); err != nil {
		d.log.Warn("the threshold is not logged", "err", err)
	}
	g, ctx := errgroup.WithContext(ctx)
	for _, part := range []func(context.Context) error{d.metricsTCP, d.reconciler, d.importer, d.cron, d.idle, d.rest, d.watchers, d.snapshotSoon, d.answers.run, d.sessions.Run, d.stages.run,
		d.sequences.Run, d.sharing.run, d.eraser, d.marker} {
		g.Go(func() error { return part(ctx) })
	}
	g.Go(func() error { return server.Serve(ctx, ln) })
	if d.o.Ready != nil {
		d.o.Ready()
	}
	err := g.Wait()
	endTail()
	if err := <-drained; err != nil {
		d.log.Error("last events not written", "err", err)
	}
	if d.replaced() {
		return nil // what is left to write belongs to a store that nobody will read
	}
	if serr := d.snapshot(context.WithoutCancel(ctx)); serr != nil {
		d.log.Error("last snapshot not written", "err", serr)
	}
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// The causes of a stop, for the log.
var (
	errIdle    = errors.New("nobody called for the idle time")
	errAsked   = errors.New("a client asked for it")
	errDeleted = errors.New("the repository is gone")
	errForgot  = errors.New("what was forgotten must go out of what was learned")
)

// look around at least so often, and not more often than that.
const (
	idleAtMost  = 5 * time.Second
	idleAtLeast = 100 * time.Millisecond
)

// Memory is given back to the system when nobody has called for restAfter, and the pages of the program when nobody has
// for sleepAfter: the next hook takes 0.6 ms more for those, which would be too much between two calls of an agent.
// That is looked at every restLook.
const (
	restLook   = 5 * time.Second
	restAfter  = 4 * time.Second
	sleepAfter = time.Minute
)

// rest gives back to the system what a burst of work, an import or the start has left unused.
func (d *Daemon) rest(ctx context.Context) error {
	rested, asleep := int64(-1), int64(-1) // the last call before memory, and before the program was given back
	for pause(ctx, restLook) {
		last := d.called.Load()
		quiet := d.now().Sub(time.UnixMilli(last))
		sleep := quiet >= sleepAfter && last != asleep
		if d.importingNow() || quiet < restAfter || last == rested && !sleep {
			continue
		}
		d.hot.Compact()
		debug.FreeOSMemory() // a second time when it falls asleep: the snapshot of the last minute is written by then
		rested = last
		if sleep {
			releaseProgram()
			asleep = last
		}
	}
	return nil
}

// replaced reports whether the store is gone, or another one lies at its path: the repository was deleted, moved or
// cloned again, or the store was deleted and made again. Nothing may be written by name then.
func (d *Daemon) replaced() bool {
	now, err := os.Stat(d.o.Place.Lock())
	return errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(d.o.lockFile, now)
}

// idle stops the daemon when nobody called for the configured time, or its store was replaced.
func (d *Daemon) idle(ctx context.Context) error {
	owed := false // it was said that events wait
	for wait := idleAtLeast; pause(ctx, wait); {
		if d.replaced() {
			d.stop(errDeleted)
			return nil
		}
		wait = idleAtMost
		limit := d.settings.get().IdleTimeout
		if limit == 0 || d.importingNow() || d.leap() > longestSleep { // a clock that leapt says nothing of how long it was
			continue
		}
		left := limit - d.now().Sub(time.UnixMilli(d.called.Load()))
		switch {
		case left > 0:
		case d.owes():
			if !owed {
				owed = true
				d.alert.Warn("idle, but the daemon goes on: events wait that cannot be written")
			}
			continue
		default:
			d.stop(errIdle)
			return nil
		}
		wait = min(wait, max(left, idleAtLeast))
	}
	return nil
}
