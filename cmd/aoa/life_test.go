package main

import (
	"bytes"
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

// TestManyAtOnce: ten daemons and ten clients start in the same moment. One daemon serves all
// clients, the others leave without a word.
func TestManyAtOnce(t *testing.T) {
	d := initialized(t, 16)
	d.must("daemon", "stop")
	var daemons [10]*exec.Cmd
	var words [10]bytes.Buffer
	var answers [10]said
	var clients sync.WaitGroup
	for i := range daemons {
		daemons[i] = d.command(d.bin, "daemon", "run")
		daemons[i].Stdout, daemons[i].Stderr = &words[i], &words[i]
		fault.Check(t, daemons[i].Start())
		clients.Go(func() { answers[i] = d.do("suggest", "server/wire.go", "--json") })
	}
	clients.Wait()
	pid := d.status().Pid
	for i, a := range answers {
		if a.code != 0 || !strings.Contains(a.out, "docs/protocol.md") {
			t.Errorf("client %d: exit %d\n%s%s", i, a.code, a.out, a.err)
		}
	}
	var left int
	for i, p := range daemons {
		if p.Process.Pid == pid {
			continue
		}
		left++
		if err := p.Wait(); err != nil || words[i].Len() > 0 {
			t.Errorf("a daemon that did not win: %v, it said %q", err, &words[i])
		}
	}
	if left < 9 {
		t.Errorf("%d of ten daemons left", left)
	}
	fault.Same(t, "the winner", d.status().Pid, pid)
	d.must("daemon", "stop")
	for _, p := range daemons {
		if p.Process.Pid == pid {
			if err := p.Wait(); err != nil {
				t.Errorf("the winner, when it was stopped: %v", err)
			}
		}
	}
}

// TestAnotherBuild: a client of another build replaces the daemon. What hooks had just written is
// not lost, and of many such clients none hits the successor.
func TestAnotherBuild(t *testing.T) {
	d := initialized(t, 16)
	before := d.status()
	want := map[string]bool{}
	for i := range 40 {
		id := fmt.Sprintf("t%d", i)
		want["s:"+id+":post:"] = true
		if _, err := d.send(api.Hook{Agent: "claude", Dir: d.dir,
			Payload: d.hook("PostToolUse", "s", id, "Read", "README.md")}); err != nil {
			t.Fatal(err)
		}
	}
	other := *d
	other.bin = filepath.Join(filepath.Dir(d.dir), "aoa"+filepath.Ext(d.bin))
	raw, err := os.ReadFile(d.bin)
	fault.Check(t, err)
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
	if other.status().Build == before.Build {
		t.Error("the daemon is still of the old build")
	}
	if pids[before.Pid] || len(pids) != 1 {
		t.Errorf("daemon %d was replaced by %v, want one", before.Pid, pids)
	}
	for _, e := range other.log("--kind", "read") {
		delete(want, e.ID)
	}
	if len(want) > 0 {
		t.Errorf("%d of 40 events that hooks had written are lost: %v", len(want), want)
	}
}

// TestRepositoryGone: the daemon of a deleted or moved repository ends by itself and builds nothing
// again.
func TestRepositoryGone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files cannot be deleted here")
	}
	t.Parallel()
	for name, watch := range map[string]string{"watched": "on", "unwatched": "off"} {
		t.Run("deleted/"+name, func(t *testing.T) {
			d := initialized(t, 16)
			d.must("daemon", "stop")
			daemon := d.daemon("AOA_WATCH=" + watch)
			d.read()
			fault.Check(t, os.RemoveAll(d.dir))
			d.ends(daemon)
			if _, err := os.Lstat(d.dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("something is there again: %v", err)
			}
		})
	}
	t.Run("moved", func(t *testing.T) {
		d := initialized(t, 16)
		d.must("daemon", "stop")
		daemon := d.daemon()
		d.read()
		mustCall(d, api.Events, []event.Event{{ID: "x", Time: time.Now(), Session: "s",
			Body: event.Call{Act: event.ActRead, Paths: []event.Path{"README.md"}}}})
		old := d.dir
		d.dir += "-elsewhere"
		fault.Check(t, os.Rename(old, d.dir))
		d.ends(daemon)
		if _, err := os.Lstat(old); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("something is in the old place: %v", err)
		}
		if out := d.must("suggest", "server/wire.go"); !strings.Contains(out, "docs/protocol.md") {
			t.Errorf("in the new place: %s", out)
		}
		if got := d.log("--kind", "read"); len(got) != 1 || got[0].ID != "x" {
			t.Errorf("what was learned in the old place: %v", got)
		}
	})
	t.Run("cloned again", func(t *testing.T) {
		d := initialized(t, 16)
		d.must("daemon", "stop")
		daemon := d.daemon("AOA_WATCH=off")
		aside, fresh := d.dir+"-old", d.dir+"-new"
		fault.Check(t, os.Rename(d.dir, aside))
		if out, err := exec.Command("cp", "-R", aside, fresh).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if err := os.Rename(fresh, d.dir); err != nil { // at once: the daemon may just open a database in the old place
			t.Fatal(err)
		}
		d.ends(daemon)
		d.must("suggest", "server/wire.go")
	})
}

// ends waits for a daemon that has a reason to end, and wants a clean end.
func (d *sandbox) ends(daemon *exec.Cmd) {
	d.Helper()
	done := make(chan error, 1)
	go func() { done <- daemon.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			d.Errorf("the daemon ended with %v", err)
		}
	case <-time.After(patient):
		d.kill(daemon)
		d.Error("the daemon goes on")
	}
}
