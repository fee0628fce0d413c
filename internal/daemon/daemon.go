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
	h.stop = stop
	for _, w := range warnings {
		h.loud.Warn("config: " + w.String())
	}
	ln, err := api.Listen(o.Place)
	if err != nil {
		return nil, errors.Join(err, h.close())
	}
	err = h.serve(ctx, ln)
	return context.Cause(ctx), errors.Join(err, h.close(), h.salvage())
}

// salvage gives what a damaged store did not take any more to a fresh one: opening moves the damaged one aside.
func (h *house) salvage() error {
	events, why := h.journal.left()
	if len(events) == 0 || !errors.Is(why, cold.ErrDamaged) {
		return nil
	}
	db, err := cold.Open(context.Background(), h.database(), cold.Options{Now: h.o.Now, Log: h.o.Log, Seal: h.seal})
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
func (h *house) serve(ctx context.Context, ln *api.Listener) error {
	server := &api.Server{Frame: h.frame, HTTP: h.routes(), Log: h.o.Log, Build: h.o.Build}
	// The journal outlives the rest: what the others accept while they stop must still be written.
	tail, endTail := context.WithCancel(context.WithoutCancel(ctx))
	defer endTail()
	drained := make(chan error, 1)
	go func() { drained <- h.journal.Run(tail) }()

	if err := h.logThreshold(ctx); err != nil {
		h.o.Log.Warn("the threshold is not logged", "err", err)
	}
	g, ctx := errgroup.WithContext(ctx)
	for _, part := range []func(context.Context) error{h.metricsTCP, h.reconciler, h.importer, h.cron, h.idle, h.rest, h.watchers, h.snapshotSoon, h.answers.run, h.desk.Run, h.stages.run,
		h.sequences.Run, h.share.run, h.eraser, h.marker} {
		g.Go(func() error { return part(ctx) })
	}
	g.Go(func() error { return server.Serve(ctx, ln) })
	if h.o.Ready != nil {
		h.o.Ready()
	}
	err := g.Wait()
	endTail()
	if err := <-drained; err != nil {
		h.o.Log.Error("last events not written", "err", err)
	}
	if h.replaced() {
		return nil // what is left to write belongs to a store that nobody will read
	}
	if serr := h.snapshot(context.WithoutCancel(ctx)); serr != nil {
		h.o.Log.Error("last snapshot not written", "err", serr)
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
func (h *house) rest(ctx context.Context) error {
	rested, asleep := int64(-1), int64(-1) // the last call before memory, and before the program was given back
	for pause(ctx, restLook) {
		last := h.called.Load()
		quiet := h.o.Now().Sub(time.UnixMilli(last))
		sleep := quiet >= sleepAfter && last != asleep
		if h.importingNow() || quiet < restAfter || last == rested && !sleep {
			continue
		}
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
func (h *house) replaced() bool {
	now, err := os.Stat(h.o.Place.Lock())
	return errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(h.o.lockFile, now)
}

// idle stops the daemon when nobody called for the configured time, or its store was replaced.
func (h *house) idle(ctx context.Context) error {
	owed := false // it was said that events wait
	for wait := idleAtLeast; pause(ctx, wait); {
		if h.replaced() {
			h.stop(errDeleted)
			return nil
		}
		wait = idleAtMost
		limit := h.config().IdleTimeout
		if limit == 0 || h.importingNow() || h.leap() > longestSleep { // a clock that leapt says nothing of how long it was
			continue
		}
		left := limit - h.o.Now().Sub(time.UnixMilli(h.called.Load()))
		switch {
		case left > 0:
		case h.owes():
			if !owed {
				owed = true
				h.loud.Warn("idle, but the daemon goes on: events wait that cannot be written")
			}
			continue
		default:
			h.stop(errIdle)
			return nil
		}
		wait = min(wait, max(left, idleAtLeast))
	}
	return nil
}
