package daemon

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// cron runs housekeeping until ctx ends, and waits for what is running. A tick is an event: decay itself needs no pass
// (see hot), so ticks trim, drop what has faded, and sweep, at the same place in the log on every replay.
func (k *housekeeper) cron(ctx context.Context) error {
	c := cron.New(cron.WithChain(cron.SkipIfStillRunning(cron.DiscardLogger)))
	at := k.settings.get().Schedules
	jobs := []struct {
		spec string
		do   func()
	}{
		{at["trim"], func() { k.tick("") }}, {at["decay"], func() { k.tick("decay") }}, {at["sweep"], func() { k.tick("sweep") }},
		{restSchedule, k.restRooms}, {sweepSchedule, func() { k.sweepRooms(ctx) }},
		{at["refit"], func() { k.refit(ctx) }},
		{countSchedule, func() {
			if _, err := k.countDay(ctx, false); err != nil && ctx.Err() == nil {
				k.log.Warn("the day is not counted", "err", err)
			}
		}},
		{at["prune"], func() { k.prune(ctx) }},
		{cmp.Or(at["snapshot"], fmt.Sprintf("@every %s", k.settings.get().SnapshotInterval)), func() {
			if err := k.snapshot(ctx); err != nil && ctx.Err() == nil {
				k.log.Warn("snapshot not written", "err", err)
			}
		}},
	}
	for _, j := range jobs {
		if _, err := c.AddFunc(j.spec, j.do); err != nil {
			return fmt.Errorf("schedule %s: %w", j.spec, err)
		}
	}
	// A daemon that is stopped when idle may never meet an hour or a midnight: what is due is done at the start.
	k.tick("")
	c.Start()
	k.prune(ctx)
	k.refit(ctx)
	k.sweepRooms(ctx)
	k.log.Debug("housekeeping at the start is done")
	<-ctx.Done()
	<-c.Stop().Done()
	return nil
}

// tick logs this hour's tick of that kind, "" trims: two daemons on one store, or a cron that fires twice, make it once.
func (k *housekeeper) tick(what string) {
	if !k.sound() {
		return
	}
	hour := k.now().UTC().Truncate(time.Hour)
	id := fmt.Sprintf("tick:%d", hour.Unix())
	if what != "" {
		id = fmt.Sprintf("tick:%s:%d", what, hour.Unix())
	}
	k.events.Add(event.Event{ID: id, Time: hour, Kind: event.KindTick, Agent: "cron", Tool: what})
}

// prune keeps the log within its age, as the calendar counts it, and its size, which no clock tells.
func (k *housekeeper) prune(ctx context.Context) {
	if k.sharing.behind() { // what the shared server has not got must stay in the log
		return
	}
	due, err := k.countDay(ctx, false)
	var gone cold.Pruned
	if err == nil {
		gone, err = k.db.Prune(ctx, due, k.settings.get().Retention.Bytes)
	}
	if err != nil && ctx.Err() == nil {
		k.log.Warn("log not pruned", "err", err)
	}
	if err != nil || gone.Events == 0 {
		return
	}
	k.log.Info("log pruned", "events", gone.Events, "bytes", gone.Bytes)
}
