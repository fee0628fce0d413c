package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// answers asks a question that every daemon can answer which has read the history.
func (d *sandbox) answers(when string) {
	d.Helper()
	if s := d.do("suggest", "server/wire.go"); s.code != 0 || !strings.Contains(s.out, "docs/protocol.md") {
		d.Errorf("%s: exit %d\n%s%s", when, s.code, s.out, s.err)
	}
}

// reads sends the hook of a call that has read README.md, and leaves.
func (d *sandbox) reads(session, id string) {
	d.Helper()
	_, err := d.send(api.Hook{Agent: "claude", Dir: d.dir,
		Payload: d.hook("PostToolUse", session, id, "Read", "README.md")})
	fault.Check(d, err)
}

// ends waits for a daemon that has a reason to end, and wants a clean end.
func (d *sandbox) ends(daemon *exec.Cmd) {
	d.Helper()
	late := time.AfterFunc(patient, func() { _ = daemon.Process.Kill() })
	defer late.Stop()
	if err := daemon.Wait(); err != nil {
		d.Errorf("the daemon goes on, or ended with %v", err)
	}
}

// TestRemoveBesideHooks: aoa remove beside an agent whose hooks start daemons, and beside another
// aoa init, leaves no store, or the one of that init with at most its own daemon.
func TestRemoveBesideHooks(t *testing.T) {
	t.Parallel()
	d := newSandbox(t, 4)
	for round := range fault.Size(2, 2*fault.Rounds()) {
		d.must("init")
		store := d.place().Store
		ctx, end := context.WithCancel(t.Context())
		var agent sync.WaitGroup
		for range 2 {
			agent.Go(func() {
				for ctx.Err() == nil {
					d.doWith(string(d.hook("UserPromptSubmit", "s", "p", "", "repair the wire")), "hook", "claude")
				}
			})
		}
		beside := round%2 == 1
		if beside {
			agent.Go(func() { d.do("init") })
		}
		if s := d.do("remove", "--yes"); s.code != 0 {
			t.Errorf("aoa remove: exit %d: %s", s.code, s.err)
		}
		end()
		agent.Wait()
		if s := d.do("daemon", "stop"); beside {
			d.do("remove", "--yes")
		} else if _, err := os.Lstat(store); !errors.Is(err, os.ErrNotExist) || s.code != exitNoRepo {
			t.Errorf("round %d: a store is left: %v; aoa daemon stop: exit %d: %s", round, err, s.code, s.out)
		}
		if left, _ := filepath.Glob(store + "*"); len(left) > 0 {
			t.Errorf("round %d: %q is left", round, left)
		}
		if conn, err := api.Dial(t.Context(), d.place()); err == nil {
			conn.Close()
			t.Errorf("round %d: a daemon is left", round)
		}
	}
}

// TestStoreReplaced: the store is deleted under a running daemon and made again at once. The new
// daemon answers, the old one ends and puts nothing into the new store.
func TestStoreReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files cannot be deleted here")
	}
	d := initialized(t, 16)
	d.must("daemon", "stop")
	for range fault.Size(1, fault.Rounds()) {
		old := d.daemon()
		d.read()
		d.reads("old", "t1")
		// the daemon may be writing into it
		d.until("the store is deleted", func() bool { return os.RemoveAll(d.place().Store) == nil })
		d.must("init")
		d.ends(old)
		d.answers("after the old daemon ended")
		known := d.must("session", "list", "--json") + d.must("log", "--json", "--kind", "read")
		if strings.Contains(known, "old") {
			t.Errorf("the new store holds a session of the old one: %s", known)
		}
		d.must("daemon", "stop")
	}
}

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
				fault.Write(t, n, string(raw))
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
