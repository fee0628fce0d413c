package daemon

import "context"

// replay brings the states to the end of the log.
func (d *Daemon) replay(ctx context.Context) error {
	begin, snapshot := d.now(), d.events.Status().Position
	events, err := d.events.Replay(ctx)
	if err != nil {
		return err
	}
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
