package daemon

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/schedule"
)

const (
	// snapshotEvery is how often the states are saved. After a kill, the next start replays at most
	// the events of this time, which takes some milliseconds. A snapshot of 100,000 files takes 0.1
	// s and writes up to 14 MB (BenchmarkSnapshot).
	snapshotEvery = 5 * time.Minute
)

const day = 24 * time.Hour

// regularJobs returns the regular jobs, in the order in which they are done. A tick is an event, so
// that trimming and sweeping happen at the same place in the log on every replay; decay itself
// needs no pass (see package hot). Scores fade within months, so one sweep a day is enough.
func (d *Daemon) regularJobs() []schedule.Job {
	return []schedule.Job{
		{Name: "trim", Every: time.Hour, Do: d.tick("")},
		{Name: "sweep", Every: day, Do: d.tick("sweep")},
		{Name: "prune", Every: time.Hour, Do: d.prune},
		{Name: "expire", Every: time.Hour, Do: d.expire},
		{Name: "copy", Every: day, Do: d.copyLog, Urgent: func() bool { return !d.db.HasCopy() }},
	}
}

// runJobs runs the regular jobs until ctx ends.
func (d *Daemon) runJobs(ctx context.Context) error {
	s := &schedule.Schedule{Notes: d.db, Now: d.now, Log: d.log, Jobs: d.regularJobs(),
		Every: snapshotEvery, Often: d.saveSnapshot}
	return s.Run(ctx)
}

// tick returns a job that logs a tick of a kind; "" means trim. The ID has the hour, so two daemons
// on one store log it only once.
func (d *Daemon) tick(what string) func(context.Context) error {
	return func(context.Context) error {
		hour := d.now().UTC().Truncate(time.Hour)
		id := fmt.Sprintf("tick:%d", hour.Unix())
		if what != "" {
			id = fmt.Sprintf("tick:%s:%d", what, hour.Unix())
		}
		d.events.Add(event.Event{ID: id, Time: hour, Agent: "cron", Body: event.Tick{Job: what}})
		return nil
	}
}

// prune keeps the log within its size.
func (d *Daemon) prune(ctx context.Context) error {
	return d.events.Prune(ctx, d.settings.Get().RetentionBytes)
}

// expire deletes what the stores keep only for a time, and leftovers of daemons that were killed.
func (d *Daemon) expire(ctx context.Context) error {
	d.sequences.Evict(ctx, d.worktrees.At(ctx, "").Sequences())
	gone, err := d.blobs.Sweep(ctx)
	if len(gone) > 0 {
		d.log.Info("unused parts of the cache were deleted", "of", gone)
	}
	store := d.settings.Store
	return errors.Join(err, atomicfile.Clean(store), atomicfile.Clean(filepath.Join(store, checkout.ContentsFolder)))
}

// copyLog makes the daily copy of the log.
func (d *Daemon) copyLog(ctx context.Context) error {
	begin := d.now()
	made, err := d.db.Copy(ctx)
	if made {
		d.log.Info("log copied", "took", d.now().Sub(begin))
	}
	return err
}

func (d *Daemon) saveSnapshot(ctx context.Context) { _ = d.events.Save(ctx) } // aoa status tells what is wrong
