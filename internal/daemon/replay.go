package daemon

import (
	"context"
	"time"

	"github.com/aoa-dev/aoa/internal/schedule"
)

// replay brings the consumers to the end of the log.
func (d *Daemon) replay(ctx context.Context) error {
	begin, snapshot := d.now(), d.scores.Applied()
	events, last, err := d.events.Replay(ctx)
	if err != nil {
		return err
	}
	d.replayed = events
	d.log.Info("restored", "snapshot", snapshot, "events", events, "seq", last, "took", d.now().Sub(begin))
	return nil
}

// A start that replayed manyReplayed events writes the consumers' states after soonAfter: the first answers are out by
// then, and a daemon that is killed before the next snapshot does not make the next start replay them again.
const (
	manyReplayed = 2000
	soonAfter    = time.Second
)

// flushSoon writes the consumers' states after a long replay.
func (d *Daemon) flushSoon(ctx context.Context) error {
	if d.replayed >= manyReplayed && schedule.Pause(ctx, soonAfter) {
		d.saveSnapshot(ctx)
	}
	return nil
}

// flush writes the consumers' states.
func (d *Daemon) flush(ctx context.Context) error {
	if d.o.Replaced() {
		return nil
	}
	return d.events.Save(ctx)
}
