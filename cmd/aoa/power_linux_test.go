//go:build amd64 || arm64

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// survivors counts the events of a session that a power cut now would leave, as the next daemon
// finds them.
func (d *sandbox) survivors(p *fault.Power, session string) (n int) {
	d.Helper()
	dir := d.TempDir()
	for name, data := range p.Left() {
		fault.Check(d, os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o600))
	}
	db := fault.Must(cold.Open(d.Context(), filepath.Join(dir, "aoa.db"), cold.Options{Now: time.Now}))
	defer db.Close()
	fault.Check(d, db.Replay(d.Context(), 0, func(_ int64, batch []event.Event) error {
		for _, e := range batch {
			if e.Session == session {
				n++
			}
		}
		return nil
	}))
	if aside, err := filepath.Glob(filepath.Join(dir, "*.damaged-*")); err != nil || len(aside) > 0 {
		d.Errorf("the power cut left a damaged log: %v, %v", aside, err)
	}
	return n
}

// TestPowerCut: what was acknowledged outlives a power cut a few seconds later; with durability
// full, at once. The disk of the daemon forgets, when the power is cut, what was not synced.
func TestPowerCut(t *testing.T) {
	noRace(t)
	t.Parallel()
	for _, durability := range []string{"normal", "full"} {
		t.Run(durability, func(t *testing.T) {
			d := initialized(t, 4)
			d.must("daemon", "stop")
			cmd := d.command(d.bin, "daemon", "run")
			cmd.Env = append(cmd.Env, "AOA_DURABILITY="+durability)
			p := fault.StartPower(d, cmd, d.place().Store)
			d.until("the daemon has read the history", func() bool { return d.known().Import.State == "done" })
			book := fault.Open(t, "power cut, durability "+durability)
			const n = 50
			for i := range n {
				mustCall(d, api.Events, []event.Event{{ID: fmt.Sprint("e", i), Time: time.Now(), Session: "s",
					Body: event.Call{Act: event.ActRead, Paths: []event.Path{"README.md"}}}})
			}
			if durability == "normal" {
				d.until("what was acknowledged is synced", func() bool { return d.survivors(p, "s") == n })
			}
			p.Cut()
			if left := d.survivors(p, "s"); left != n {
				book.Add(fault.Lost, 1)
				t.Fatalf("%d of %d acknowledged events outlived the power cut", left, n)
			}
			book.Add(fault.Whole, 1)
		})
	}
}
