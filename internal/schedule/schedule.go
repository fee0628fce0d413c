package schedule

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/robfig/cron/v3"
)

const (
	// dueEvery is how often jobs are compared with the clock. A job that became due while the
	// machine slept starts this soon after.
	dueEvery = time.Minute
	// retryAfter is the time after which a failed job is tried again, and an urgent job is due.
	retryAfter = time.Hour

	day = 24 * time.Hour
)

// Notes stores small texts by name. They survive restarts.
type Notes interface {
	Meta(ctx context.Context, name string) (string, error)
	SetMeta(ctx context.Context, name, value string) error
}

// Job is done once in a period, however often the daemon restarts. The time of the last run is
// stored in the log's file, so a job that was due while no daemon ran is done at the start.
type Job struct {
	Name   string
	Every  time.Duration
	Do     func(context.Context) error
	Urgent func() bool // reports whether the job is due after retryAfter already; may be nil
}

// Schedule runs jobs when they are due, one after the other, and Often at its interval.
type Schedule struct {
	Notes Notes
	Now   func() time.Time
	Log   *slog.Logger
	Jobs  []Job
	Every time.Duration // the interval of Often
	Often func(context.Context)
}

// Run runs jobs until ctx ends, and waits for those that are running.
func (s *Schedule) Run(ctx context.Context) error {
	log := cronLog{s.Log}
	// Recover must be inside of SkipIfStillRunning, which takes a job that panicked for one that is
	// still running.
	guarded := cron.NewChain(cron.SkipIfStillRunning(log), cron.Recover(log))
	due := s.due(ctx, log)
	due() // a daemon that stops when idle may never run at a certain hour
	s.Log.Debug("housekeeping at the start is done")
	c := cron.New()
	c.Schedule(cron.Every(dueEvery), guarded.Then(cron.FuncJob(due)))
	c.Schedule(cron.Every(s.Every), guarded.Then(cron.FuncJob(func() { s.Often(ctx) })))
	c.Start()
	<-ctx.Done()
	<-c.Stop().Done()
	return nil
}

// due returns a function that runs the due jobs, one after the other.
func (s *Schedule) due(ctx context.Context, log cron.Logger) func() {
	var runs []cron.Job
	for _, j := range s.Jobs {
		runs = append(runs, cron.Recover(log)(s.newRun(ctx, j)))
	}
	return func() {
		for _, r := range runs {
			r.Run()
		}
	}
}

// run is a job with the time of its last run.
type run struct {
	Job
	s    *Schedule
	ctx  context.Context
	last time.Time // zero if not known
}

func (s *Schedule) newRun(ctx context.Context, j Job) *run {
	r := &run{Job: j, s: s, ctx: ctx}
	if v, err := s.Notes.Meta(ctx, r.meta()); err == nil {
		if ms, err := strconv.ParseInt(v, 10, 64); err == nil {
			r.last = time.UnixMilli(ms)
		}
	}
	return r
}

// meta returns the name under which the log's file stores the time.
func (r *run) meta() string { return "ran." + r.Name }

// Run runs the job if it is due. A last run in the future is ignored: the clock was ahead then.
func (r *run) Run() {
	now, every := r.s.Now(), r.Every
	if r.Urgent != nil && r.Urgent() {
		every = retryAfter
	}
	if since := now.Sub(r.last); r.ctx.Err() != nil || since >= 0 && since < every {
		return
	}
	err := fmt.Errorf("the job %s panicked", r.Name)
	defer func() { r.done(now, err) }()
	if err = r.Do(r.ctx); err != nil && r.ctx.Err() == nil {
		r.s.Log.Warn("a regular job failed, it is tried again in an hour", "job", r.Name, "err", err)
	}
}

// done stores the time of the run, unless the run was interrupted because the daemon stops.
func (r *run) done(now time.Time, err error) {
	if r.ctx.Err() != nil {
		return
	}
	if r.last = now; err != nil && r.Every > retryAfter {
		r.last = now.Add(retryAfter - r.Every)
	}
	if err := r.s.Notes.SetMeta(r.ctx, r.meta(), strconv.FormatInt(r.last.UnixMilli(), 10)); err != nil {
		r.s.Log.Warn("the time of a regular job is not stored", "job", r.Name, "err", err)
	}
}

// cronLog passes the errors of package cron to the daemon's log and drops its other messages.
type cronLog struct{ log *slog.Logger }

func (cronLog) Info(string, ...any) {}

func (l cronLog) Error(err error, message string, attrs ...any) {
	l.log.Error("a regular job failed: "+message, append([]any{"err", err}, attrs...)...)
}
