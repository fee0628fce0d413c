//go:build amd64 || arm64

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// powered starts a daemon whose disk forgets, when the power is cut, what was not synced.
func (d *sandbox) powered(env ...string) *fault.Power {
	d.Helper()
	cmd := d.command(d.bin, "daemon", "run")
	cmd.Env = append(cmd.Env, env...)
	p := fault.StartPower(d, cmd, d.place().Store)
	d.until("the daemon listens", func() bool {
		st, err := api.Call(d.Context(), d.client(), api.Status, api.None{})
		return err == nil && st.Import.State == "done"
	})
	return p
}

// survivors are the events that a power cut now would leave, as the next daemon finds them.
func (d *sandbox) survivors(p *fault.Power) map[string]bool {
	d.Helper()
	dir := d.TempDir()
	for name, data := range p.Left() {
		fault.Check(d, os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o600))
	}
	found := map[string]bool{}
	db, err := cold.Open(d.Context(), filepath.Join(dir, "aoa.db"), cold.Options{Now: time.Now})
	fault.Check(d, err)
	fault.Check(d, db.Replay(d.Context(), 0, func(_ int64, batch []event.Event) error {
		for _, e := range batch {
			found[e.ID] = true
		}
		return nil
	}))
	fault.Check(d, db.Close())
	if aside, err := filepath.Glob(filepath.Join(dir, "*.damaged-*")); err != nil || len(aside) > 0 {
		d.Errorf("the power cut left a damaged log: %v, %v", aside, err)
	}
	return found
}

// acknowledged sends events, one after the other, each of which is answered.
func (d *sandbox) acknowledged(prefix string, n int) {
	d.Helper()
	for i := range n {
		got := mustCall(d, api.Events,
			[]event.Event{{ID: fmt.Sprint(prefix, i), Time: time.Now(), Session: "s",
				Body: event.Call{Act: event.ActRead, Paths: []event.Path{"README.md"}}}})
		if got.Accepted != 1 {
			d.Fatalf("event %d: %+v", i, got)
		}
	}
}

func among(found map[string]bool, prefix string) (n int) {
	for id := range found {
		if strings.HasPrefix(id, prefix) {
			n++
		}
	}
	return n
}

// TestPowerCut: what was acknowledged outlives a power cut a few seconds later; with durability
// full, at once.
func TestPowerCut(t *testing.T) {
	noRace(t)
	t.Parallel()
	for _, durability := range []string{"normal", "full"} {
		t.Run(durability, func(t *testing.T) {
			d := initialized(t, 4)
			d.must("daemon", "stop")
			p := d.powered("AOA_DURABILITY=" + durability)
			book := fault.Open(t, "power cut, durability "+durability)
			const n = 100
			d.acknowledged("e", n)
			if durability == "normal" {
				syncs := -1
				d.until("what was acknowledged is synced", func() bool {
					before := syncs
					syncs = p.Syncs()
					return syncs != before && among(d.survivors(p), "e") == n
				})
			}
			p.Cut()
			if left := among(d.survivors(p), "e"); left != n {
				book.Add(fault.Lost, 1)
				t.Fatalf("%d of %d acknowledged events outlived the power cut", left, n)
			}
			book.Add(fault.Whole, 1)
			t.Logf("%d calls of fsync", p.Syncs())
		})
	}
}
