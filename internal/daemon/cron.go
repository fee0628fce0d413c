package daemon

import (
	"context"
	"fmt"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/aoa-dev/aoa/internal/aoa"
)

// The schedules. A tick is an event: decay itself needs no pass (see hot), so a tick trims, prunes, drops old
// epochs and ends sessions, at the same place in the log on every replay.
const (
	tickSchedule  = "@hourly"
	pruneSchedule = "@daily"
)

// cron runs housekeeping until ctx ends, and waits for what is running.
func (h *house) cron(ctx context.Context) error {
	c := cron.New(cron.WithChain(cron.SkipIfStillRunning(cron.DiscardLogger)))
	jobs := map[string]func(){
		tickSchedule:  func() { h.tick(); h.sweepRooms(ctx) },
		restSchedule:  h.restRooms,
		pruneSchedule: func() { h.prune(ctx) },
		fmt.Sprintf("@every %s", h.config().SnapshotInterval): func() {
			if err := h.snapshot(ctx); err != nil && ctx.Err() == nil {
				h.o.Log.Warn("snapshot not written", "err", err)
			}
		},
	}
	for spec, job := range jobs {
		if _, err := c.AddFunc(spec, job); err != nil {
			return fmt.Errorf("schedule %s: %w", spec, err)
		}
	}
	// A daemon that is stopped when idle may never meet an hour or a midnight: what is due is done at the start.
	h.tick()
	c.Start()
	h.prune(ctx)
	h.sweepRooms(ctx)
	<-ctx.Done()
	<-c.Stop().Done()
	return nil
}

// tick logs this hour's tick: two daemons on one store, or a cron that fires twice, make it once.
func (h *house) tick() {
	if !h.sound() {
		return
	}
	hour := h.o.Now().UTC().Truncate(time.Hour)
	h.journal.Add(aoa.Event{ID: fmt.Sprintf("tick:%d", hour.Unix()), Time: hour, Kind: aoa.KindTick, Agent: "cron"})
}

// prune keeps the log within its age and size.
func (h *house) prune(ctx context.Context) {
	if !h.sound() || h.share.behind() { // what the shared server has not got must stay in the log
		return
	}
	keep := h.config().Retention
	gone, err := h.db.Prune(ctx, h.o.Now().Add(-keep.Events), keep.Bytes)
	if err != nil && ctx.Err() == nil {
		h.o.Log.Warn("log not pruned", "err", err)
	}
	if err != nil || gone.Events == 0 {
		return
	}
	h.o.Log.Info("log pruned", "events", gone.Events, "bytes", gone.Bytes)
}
