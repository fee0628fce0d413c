package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestKilled: a daemon is fed by several agents, by hooks that write and leave, by people's saves
// and by git, and killed in the middle, again and again. What it acknowledged is there, once, and
// what hooks wrote is lost for the last second at most.
func TestKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the workload writes as Unix hooks do, and Windows has no signal that kills as a power failure does")
	}
	for seed := range uint64(fault.Size(1, 2)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			d := newSandbox(t, 40)
			d.env = append(d.env, fmt.Sprintf("AOA_THRESHOLD=%g", prefetch.Aggressive)) // something is to be suggested, too
			d.must("init")
			d.must("daemon", "stop")
			f := newWorkload(d, seed)
			rounds := max(3, fault.Rounds()) // fewer do not see everything
			// On a busy machine some rounds end before the daemon has seen a commit that is
			// amended, or a file that is moved.
			for n := 0; n < rounds || n < 4*rounds && !f.saw(event.KindUncommit, event.KindRename); n++ {
				f.round()
			}
			rounds = len(f.begins)
			book := fault.Open(t, "daemon killed")
			lost := f.survived()
			book.Add(fault.Lost, lost)
			if book.Add(fault.Whole, rounds-lost); lost == 0 && t.Failed() {
				book.Add(fault.Wrong, 1) // some round of them: the state that they left is judged as one
			}
		})
	}
}

// survived looks into the log that the killed daemons left. It returns how many of them lost
// something.
func (f *workload) survived() int {
	f.Helper()
	lost := map[int]bool{}
	count, kinds := f.logged()
	if len(f.acked) < 30 || len(f.wrote) < 30 {
		f.Fatalf("only %d events were acknowledged and %d frames written", len(f.acked), len(f.wrote))
	}
	for id := range f.acked {
		if count[id] != 1 {
			f.Errorf("acknowledged event %s is there %d times", id, count[id])
			lost[-1] = true
		}
	}
	late := 0
	// What was written after a daemon was killed is of its round: a child that it was about to
	// start holds its socket open for some milliseconds more.
	roundOf := func(at time.Time) int {
		n, _ := slices.BinarySearchFunc(f.begins, at, time.Time.Compare)
		return max(n-1, 0)
	}
	newest := make([]time.Time, len(f.begins)) // of what each daemon kept: on a busy machine it had not seen the rest
	for _, sent := range []map[string]time.Time{f.acked, f.wrote} {
		for id, at := range sent {
			if round := roundOf(at); count[id] > 0 && at.After(newest[round]) {
				newest[round] = at
			}
		}
	}
	for id, at := range f.wrote {
		n := count[id]
		if n > 1 {
			f.Errorf("event of frame %s is there %d times", id, n)
		}
		round := roundOf(at)
		if end := newest[round]; n == 0 && end.Sub(at) > time.Second {
			f.Errorf("frame %s was written %s before the last thing that is there, and is lost", id, end.Sub(at))
			lost[round] = true
		} else if n == 0 {
			late++
		}
	}
	for _, k := range []event.Kind{event.KindCommit, event.KindUncommit, event.KindRename, event.KindSave, event.KindTick,
		event.KindPrompt, event.KindHint} {
		if kinds[k] == 0 {
			f.Errorf("the stream had no %s: %v", k, kinds)
		}
	}
	f.Logf("%d acknowledged, %d frames, %d of them lost in the last second; %v", len(f.acked), len(f.wrote), late, kinds)
	return len(lost)
}

// logged counts the events of the log by their ids and by their kinds.
func (f *workload) logged() (ids map[string]int, kinds map[event.Kind]int) {
	f.Helper()
	ids, kinds = map[string]int{}, map[event.Kind]int{}
	db := openLog(f.sandbox)
	err := db.Replay(f.Context(), 0, func(_ int64, batch []event.Event) error {
		for _, e := range batch {
			ids[e.ID]++
			kinds[e.Kind()]++
		}
		return nil
	})
	fault.Check(f, errors.Join(err, db.Close()))
	return ids, kinds
}

// saw reports whether the log has events of all these kinds.
func (f *workload) saw(kinds ...event.Kind) bool {
	_, have := f.logged()
	return !slices.ContainsFunc(kinds, func(k event.Kind) bool { return have[k] == 0 })
}

// openLog opens the database of a daemon that does not run.
func openLog(d *sandbox) *cold.DB {
	d.Helper()
	store := d.place().Store
	seal := fault.Must(cold.OpenSeal(locate.KeyFile(config.Lookup(d.env))))
	db := fault.Must(cold.Open(d.Context(), filepath.Join(store, "aoa.db"), cold.Options{Now: time.Now, Seal: seal}))
	return db
}
