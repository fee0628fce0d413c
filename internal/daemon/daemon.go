package daemon

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/hint"
	"github.com/aoa-dev/aoa/internal/llmcache"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/internal/log"
	"github.com/aoa-dev/aoa/internal/monitor"
	"github.com/aoa-dev/aoa/internal/reload"
	"github.com/aoa-dev/aoa/internal/schedule"
	"github.com/aoa-dev/aoa/internal/session/contexts"
	"github.com/aoa-dev/aoa/internal/stage"
	"github.com/aoa-dev/aoa/internal/team"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/watcher"
)

// Daemon connects the parts of a running daemon. It has no rules about scores, hints or sessions
// itself.
type Daemon struct {
	o        Options
	now      func() time.Time
	log      *slog.Logger
	alert    *slog.Logger // a log whose warnings aoa status shows
	settings *config.Settings
	stop     context.CancelCauseFunc
	warnings *monitor.Warnings
	calls    *schedule.Calls
	started  time.Time
	idle     *schedule.Idle
	metrics  *monitor.Metrics

	seal   *cold.Seal // seals texts
	db     *cold.DB
	events *log.Log // the log with the states that are computed from it

	worktrees *checkout.Set
	// learns from events; each worktree has its own Prefetcher for answering questions
	predictions *prefetch.Prefetcher
	team        *team.Team
	contexts    *contexts.Assembler
	blobs       *cold.Blobs
	cache       *llmcache.Cache
	left        schedule.Signal // a session may have ended
	sequences   *reload.Cache

	stages   *stage.Cache
	hints    *hint.Hints
	listener *api.Listener
	serving  context.Context // ends when the daemon stops, which also ends requests that wait for others
}

// newDaemon returns a daemon without opening anything.
func newDaemon(o Options, cfg config.Config, stop context.CancelCauseFunc) *Daemon {
	d := &Daemon{o: o, now: o.Now, started: o.Now(), log: o.Log, stop: stop,
		settings: config.Open(o.Env, o.Place.Store, o.Place.Settings(), o.Now, cfg),
		warnings: &monitor.Warnings{}, calls: &schedule.Calls{}, metrics: monitor.NewMetrics(),
		left: schedule.NewSignal()}
	d.alert = d.warnings.Logger(o.Log)
	d.calls.Begin(o.Now())
	return d
}

// startPercent is the garbage collector's percentage, instead of 100, until the daemon listens.
// Most of what is allocated then stays, and a collector that keeps the heap small would scan all of
// it for nothing.
const startPercent = 400

// load opens the stores, wires the parts, and replays the log.
func (d *Daemon) load(ctx context.Context) (err error) {
	home, listed := checkout.New(d.o.Repo), make(chan struct{})
	go func() { // while the stores are opened and the snapshot is read
		defer close(listed)
		home.ReadFirst(ctx, d.log)
	}()
	defer func() { <-listed }()
	if d.seal, err = cold.OpenSeal(locate.KeyFile(config.Lookup(d.o.Env))); err != nil {
		return err
	}
	o := cold.Options{Now: d.now, Log: d.alert, Seal: d.seal, Damaged: func() { d.stop(cold.ErrDamaged) }}
	ofLog := o
	ofLog.Full = d.settings.Get().Durability == "full"
	if d.db, err = cold.Open(ctx, filepath.Join(d.settings.Store, "aoa.db"), ofLog); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.close())
		}
	}()
	defer debug.SetGCPercent(debug.SetGCPercent(startPercent))
	if d.blobs, err = cold.OpenBlobs(ctx, filepath.Join(d.settings.Store, "cache.db"), o); err != nil {
		return err
	}
	d.events, err = log.Open(ctx, log.Options{DB: d.db, Blobs: d.blobs, Kept: cold.NewSnapshot(d.db, d.blobs, "states"),
		Now: d.now, Log: d.log, Alert: d.alert, Count: d.metrics, EndsTurns: endsTurns, After: d.applied, Gone: d.o.Replaced,
		Elsewhere: d.forgetElsewhere})
	<-listed
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	monitor.LimitMemory(d.o.Env, home.Tree().Len())
	if err := d.wire(ctx, home); err != nil {
		return err
	}
	return d.replay(ctx)
}

// wire joins the parts.
func (d *Daemon) wire(ctx context.Context, home *checkout.Checkout) error {
	words := func(terms []string) []string { return d.worktrees.Words(terms) } // worktrees is made below
	d.predictions = d.newPrefetcher()
	d.contexts = contexts.New(contexts.Options{DB: d.db, Words: words,
		Budget: d.contextBudget})
	d.cache = d.newCache()
	d.sequences = d.newSequences()

	id, err := d.db.Name(ctx)
	if err != nil {
		return err
	}
	if d.team, err = d.newTeam(ctx, id); err != nil {
		return err
	}
	d.worktrees = checkout.NewSet(checkout.Options{Home: d.o.Repo, Env: d.o.Env, Settings: d.settings, Now: d.now,
		Info: d.log, Alert: d.alert, DB: d.db, Hot: d.events.Hot, Sessions: d.events.Sessions, Prefetch: d.predictions,
		Seal: d.seal, Replaced: d.o.Replaced, Events: d.events}, home)
	d.worktrees.HeadMoved.Give() // begins to read the history
	d.wireParts()
	return nil
}

// wireParts creates the parts that need the others.
func (d *Daemon) wireParts() {
	d.stages = stage.New(stage.Options{Blobs: d.blobs, Now: d.now, Log: d.alert,
		Bytes: func() int64 { return d.settings.Get().StageBytes }})
	d.idle = &schedule.Idle{Calls: d.calls, Now: d.now, Alert: d.alert, Busy: d.worktrees.Importing,
		Limit:     func() time.Duration { return d.settings.Get().IdleTimeout },
		Unwritten: d.unwritten, Gone: d.gone, Stop: d.stop}
	d.hints = hint.New(hint.Options{Settings: d.settings, Now: d.now, Log: d.log, Factor: max(d.o.Patience, 1),
		Events: d.events, DB: d.db, Sessions: d.events.Sessions, Contexts: d.contexts,
		Sequences: d.sequences, Count: d.metrics})
}

// unwritten reports whether events wait that the disk does not take.
func (d *Daemon) unwritten() bool {
	st := d.events.Status()
	return st.Failing != nil && st.Waiting > 0
}

// gone returns why no client can be served any more, or nil. Without a name the daemon still writes what
// waits; where that fails, no other daemon could start either.
func (d *Daemon) gone() error {
	switch {
	case d.o.Replaced():
		return errDeleted
	case !d.listener.Named() && !d.unwritten():
		return errNameless
	}
	return nil
}

// watch follows the checkouts, and stops the daemon when the repository is gone.
func (d *Daemon) watch(ctx context.Context) error {
	err := d.worktrees.Run(ctx)
	if errors.Is(err, watcher.ErrRepoGone) {
		d.stop(errDeleted)
		return nil
	}
	return err
}

// serve runs every part until ctx ends. All goroutines of the daemon start here.
func (d *Daemon) serve(ctx context.Context, ln *api.Listener) error {
	server := &api.Server{HTTP: d.routes(), Log: d.log, Build: d.o.Build}
	d.listener = ln
	// The event log outlives the other parts, because what they accept while they stop must still
	// be written.
	tail, endTail := context.WithCancel(context.WithoutCancel(ctx))
	defer endTail()
	drained := make(chan error, 1)
	go func() { drained <- d.events.Run(tail) }()

	d.logThreshold()
	g, ctx := errgroup.WithContext(ctx)
	d.serving = ctx
	for _, part := range []func(context.Context) error{d.worktrees.RunHistory, d.worktrees.RunTranscripts, d.runJobs,
		d.idle.Run, d.idle.ReturnMemory, d.watch, d.sequences.Run, d.dropLeft, d.team.Run,
		d.finishForgetting, d.worktrees.RunSketches} {
		g.Go(func() error { return part(ctx) })
	}
	g.Go(func() error { server.Serve(ctx, ln); return nil })
	if d.o.Ready != nil {
		d.o.Ready()
	}
	err := g.Wait()
	_ = d.events.Flush(tail) // Run tells what is not written
	if !d.o.Replaced() {
		if err := d.sequences.Close(tail); err != nil {
			d.log.Error("the last inputs of calls could not be written", "err", err)
		}
	}
	endTail()
	if err := <-drained; err != nil {
		d.log.Error("last events not written", "err", err)
	}
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// close closes the stores.
func (d *Daemon) close() error {
	var err error
	if d.blobs != nil {
		err = d.blobs.Close()
	}
	return errors.Join(err, d.db.Close())
}

// repoID returns the name of the repository on a server that several clones use.
func (d *Daemon) repoID() string {
	switch {
	case d.settings.Get().RepoID != "":
		return d.settings.Get().RepoID
	case d.o.Repo.Origin != "":
		return locate.Fingerprint(d.o.Repo.Origin)
	}
	return locate.Fingerprint(d.o.Repo.CommonDir)
}

// newPrefetcher returns the Prefetcher whose state all checkouts share.
func (d *Daemon) newPrefetcher() *prefetch.Prefetcher {
	return prefetch.New(d.events.Predictions, d.events.Sessions, nil, prefetch.Options{Seed: d.repoID(),
		Settings: func() prefetch.Settings {
			c := d.settings.Get()
			return prefetch.Settings{Threshold: c.Threshold, List: c.ListThreshold, Holdout: c.Holdout, Tokens: c.SessionTokens}
		}})
}
