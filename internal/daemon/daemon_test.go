package daemon_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/daemon"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/daemontest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/hooktest"
)

// fixture is a repository of three files with a daemon in this process.
type fixture struct{ *daemontest.Daemon }

func newFixture(t *testing.T, env ...string) *fixture {
	t.Helper()
	d := &fixture{daemontest.New(t, env...)}
	d.Repo.Save("one", "a.go", "a\n", "b.go", "b\n", "in/side/c.go", "c\n")
	d.Repo.Now = time.Now
	return d
}

func call[Req, Res any](d *fixture, r api.Route[Req, Res], req Req) Res {
	d.Helper()
	return daemontest.Call(d.Daemon, r, req)
}

func read(id, session string, at time.Time, p ...event.Path) event.Event {
	return event.Event{ID: id, Time: at, Agent: "test", Session: session, Body: event.Call{Act: event.ActRead,
		Paths: p}}
}

// TestIdle: without a call for the idle time it ends; a caller begins the time again.
func TestIdle(t *testing.T) {
	t.Parallel()
	d := newFixture(t, "AOA_IDLE_TIMEOUT=1h")
	d.Begin()
	d.Late.Store(int64(59 * time.Minute))
	call(d, api.Status, api.None{})
	d.Late.Store(int64(118 * time.Minute))
	if st := call(d, api.Status, api.None{}); st.Pid != os.Getpid() {
		t.Errorf("status of %d", st.Pid)
	}
	d.Late.Store(int64(179 * time.Minute))
	d.Ended()
	if _, err := os.Lstat(d.Options.Place.Socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
	d.Start() // and another one can begin
}

// TestNothingAcceptedIsLost: events that come while the daemon is being ended are either refused or
// durable.
func TestNothingAcceptedIsLost(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	accepted := map[string]bool{}
	for round := range 5 {
		d.Start()
		var mu sync.Mutex
		var senders sync.WaitGroup
		enough, sent := make(chan struct{}), 0
		for s := range 4 {
			senders.Go(func() {
				for i := 0; ; i++ {
					id := fmt.Sprintf("r%d-%d-%d", round, s, i)
					if !d.send(id, s) {
						return
					}
					mu.Lock()
					accepted[id] = true
					if sent++; sent == 100 {
						close(enough)
					}
					mu.Unlock()
				}
			})
		}
		<-enough
		d.Stop()
		senders.Wait()
	}
	d.Start()
	there := map[string]int{}
	for _, e := range call(d, api.Log, cold.LogFilter{Kinds: []event.Kind{event.KindRead}, Limit: 100_000}).Events {
		there[e.ID]++
	}
	if len(accepted) < 500 {
		t.Fatalf("only %d were accepted", len(accepted))
	}
	for id := range accepted {
		fault.Same(t, "event "+id, there[id]+there["s:"+id+":post:"], 1)
	}
}

// send posts an event, or sends a hook and leaves; false when no daemon takes it any more.
func (d *fixture) send(id string, how int) bool {
	if how%2 == 0 {
		_, err := api.Call(d.Context(), d.Client(d.Repo.Dir), api.Events,
			[]event.Event{read(id, "s", time.Now(), "a.go")})
		return err == nil
	}
	_, err := hooktest.Send(d.Context(), d.Options.Place, d.reads(id))
	return err == nil
}

// reads is the hook of a call that has read a.go.
func (d *fixture) reads(id string) api.Hook {
	payload, err := json.Marshal(map[string]any{"session_id": "s", "cwd": d.Repo.Dir, "hook_event_name": "PostToolUse",
		"tool_name":   "Read",
		"tool_use_id": id, "tool_input": map[string]any{"file_path": filepath.Join(d.Repo.Dir, "a.go")}})
	if err != nil {
		panic(err)
	}
	return api.Hook{Agent: "claude", Dir: d.Repo.Dir, Payload: payload}
}

// TestEventsAreChecked: what no store could use is refused with the reason; what must not be stored
// is taken out.
func TestEventsAreChecked(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.Start()
	now := time.Now()
	for _, e := range []event.Event{{Time: now, Body: event.Call{Act: event.ActRead}}, {ID: "x", Time: now},
		{ID: "x", Body: event.Call{Act: event.ActRead}}} {
		_, err := api.Call(t.Context(), d.Client(d.Repo.Dir), api.Events, []event.Event{e})
		if refused, ok := errors.AsType[*event.Refusal](err); !ok || refused.Code != event.CodeBad {
			t.Errorf("%+v: %v", e, err)
		}
	}
	rename := event.Event{ID: "move", Time: now,
		Body: event.Rename{From: []event.Path{"a.go", "../../etc/passwd", "b.go"}, To: []event.Path{"x.go", "y.go",
			".git/config"}}}
	ans := call(d, api.Events, []event.Event{read("good", "s", now, "a.go", "../outside", "/etc/passwd", "b.go"),
		read("bad", "s", now, "../outside"), read("good", "s", now, "a.go"), rename})
	if ans != (api.EventsAnswer{Accepted: 2, Duplicate: 1, Ignored: 1}) {
		t.Errorf("%+v", ans)
	}
	for _, e := range call(d, api.Log, cold.LogFilter{Kinds: []event.Kind{event.KindRead, event.KindRename}}).Events {
		want := map[string]string{"good": "[] [a.go b.go]", "move": "[a.go] [x.go]"}[e.ID]
		fault.Same(t, e.ID, fmt.Sprint(e.From(), " ", e.Paths()), want)
	}
	st := call(d, api.Stats, api.StatsRequest{Table: "files"})
	if len(st.Files) == 0 {
		t.Error("nothing was counted")
	}
}

// TestWorktrees: callers in a linked worktree are answered with its files; one that is removed is
// closed.
func TestWorktrees(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.Start()
	root := d.Repo.Dir
	nested := filepath.Join(root, "trees", "x")
	at := func(dir string) string {
		t.Helper()
		st, err := api.Call(t.Context(), d.Client(dir), api.Status, api.None{})
		fault.Check(t, err)
		return st.Repo
	}
	for dir, want := range map[string]string{root: root, filepath.Join(root, "in", "side"): root, "": root,
		"/nowhere": root, os.TempDir(): root, nested: root} {
		fault.Same(t, dir, at(dir), want)
	}
	d.Repo.Run("git worktree add -q -b x trees/x")
	d.Until("the new worktree is known", func() bool {
		return at(nested) == nested && at(filepath.Join(nested, "in")) == nested
	})
	fault.Same(t, "beside it", at(filepath.Join(root, "in")), root)
	d.Repo.Run("git worktree remove --force trees/x")
	d.Until("it is closed", func() bool { return at(nested) == root })
	if w := call(d, api.Status, api.None{}).Warnings; len(w) > 0 {
		t.Errorf("a worktree that was removed is no reason for %v", w)
	}
}

// A large index is believed at the start; what is on the disk follows without being asked for.
func TestLargeIndex(t *testing.T) {
	d := newFixture(t)
	d.Begin()
	d.Stop()
	script := `cd "$1" && oid=$(git rev-parse HEAD:a.go) && seq -f "100644 $oid	far/away/in/a/deep/folder/file%06g.go" 30000 | git update-index --index-info && echo new >new.go`
	cmd := exec.Command("sh", "-c", script, "sh", d.Repo.Dir)
	cmd.Env = d.Options.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if info, err := os.Stat(filepath.Join(d.Options.Repo.GitDir, "index")); err != nil || info.Size() < 2<<20 {
		t.Fatalf("the index is too small for this test: %v %v", info, err)
	}
	d.Start()
	d.Until("the files on the disk are listed", func() bool { return call(d, api.Status, api.None{}).Files == 4 })
	typed := api.NamesRequest{Names: []string{"neww.go"}, Dir: d.Repo.Dir}
	if near := call(d, api.Names, typed).Names[0].Near; len(near) != 1 || near[0] != "new.go" {
		t.Errorf("a new file: %v", near)
	}
}

// A stop returns no error, however far the start of the daemon has come.
func TestStopWhileOpening(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	for ms := 0; ms < 25; ms += 3 {
		ctx, cancel := context.WithCancel(t.Context())
		end := time.AfterFunc(time.Duration(ms)*time.Millisecond, cancel)
		if err := daemon.Run(ctx, d.Options); err != nil {
			t.Errorf("stopped after %d ms: %v", ms, err)
		}
		end.Stop()
		cancel()
	}
}

// TestManyFilesComeAndGo: an event names 5,000 files at most; of more files that come or go at
// once, all are known and forgotten.
func TestManyFilesComeAndGo(t *testing.T) {
	const many = event.MaxPaths + 300
	d := newFixture(t, "AOA_QUIET=20ms")
	d.Start()
	root := d.Repo.Dir
	files := func(n int64) func() bool {
		return func() bool { return call(d, api.Status, api.None{}).Files == n }
	}
	d.Until("the files of the first commit", files(3))
	d.Until("every folder watched", func() bool { return call(d, api.Status, api.None{}).Watched == 3 })
	fault.Check(t, os.MkdirAll(filepath.Join(root, "flat"), 0o755))
	for i := range many {
		fault.Check(t, os.WriteFile(filepath.Join(root, "flat", fmt.Sprintf("f%d.go", i)), []byte("package flat\n"),
			0o644))
	}
	d.Until("all files known", files(3+many))
	fault.Check(t, os.RemoveAll(filepath.Join(root, "flat")))
	d.Until("all files forgotten", files(3))
}
