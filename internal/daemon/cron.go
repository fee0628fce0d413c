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

// housekeeper logs ticks, writes what is only in memory, and drops what is past its time.
type housekeeper struct {
	base
	clock      *clock
	events     *eventLog
	db         *cold.DB
	consumers  *consumers
	sharing    *sharing
	thresholds *thresholdHandler
	flush      func(context.Context) error
	files      []sideFile
	sweepers   []func(context.Context)
}

// sideFile is a store with a file of its own, opened at the first use.
type sideFile interface {
	CloseIdle() error // closes the file if nobody used it since the last CloseIdle
	Close() error     // closes the file
}

// How long an unused file stays open, at least; how often the stores drop what is past its time, which each of them knows;
// and how often the clock is compared with the log's calendar.
const (
	closeSchedule = "@every 1m"
	sweepSchedule = "@hourly"
	countSchedule = "@hourly"
)

// run does housekeeping until ctx ends, and waits for what is running. A tick is an event: decay itself needs no pass
// (see hot), so ticks trim, drop what has faded, and sweep, at the same place in the log on every replay.
func (k *housekeeper) run(ctx context.Context) error {
	c := cron.New(cron.WithChain(cron.SkipIfStillRunning(cron.DiscardLogger)))
	at := k.settings.get().Schedules
	jobs := []struct {
		spec string
		do   func()
	}{
		{at["trim"], func() { k.tick("") }}, {at["decay"], func() { k.tick("decay") }}, {at["sweep"], func() { k.tick("sweep") }},
		{closeSchedule, k.closeIdle}, {sweepSchedule, func() { k.sweep(ctx) }},
		{at["refit"], func() { k.thresholds.refit(ctx) }},
		{countSchedule, func() {
			if _, err := k.clock.countDay(ctx, k.db, false); err != nil && ctx.Err() == nil {
				k.log.Warn("the day is not counted", "err", err)
			}
		}},
		{at["prune"], func() { k.prune(ctx) }},
		{cmp.Or(at["snapshot"], fmt.Sprintf("@every %s", k.settings.get().SnapshotInterval)), func() {
			if err := k.flush(ctx); err != nil && ctx.Err() == nil {
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
	k.thresholds.refit(ctx)
	k.sweep(ctx)
	k.log.Debug("housekeeping at the start is done")
	<-ctx.Done()
	<-c.Stop().Done()
	return nil
}

// tick logs this hour's tick of that kind, "" trims: two daemons on one store, or a cron that fires twice, make it once.
func (k *housekeeper) tick(what string) {
	if !k.clock.sound() {
		return
	}
	hour := k.now().UTC().Truncate(time.Hour)
	id := fmt.Sprintf("tick:%d", hour.Unix())
	if what != "" {
		id = fmt.Sprintf("tick:%s:%d", what, hour.Unix())
	}
	k.events.Add(event.Event{ID: id, Time: hour, Kind: event.KindTick, Agent: "cron", Tool: what})
}

// prune keeps the log within its age, as the calendar counts it, and its size, which needs no clock.
func (k *housekeeper) prune(ctx context.Context) {
	if k.sharing.behind() { // what the shared server has not got must stay in the log
		return
	}
	due, err := k.clock.countDay(ctx, k.db, false)
	var gone cold.Pruned
	if err == nil {
		gone, err = k.db.Prune(ctx, due, k.settings.get().Retention.Bytes, k.consumers.lowest())
	}
	if err != nil && ctx.Err() == nil {
		k.log.Warn("log not pruned", "err", err)
	}
	if err != nil || gone.Events == 0 {
		return
	}
	k.log.Info("log pruned", "events", gone.Events, "bytes", gone.Bytes)
}

// sweep drops what is past its time, unless the clock cannot be believed.
func (k *housekeeper) sweep(ctx context.Context) {
	if !k.clock.sound() {
		return
	}
	for _, sweep := range k.sweepers {
		sweep(ctx)
	}
}

func (k *housekeeper) closeIdle() {
	for _, f := range k.files {
		if err := f.CloseIdle(); err != nil {
			k.log.Warn("an unused file is not closed", "err", err)
		}
	}
}
