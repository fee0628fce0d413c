package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/aoa-dev/aoa/internal/api"
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
}

// Run serves the repository until ctx ends, somebody sends /v1/stop, nobody called for the configured idle
// time, or the repository is gone. It returns ErrRunning when another daemon serves it. What was accepted is
// durable when it returns.
func Run(ctx context.Context, o Options) error {
	held, err := lock(o.Place)
	if err != nil {
		return err
	}
	defer held.Unlock()
	cfg, warnings, err := config.Load(o.Env, o.Place.Store)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		o.Log.Warn("config", "warning", w.String())
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	h, err := build(ctx, o, cfg)
	if err != nil {
		return err
	}
	h.stop = stop
	for _, w := range warnings {
		h.warn(w.String())
	}
	ln, err := api.Listen(o.Place)
	if err != nil {
		return errors.Join(err, h.close())
	}
	defer os.Remove(o.Place.Socket)
	err = h.serve(ctx, ln)
	if cause := context.Cause(ctx); cause != nil {
		o.Log.Info("stopping", "cause", cause.Error())
	}
	return errors.Join(err, h.close())
}

// serve runs every part until ctx ends. All goroutines of the daemon start here.
func (h *house) serve(ctx context.Context, ln net.Listener) error {
	server := &api.Server{Frame: h.frame, HTTP: h.routes(), Build: h.o.Build, Now: h.o.Now}
	// The journal outlives the rest: what the others accept while they stop must still be written.
	tail, endTail := context.WithCancel(context.WithoutCancel(ctx))
	defer endTail()
	drained := make(chan error, 1)
	go func() { drained <- h.journal.Run(tail) }()

	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return server.Serve(ctx, ln) })
	g.Go(func() error { return h.metricsTCP(ctx) })
	g.Go(func() error { return h.reconciler(ctx) })
	g.Go(func() error { return h.importer(ctx) })
	g.Go(func() error { return h.cron(ctx) })
	g.Go(func() error { return h.idle(ctx) })
	g.Go(func() error { return h.watchers(ctx) })
	if h.o.Ready != nil {
		h.o.Ready()
	}
	err := g.Wait()
	endTail()
	if err := <-drained; err != nil {
		h.o.Log.Error("last events not written", "err", err)
	}
	if h.stopped != nil {
		defer close(h.stopped)
	}
	if serr := h.snapshot(context.WithoutCancel(ctx)); serr != nil {
		h.o.Log.Error("last snapshot not written", "err", serr)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, watcher.ErrRepoGone) {
		return nil
	}
	return err
}

// The causes of a stop, for the log.
var (
	errIdle    = errors.New("nobody called for the idle time")
	errAsked   = errors.New("a client asked for it")
	errDeleted = fmt.Errorf("the repository is gone")
)

// idle stops the daemon when nobody called for the configured time.
func (h *house) idle(ctx context.Context) error {
	t := time.NewTicker(time.Minute)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
		if _, err := os.Stat(h.o.Place.Store); errors.Is(err, os.ErrNotExist) {
			h.stop(errDeleted)
			return nil
		}
		limit := h.config().IdleTimeout
		if limit > 0 && h.o.Now().Sub(time.UnixMilli(h.called.Load())) > limit {
			h.stop(errIdle)
			return nil
		}
	}
}
