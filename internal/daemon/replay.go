package daemon

import (
	"context"
	"time"

	"github.com/aoa-dev/aoa/internal/schedule"
)

// replay brings the states to the end of the log.
func (d *Daemon) replay(ctx context.Context) error {
	begin, snapshot := d.now(), d.events.Position()
	events, err := d.events.Replay(ctx)
	if err != nil {
		return err
	}
	d.replayed = events
	d.log.Info("restored", "snapshot", snapshot, "events", events, "seq", d.events.Position(), "took", d.now().Sub(begin))
	return nil
}

// applied wakes the goroutines that act on the states: something was applied. It does not wait.
func (d *Daemon) applied() {
	d.team.Logged()
	d.sequences.Wake()
	select {
	case d.left <- struct{}{}:
	default:
	}
}

// A start that replayed manyReplayed events saves the states after soonAfter: the first answers are
// out by then, and a daemon that is killed before the next snapshot does not make the next start
// replay them again.
const (
	manyReplayed = 2000
	soonAfter    = time.Second
)

// saveSoon saves the states after a long replay.
func (d *Daemon) saveSoon(ctx context.Context) error {
	if d.replayed >= manyReplayed && schedule.Pause(ctx, soonAfter) {
		d.saveSnapshot(ctx)
	}
	return nil
}
