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
	"regexp"
	"runtime"
	"strconv"
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

// TestRemoveBesideHooks: aoa remove beside an agent whose hooks start daemons, and beside another
// aoa init, leaves no store, or the one of that init with at most its own daemon.
func TestRemoveBesideHooks(t *testing.T) {
	t.Parallel()
	d := newSandbox(t, 4)
	book := fault.Open(t, "remove beside hooks and init")
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
		book.Add(verdict(t), 1)
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
	book := fault.Open(t, "store deleted and made again")
	for range fault.Size(1, fault.Rounds()) {
		old := d.daemon()
		d.read()
		if _, err := d.send(api.Hook{Agent: "claude", Dir: d.dir,
			Payload: d.hook("PostToolUse", "old", "t1", "Read", "README.md")}); err != nil {
			t.Fatal(err)
		}
		// the daemon may be writing into it
		d.until("the store is deleted", func() bool { return os.RemoveAll(d.place().Store) == nil })
		d.must("init")
		d.ends(old)
		if out := d.must("suggest", "server/wire.go"); !strings.Contains(out, "docs/protocol.md") {
			t.Errorf("after the old daemon ended: %s", out)
		}
		if pid := d.status().Pid; pid == old.Process.Pid {
			t.Errorf("daemon %d serves a store that it did not make", pid)
		}
		if out := d.must("session", "list", "--json"); strings.Contains(out, "old") {
			t.Errorf("the new store holds a session of the old one: %s", out)
		}
		if got := d.log("--kind", "read"); len(got) != 0 {
			t.Errorf("the new store holds %d events of the old one", len(got))
		}
		d.must("daemon", "stop")
		book.Add(verdict(t), 1)
	}
}

// restored is how many events the last start of a daemon replayed.
func (d *sandbox) restored() int {
	d.Helper()
	text, err := os.ReadFile(filepath.Join(d.place().Store, "aoa.log"))
	fault.Check(d, err)
	all := regexp.MustCompile(`msg=restored .*?events=(\d+)`).FindAllSubmatch(text, -1)
	if len(all) == 0 {
		d.Fatalf("no start is logged:\n%s", text)
	}
	n, err := strconv.Atoi(string(all[len(all)-1][1]))
	fault.Check(d, err)
	return n
}

// TestSnapshotAfterLongReplay: a daemon that had to replay much writes a snapshot soon, so that the
// next one need not, however early the first was killed.
func TestSnapshotAfterLongReplay(t *testing.T) {
	t.Parallel()
	d := newSandbox(t, 4)
	d.env = append(d.env, "AOA_LOG_LEVEL=info")
	d.must("init")
	d.must("daemon", "stop")
	const many = 6000
	db := openLog(d)
	for i := 0; i < many; i += 500 {
		var batch []event.Event
		for j := range 500 {
			batch = append(batch, event.Event{ID: fmt.Sprint("e", i+j),
				Time: time.Now().UTC().Truncate(time.Millisecond), Session: fmt.Sprint("s", j%7),
				Body: event.Call{Act: event.ActRead, Paths: []event.Path{"README.md"}}})
		}
		if _, _, err := db.Append(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	fault.Check(t, db.Close())
	begin := time.Now()
	first := d.daemon()
	if n := d.restored(); n < many {
		t.Fatalf("the first start replayed %d events, want %d", n, many)
	}
	d.until("a snapshot is written", func() bool { return mustCall(d, api.Status, api.None{}).Snapshot.After(begin) })
	d.kill(first)
	d.kill(d.daemon())
	if n := d.restored(); n > 100 {
		t.Errorf("the second start replayed %d events", n)
	}
}
