package daemon

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/eventlog"
	"github.com/aoa-dev/aoa/internal/schedule"
)

// housekeeper logs ticks, writes what is only in memory, and drops what is past its time.
type housekeeper struct {
	base
	clock    *schedule.Clock
	events   *eventlog.Log
	db       *cold.DB
	flush    func(context.Context) error
	blobs    *cold.Blobs
	sweepers []func(context.Context)
}

const (
	// snapshotEvery is how often the consumers' states are written: a kill costs the next start the replay of so much,
	// some milliseconds. A snapshot of 100,000 files takes 0.1 s and writes up to 14 MB (BenchmarkSnapshot).
	snapshotEvery = 5 * time.Minute
	// closeEvery is how long an unused file stays open, at least.
	closeEvery = time.Minute
)

const day = 24 * time.Hour

// regular are the jobs, in the order in which they are done. A tick is an event: decay itself needs no pass (see
// hot), so ticks trim, drop what has faded, and sweep, at the same place in the log on every replay. Trimming bounds
// the sets, hence the hour. Scores fade within months, and entries that nothing updates last for weeks: a day and a
// week find few of them.
func (k *housekeeper) regular() []schedule.Job {
	return []schedule.Job{
		{Name: "clock", Every: time.Hour, Do: func(ctx context.Context) error { return k.clock.Compare(ctx, k.db) }},
		{Name: "trim", Every: time.Hour, Trusts: true, Do: k.tick("")},
		{Name: "decay", Every: day, Trusts: true, Do: k.tick("decay")},
		{Name: "sweep", Every: 7 * day, Trusts: true, Do: k.tick("sweep")},
		{Name: "prune", Every: time.Hour, Do: k.prune},
		{Name: "expire", Every: time.Hour, Trusts: true, Do: k.expire},
		{Name: "copy", Every: day, Do: k.copyLog, Urgent: func() bool { return !k.db.HasCopy() }},
	}
}

// run does housekeeping until ctx ends.
func (k *housekeeper) run(ctx context.Context) error {
	s := &schedule.Schedule{Notes: k.db, Now: k.now, Log: k.log, Clock: k.clock, Jobs: k.regular(),
		Often: []schedule.Often{{Every: snapshotEvery, Do: k.snapshot}, {Every: closeEvery, Do: k.closeIdle}}}
	return s.Run(ctx)
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

func (k *housekeeper) closeIdle(context.Context) {
	if err := k.blobs.CloseIdle(); err != nil {
		k.log.Warn("an unused file is not closed", "err", err)
	}
}
