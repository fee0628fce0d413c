package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestCorrupted: with random bytes of any file of the store changed, cut off or lost, while no
// daemon runs, the next command answers from git's history at least, and says so whenever something
// is missing; nothing ends with a panic. What each damage of the databases costs is tested in
// package cold.
func TestCorrupted(t *testing.T) {
	noRace(t)
	t.Parallel()
	const commits, events = 32, 200
	d := newSandbox(t, commits)
	d.must("init")
	d.must("config", "threshold", "0.7")
	var batch []event.Event
	for i := range events {
		batch = append(batch, event.Event{ID: fmt.Sprint("e", i), Time: time.Now(), Session: fmt.Sprint("s", i%7),
			Body: event.Call{Act: event.ActRead, Paths: []event.Path{"README.md"}}})
	}
	mustCall(d, api.Events, batch)
	d.must("daemon", "stop")
	whole := files(d, d.place().Store)
	names := slices.Sorted(maps.Keys(whole))
	r := rand.New(rand.NewPCG(5, 6))
	book := fault.Open(t, "file corrupted, cut or gone")
	for range fault.Rounds() {
		name := names[r.IntN(len(names))]
		fault.Check(t, os.RemoveAll(d.place().Store))
		for n, raw := range whole {
			if n == name {
				raw = harmed(r, raw)
			}
			if raw != nil {
				fault.Check(t, os.MkdirAll(filepath.Dir(n), 0o700))
				fault.Check(t, os.WriteFile(n, raw, 0o600))
			}
		}
		s := d.do("daemon", "start")
		if s.code == 0 {
			d.read()
			s.err += d.do("status").err
		}
		verdict := fault.Whole
		switch st := d.known(); {
		case strings.Contains(s.err, "panic") || strings.Contains(s.err, "goroutine "),
			s.code != 0 && !strings.Contains(s.err, "hint: "), s.code == 0 && st.Commits != commits:
			verdict = fault.Wrong
		case s.code != 0:
			verdict = fault.Refused
		case strings.Contains(s.err, "aoa: "):
			verdict = fault.Rebuilt
		case st.Events < events:
			verdict = fault.Lost
		}
		if verdict >= fault.Lost {
			t.Errorf("%s changed: exit %d, %+v\n%s", name, s.code, d.known(), s.err)
		}
		book.Add(verdict, 1)
		d.do("daemon", "stop")
	}
}

// known is the status of the daemon, if one runs.
func (d *sandbox) known() api.StatusAnswer {
	st, _ := api.Call(d.Context(), d.client(), api.Status, api.None{})
	return st
}

// harmed is content that was changed or cut; nil: gone.
func harmed(r *rand.Rand, content []byte) []byte {
	b := slices.Clone(content)
	switch n := r.IntN(4); {
	case n == 0 && len(b) > 0:
		return b[:r.IntN(len(b))]
	case n == 1:
		return nil
	}
	for range 1 + r.IntN(64) {
		if len(b) > 0 {
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
	}
	return b
}
