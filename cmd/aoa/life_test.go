package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// TestManyAtOnce: ten daemons and ten clients start in the same moment. One daemon serves all
// clients, the others leave without a word.
func TestManyAtOnce(t *testing.T) {
	d := initialized(t, 16)
	d.must("daemon", "stop")
	var daemons [10]*exec.Cmd
	var words [10]bytes.Buffer
	var clients sync.WaitGroup
	for i := range daemons {
		daemons[i] = d.command(d.bin, "daemon", "run")
		daemons[i].Stdout, daemons[i].Stderr = &words[i], &words[i]
		fault.Check(t, daemons[i].Start())
		clients.Go(func() { d.answers(fmt.Sprint("client ", i)) })
	}
	clients.Wait()
	pid, left := d.status().Pid, 0
	for i, p := range daemons {
		if p.Process.Pid == pid {
			continue
		}
		left++
		if err := p.Wait(); err != nil || words[i].Len() > 0 {
			t.Errorf("a daemon that did not win: %v, it said %q", err, &words[i])
		}
	}
	if left < 9 { // a client may have started the winner
		t.Errorf("%d of ten daemons left", left)
	}
	fault.Same(t, "the winner", d.status().Pid, pid)
	d.must("daemon", "stop")
	for _, p := range daemons {
		if p.Process.Pid == pid {
			d.ends(p)
		}
	}
}

// TestAnotherBuild: a client of another build replaces the daemon. What hooks had just written is
// not lost, and of many such clients none hits the successor.
func TestAnotherBuild(t *testing.T) {
	d := initialized(t, 16)
	before := d.status()
	const many = 40
	for i := range many {
		d.reads("s", fmt.Sprint("t", i))
	}
	other := *d
	other.bin = filepath.Join(filepath.Dir(d.dir), "aoa"+filepath.Ext(d.bin))
	raw := fault.Must(os.ReadFile(d.bin))
	fault.Check(t, os.WriteFile(other.bin, append(raw, "another build"...), 0o755))
	var clients sync.WaitGroup
	var answers [8]said
	for i := range answers {
		clients.Go(func() { answers[i] = other.do("daemon", "start", "--json") })
	}
	clients.Wait()
	pids := map[int]bool{}
	for _, a := range answers {
		var st api.StatusAnswer
		if err := json.Unmarshal([]byte(a.out), &st); err != nil || a.code != 0 {
			t.Errorf("a client of the new build: exit %d, %v\n%s%s", a.code, err, a.out, a.err)
		}
		pids[st.Pid] = true
	}
	if pids[before.Pid] || len(pids) != 1 || other.status().Build == before.Build {
		t.Errorf("daemon %d was replaced by %v, want one, of another build", before.Pid, pids)
	}
	fault.Same(t, "events that hooks had written", len(other.log("--kind", "read")), many)
}

// TestRepositoryGone: the daemon of a deleted or moved repository ends by itself and builds nothing
// again, whether it watches the repository or only looks at it from time to time.
func TestRepositoryGone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files cannot be deleted here")
	}
	gone := func(t *testing.T, dir string) {
		if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("something is in the old place: %v", err)
		}
	}
	for name, c := range map[string]struct {
		watch string
		harm  func(t *testing.T, d *sandbox, ends func())
	}{
		"deleted": {"off", func(t *testing.T, d *sandbox, ends func()) {
			fault.Check(t, os.RemoveAll(d.dir))
			ends()
			gone(t, d.dir)
		}},
		"moved": {"on", func(t *testing.T, d *sandbox, ends func()) {
			mustCall(d, api.Events, []event.Event{{ID: "x", Time: time.Now(), Session: "s",
				Body: event.Call{Act: event.ActRead, Paths: []event.Path{"README.md"}}}})
			old := d.dir
			d.dir += "-elsewhere"
			fault.Check(t, os.Rename(old, d.dir))
			ends()
			gone(t, old)
			d.answers("in the new place")
			fault.Same(t, "events that were learned in the old place", len(d.log("--kind", "read")), 1)
		}},
		"cloned again": {"off", func(t *testing.T, d *sandbox, ends func()) {
			aside, fresh := d.dir+"-old", d.dir+"-new"
			fault.Check(t, os.Rename(d.dir, aside))
			fault.Check(t, exec.Command("cp", "-R", aside, fresh).Run())
			fault.Check(t, os.Rename(fresh, d.dir)) // at once: the daemon may just open a database in the old place
			ends()
			d.answers("in the clone")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			d := initialized(t, 16)
			d.must("daemon", "stop")
			daemon := d.daemon("AOA_WATCH=" + c.watch)
			d.read()
			c.harm(t, d, func() { d.ends(daemon) })
		})
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
