package daemon

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// cron runs housekeeping until ctx ends, and waits for what is running. A tick is an event: decay itself needs no pass
// (see hot), so ticks trim, drop what has faded, and sweep, at the same place in the log on every replay.
func (h *house) cron(ctx context.Context) error {
	c := cron.New(cron.WithChain(cron.SkipIfStillRunning(cron.DiscardLogger)))
	at := h.config().Schedules
	jobs := []struct {
		spec string
		do   func()
	}{
		{at["trim"], func() { h.tick("") }}, {at["decay"], func() { h.tick("decay") }}, {at["sweep"], func() { h.tick("sweep") }},
		{restSchedule, h.restRooms}, {sweepSchedule, func() { h.sweepRooms(ctx) }},
		{at["refit"], func() { h.refit(ctx) }},
		{countSchedule, func() {
			if _, err := h.countDay(ctx, false); err != nil && ctx.Err() == nil {
				h.o.Log.Warn("the day is not counted", "err", err)
			}
		}},
		{at["prune"], func() { h.prune(ctx) }},
		{cmp.Or(at["snapshot"], fmt.Sprintf("@every %s", h.config().SnapshotInterval)), func() {
			if err := h.snapshot(ctx); err != nil && ctx.Err() == nil {
				h.o.Log.Warn("snapshot not written", "err", err)
			}
		}},
	}
	for _, j := range jobs {
		if _, err := c.AddFunc(j.spec, j.do); err != nil {
			return fmt.Errorf("schedule %s: %w", j.spec, err)
		}
	}
	// A daemon that is stopped when idle may never meet an hour or a midnight: what is due is done at the start.
	h.tick("")
	c.Start()
	h.prune(ctx)
	h.refit(ctx)
	h.sweepRooms(ctx)
	h.o.Log.Debug("housekeeping at the start is done")
	<-ctx.Done()
	<-c.Stop().Done()
	return nil
}

// tick logs this hour's tick of that kind, "" trims: two daemons on one store, or a cron that fires twice, make it once.
func (h *house) tick(what string) {
	if !h.sound() {
		return
	}
	hour := h.o.Now().UTC().Truncate(time.Hour)
	id := fmt.Sprintf("tick:%d", hour.Unix())
	if what != "" {
		id = fmt.Sprintf("tick:%s:%d", what, hour.Unix())
	}
	h.journal.Add(event.Event{ID: id, Time: hour, Kind: event.KindTick, Agent: "cron", Tool: what})
}

// prune keeps the log within its age, as the calendar counts it, and its size, which no clock tells.
func (h *house) prune(ctx context.Context) {
	if h.share.behind() { // what the shared server has not got must stay in the log
		return
	}
	due, err := h.countDay(ctx, false)
	var gone cold.Pruned
	if err == nil {
		gone, err = h.db.Prune(ctx, due, h.config().Retention.Bytes, math.MaxInt64)
	}
	if err != nil && ctx.Err() == nil {
		h.o.Log.Warn("log not pruned", "err", err)
	}
	if err != nil || gone.Events == 0 {
		return
	}
	h.o.Log.Info("log pruned", "events", gone.Events, "bytes", gone.Bytes)
}
