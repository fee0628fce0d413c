package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/eventlog"
)

// housekeeper logs ticks, writes what is only in memory, and drops what is past its time.
type housekeeper struct {
	base
	clock    *clock
	events   *eventlog.Log
	db       *cold.DB
	flush    func(context.Context) error
	blobs    *cold.Blobs
	files    []sideFile
	sweepers []func(context.Context)
	jobs     []job
}

// sideFile is a store with a file of its own, opened at the first use.
type sideFile interface {
	CloseIdle() error // closes the file if nobody used it since the last CloseIdle
	Close() error     // closes the file
}

const (
	// snapshotEvery is how often the consumers' states are written: a kill costs the next start the replay of so much,
	// some milliseconds. A snapshot of 100,000 files takes 0.1 s and writes up to 14 MB (BenchmarkSnapshot).
	snapshotEvery = 5 * time.Minute
	// closeEvery is how long an unused file stays open, at least.
	closeEvery = time.Minute
	// dueEvery is how often jobs are held against the clock: one that fell due while the machine slept begins so soon
	// after.
	dueEvery = time.Minute
	// retryAfter is when a job that failed is tried again, and when a log without a copy gets one.
	retryAfter = time.Hour
)

const day = 24 * time.Hour

// job is something that is done once in a period, however often the daemon starts meanwhile. When it was done is kept
// in the log's file, so that one that fell due while no daemon ran is done at the start.
type job struct {
	name   string
	every  time.Duration
	trusts bool // it drops what the clock calls old, so it waits while the clock cannot be believed
	do     func(context.Context) error
	urgent func() bool // it is due after retryAfter already; may be nil
}

// regular are the jobs, in the order in which they are done. A tick is an event: decay itself needs no pass (see
// hot), so ticks trim, drop what has faded, and sweep, at the same place in the log on every replay. Trimming bounds
// the sets, hence the hour. Scores fade within months, and entries that nothing updates last for weeks: a day and a
// week find few of them.
func (k *housekeeper) regular() []job {
	return []job{
		{name: "clock", every: time.Hour, do: func(ctx context.Context) error { return k.clock.compare(ctx, k.db) }},
		{name: "trim", every: time.Hour, trusts: true, do: k.tick("")},
		{name: "decay", every: day, trusts: true, do: k.tick("decay")},
		{name: "sweep", every: 7 * day, trusts: true, do: k.tick("sweep")},
		{name: "prune", every: time.Hour, do: k.prune},
		{name: "expire", every: time.Hour, trusts: true, do: k.expire},
		{name: "copy", every: day, do: k.copyLog, urgent: func() bool { return !k.db.HasCopy() }},
	}
}

// run does housekeeping until ctx ends, and waits for what is running.
func (k *housekeeper) run(ctx context.Context) error {
	log := cronLog{k.log}
	// Recover is the inner one: SkipIfStillRunning takes a job that panicked for one that still runs.
	guarded := cron.NewChain(cron.SkipIfStillRunning(log), cron.Recover(log))
	due := k.due(ctx, log)
	due() // a daemon that is stopped when idle may never meet a certain hour
	k.log.Debug("housekeeping at the start is done")
	c := cron.New()
	c.Schedule(cron.Every(dueEvery), guarded.Then(cron.FuncJob(due)))
	c.Schedule(cron.Every(snapshotEvery), guarded.Then(cron.FuncJob(func() { k.snapshot(ctx) })))
	c.Schedule(cron.Every(closeEvery), guarded.Then(cron.FuncJob(k.closeIdle)))
	c.Start()
	<-ctx.Done()
	<-c.Stop().Done()
	return nil
}

// due returns a function that does the jobs that are due, one after the other.
func (k *housekeeper) due(ctx context.Context, log cron.Logger) func() {
	var runs []cron.Job
	for _, j := range k.jobs {
		runs = append(runs, cron.Recover(log)(k.newRun(ctx, j)))
	}
	return func() {
		for _, r := range runs {
			r.Run()
		}
	}
}

// run is a job with the time of its last run.
type run struct {
	job
	k    *housekeeper
	ctx  context.Context
	last time.Time // zero: not known
}

func (k *housekeeper) newRun(ctx context.Context, j job) *run {
	r := &run{job: j, k: k, ctx: ctx}
	if v, err := k.db.Meta(ctx, r.meta()); err == nil {
		if ms, err := strconv.ParseInt(v, 10, 64); err == nil {
			r.last = time.UnixMilli(ms)
		}
	}
	return r
}

// meta is the name under which the log's file has the time.
func (r *run) meta() string { return "ran." + r.name }

// Run does the job if it is due. A last run in the future was under a clock that was ahead.
func (r *run) Run() {
	now, every := r.k.now(), r.every
	if r.urgent != nil && r.urgent() {
		every = retryAfter
	}
	if since := now.Sub(r.last); r.ctx.Err() != nil || since >= 0 && since < every || r.trusts && !r.k.clock.sound() {
		return
	}
	err := fmt.Errorf("the job %s panicked", r.name)
	defer func() { r.done(now, err) }()
	if err = r.do(r.ctx); err != nil && r.ctx.Err() == nil {
		r.k.log.Warn("a regular job failed, it is tried again in an hour", "job", r.name, "err", err)
	}
}

// done notes the run. One that was cut off by the daemon's end is not noted.
func (r *run) done(now time.Time, err error) {
	if r.ctx.Err() != nil {
		return
	}
	if r.last = now; err != nil && r.every > retryAfter {
		r.last = now.Add(retryAfter - r.every)
	}
	if err := r.k.db.SetMeta(r.ctx, r.meta(), strconv.FormatInt(r.last.UnixMilli(), 10)); err != nil {
		r.k.log.Warn("when a regular job ran is not kept", "job", r.name, "err", err)
	}
}

// tick logs this hour's tick of that kind, "" trims: two daemons on one store make it once.
func (k *housekeeper) tick(what string) func(context.Context) error {
	return func(context.Context) error {
		hour := k.now().UTC().Truncate(time.Hour)
		id := fmt.Sprintf("tick:%d", hour.Unix())
		if what != "" {
			id = fmt.Sprintf("tick:%s:%d", what, hour.Unix())
		}
		k.events.Add(event.Event{ID: id, Time: hour, Agent: "cron", Body: event.Tick{Job: what}})
		return nil
	}
}

// peerShare is the part of the log's size that events of other clones may take: one of so many.
const peerShare = 5

// prune keeps the log within its size.
func (k *housekeeper) prune(ctx context.Context) error {
	most, applied := k.settings.Get().RetentionBytes, k.events.Kept()
	peers, err := k.db.PrunePeers(ctx, most/peerShare, applied)
	if err != nil {
		return err
	}
	gone, err := k.db.Prune(ctx, most, applied)
	if err == nil && gone.Events+peers > 0 {
		k.log.Info("log pruned", "events", gone.Events, "of_peers", peers, "bytes", gone.Bytes)
	}
	return err
}

// expire drops what the stores keep for a time, and what daemons that were killed have left.
func (k *housekeeper) expire(ctx context.Context) error {
	for _, sweep := range k.sweepers {
		sweep(ctx)
	}
	gone, err := k.blobs.Sweep(ctx)
	for _, e := range gone {
		k.log.Info("cached things are past their time", "of", e.Owner, "session", e.Session, "count", e.Count, "bytes",
			e.Size)
	}
	store := k.settings.Store
	return errors.Join(err, atomicfile.Clean(store), atomicfile.Clean(filepath.Join(store, checkout.ContentsFolder)))
}

// copyLog makes the daily copy of the log.
func (k *housekeeper) copyLog(ctx context.Context) error {
	begin := k.now()
	made, err := k.db.Copy(ctx)
	if made {
		k.log.Info("log copied", "took", k.now().Sub(begin))
	}
	return err
}

func (k *housekeeper) snapshot(ctx context.Context) {
	if err := k.flush(ctx); err != nil && ctx.Err() == nil {
		k.log.Warn("snapshot not written", "err", err)
	}
}

func (k *housekeeper) closeIdle() {
	for _, f := range k.files {
		if err := f.CloseIdle(); err != nil {
			k.log.Warn("an unused file is not closed", "err", err)
		}
	}
}

// cronLog is the daemon's log for package cron: of what it says, only errors matter.
type cronLog struct{ log *slog.Logger }

func (cronLog) Info(string, ...any) {}

func (l cronLog) Error(err error, message string, attrs ...any) {
	l.log.Error("a regular job failed: "+message, append([]any{"err", err}, attrs...)...)
}
