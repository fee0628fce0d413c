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
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/hooktest"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// patient is how long a test waits for what must happen: machines that run tests have other work.
const patient = 60 * time.Second

// sandbox is a repository of its own and the real program beside it.
type sandbox struct {
	testing.TB
	dir string
	env []string
	bin string
}

// newSandbox makes a repository with n commits (see history in script_test.go). Its daemons end with the test.
func newSandbox(t testing.TB, n int) *sandbox {
	t.Helper()
	bin, err := exec.LookPath("aoa") // TestMain has put it there
	fault.Check(t, err)
	// Not t.TempDir: its long name would push the socket out of the store.
	top := fault.Must(os.MkdirTemp("", "aoa"))
	t.Cleanup(func() { os.RemoveAll(top) })
	r := repotest.Below(t, top)
	d := &sandbox{TB: t, dir: r.Dir, bin: bin, env: append(r.Env, "NO_COLOR=1", "TZ=UTC", "AOA_PATIENCE=20", "AOA_IDLE_TIMEOUT=5m",
		"GORACE="+os.Getenv("GORACE"))}
	if n > 0 {
		r.Import(commits(n))
	}
	t.Cleanup(func() {
		last := *d
		last.dir = top // the repository may be gone
		last.do("daemon", "stop", "--all", "--force")
	})
	return d
}

// initialized makes a sandbox that aoa init was run in, for a test that runs beside others.
func initialized(t *testing.T, commits int) *sandbox {
	t.Helper()
	t.Parallel()
	d := newSandbox(t, commits)
	d.must("init")
	return d
}

// noRace skips a test of what one command meets on its own: make test runs it, make race (-short)
// would only take longer.
func noRace(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("one command at a time: nothing for the race detector")
	}
}

func (d *sandbox) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = d.dir, d.env
	return cmd
}

func (d *sandbox) git(args ...string) string {
	d.Helper()
	return (&repotest.Repo{TB: d, Dir: d.dir, Env: d.env, Now: time.Now}).Git(args...)
}

// said is what a run of the program left behind.
type said struct {
	out, err string
	code     int
}

// do runs the program to its end.
func (d *sandbox) do(args ...string) said { d.Helper(); return d.doWith("", args...) }

func (d *sandbox) doWith(stdin string, args ...string) said {
	d.Helper()
	return d.finish(d.command(d.bin, args...), stdin)
}

// finish runs a command to its end.
func (d *sandbox) finish(cmd *exec.Cmd, stdin string) said {
	d.Helper()
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		d.Fatalf("%v: %v", cmd.Args, err)
	}
	return said{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// must is do for what has to work.
func (d *sandbox) must(args ...string) string {
	d.Helper()
	s := d.do(args...)
	if s.code != 0 {
		d.Fatalf("aoa %v: exit %d\n%s%s", args, s.code, s.out, s.err)
	}
	return s.out
}

func (d *sandbox) place() locate.Place {
	return locate.Find(filepath.Join(d.dir, ".git"), config.Lookup(d.env))
}

// client speaks to the running daemon and starts none.
func (d *sandbox) client() *api.Client {
	return &api.Client{Place: d.place(), Dir: d.dir, Patience: 20}
}

func (d *sandbox) status() api.StatusAnswer {
	d.Helper()
	return mustCall(d, api.Status, api.None{})
}

// mustCall waits, as the command line does, while the daemon opens its stores again.
func mustCall[Req, Res any](d *sandbox, r api.Route[Req, Res], req Req) Res {
	d.Helper()
	c := d.client()
	c.Start = func(context.Context) error { return nil } // it starts by itself
	res, err := api.Call(d.Context(), c, r, req)
	if err != nil {
		d.Fatalf("%s: %v", r.Path, err)
	}
	return res
}

// daemon starts a daemon as a child, keeps its output, and waits until it listens.
func (d *sandbox) daemon(env ...string) *exec.Cmd {
	d.Helper()
	cmd := d.command(d.bin, "daemon", "run")
	cmd.Env = append(cmd.Env, env...)
	fault.Check(d, cmd.Start())
	d.until("the daemon listens", func() bool {
		st, err := api.Call(d.Context(), d.client(), api.Status, api.None{})
		return err == nil && st.Pid == cmd.Process.Pid
	})
	return cmd
}

// read waits until the history is read.
func (d *sandbox) read() {
	d.Helper()
	d.until("the history is read", func() bool { return d.status().Import.State == "done" })
}

// kill ends a daemon as a power failure does.
func (d *sandbox) kill(cmd *exec.Cmd) {
	d.Helper()
	fault.Check(d, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
}

// until looks again and again until it is so.
func (d *sandbox) until(what string, so func() bool) {
	d.Helper()
	fault.Until(d, patient, what, so)
}

// send does what a hook client does: it sends a hook and leaves, or waits for the answer.
func (d *sandbox) send(h api.Hook) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patient)
	defer cancel()
	return hooktest.Send(ctx, d.place(), h)
}

// hook is the payload of an agent's tool call, as Claude Code sends it.
func (d *sandbox) hook(ev, session, id, tool, file string) json.RawMessage {
	p := map[string]any{"session_id": session, "cwd": d.dir, "hook_event_name": ev}
	switch ev {
	case "UserPromptSubmit":
		p["prompt_id"], p["prompt"] = id, file
	default:
		p["tool_name"], p["tool_use_id"] = tool, id
		p["tool_input"] = map[string]any{"file_path": filepath.Join(d.dir, filepath.FromSlash(file))}
		p["tool_response"] = map[string]any{"type": "text"}
	}
	raw, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	return raw
}

// path is the full name of a file of the repository.
func (d *sandbox) path(name string) string { return filepath.Join(d.dir, filepath.FromSlash(name)) }

// write puts a text into a file of the repository.
func (d *sandbox) write(name, text string) {
	d.Helper()
	path := d.path(name)
	fault.Check(d, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)))
}

// log is what aoa log --json tells.
func (d *sandbox) log(args ...string) []event.Event {
	d.Helper()
	var out []event.Event
	for line := range strings.Lines(d.must(append([]string{"log", "--json", "-n", "100000"}, args...)...)) {
		var e event.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			d.Fatalf("log: %v in %q", err, line)
		}
		out = append(out, e)
	}
	return out
}

// commits is a history for git fast-import: n commits, an hour apart, the last one an hour ago.
// server/wire.go and docs/protocol.md change together in 7 of 8; other files change alone.
func commits(n int) string {
	var b strings.Builder
	start := time.Now().Add(-time.Duration(n) * time.Hour).Unix()
	for i := range n {
		fmt.Fprintf(&b, "commit refs/heads/main\ncommitter A <a@example.com> %d +0000\ndata <<E\nchange %d of the "+
			"protocol\nE\n", start+int64(i)*3600, i)
		names := []string{"server/wire.go", "docs/protocol.md"}
		if i%8 == 7 {
			names = []string{fmt.Sprintf("other/file%d.go", i%24), "server/wire.go"}
		}
		if i == 0 {
			names = append(names, "server/wire_test.go", "README.md", "cmd/main.go")
		}
		for _, name := range names {
			fmt.Fprintf(&b, "M 100644 inline %s\ndata <<E\n%s %d\nE\n", name, name, i)
		}
	}
	return b.String()
}
