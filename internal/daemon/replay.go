package daemon

import (
	"context"
	"time"

	"github.com/aoa-dev/aoa/internal/schedule"
)

// replay brings the states to the end of the log.
func (d *Daemon) replay(ctx context.Context) error {
	begin, snapshot := d.now(), d.events.Status().Position
	events, err := d.events.Replay(ctx)
	if err != nil {
		return err
	}
	d.replayed = events
	d.log.Info("restored", "snapshot", snapshot, "events", events, "seq", d.events.Status().Position, "took", d.now().Sub(begin))
	return nil
}

// applied wakes the goroutines that act on the states, because events were applied. It does not
// wait for them.
func (d *Daemon) applied() {
	d.team.Logged()
	d.sequences.Wake()
	d.left.Give()
}

// A start that replayed at least manyReplayed events saves the states after soonAfter. By then the
// first answers have been given. If the daemon is killed before the next snapshot, the next start
// need not replay these events again.
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
