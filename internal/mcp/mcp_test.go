package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/daemon"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/fault"
	"github.com/aoa-dev/aoa/watcher"
)

// fixture is a repository with a history, a daemon that serves it, and an agent that asks.
type fixture struct {
	t     *testing.T
	repo  *watcher.Repo
	env   []string
	place locate.Place
	agent *mcp.ClientSession
}

func newFixture(t *testing.T, o Options) *fixture {
	t.Helper()
	root, home := t.TempDir(), t.TempDir()
	d := &fixture{t: t, env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + home,
		"XDG_STATE_HOME=" + home,
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull, "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"),
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org"}}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = root, d.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	first, env := time.Now().Add(-time.Hour), d.env
	for i := range 12 {
		at := first.Add(time.Duration(i) * time.Minute).Format(time.RFC3339) // commits of one second have no order
		d.env = append(env[:len(env):len(env)], "GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at)
		names := []string{"server/wire.go", "docs/protocol.md"}
		if i%4 == 1 {
			names = []string{"server/wire.go", fmt.Sprintf("other/file%d.go", i)}
		}
		for _, name := range names {
			write(t, filepath.Join(root, name), fmt.Sprint(name, i))
		}
		git("add", ".")
		git("commit", "-q", "-m", fmt.Sprintf("change %d of the protocol", i))
	}
	d.env = env
	var err error
	if d.repo, err = watcher.OpenRepo(t.Context(), root, d.env); err != nil {
		t.Fatal(err)
	}
	if o.Open == nil {
		o.Open = func(context.Context) (Repo, error) {
			return Repo{Client: &api.Client{Place: d.place, Dir: root}, Root: d.repo.Root}, nil
		}
	}
	d.connect(New(o))
	return d
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// connect speaks the protocol over a pipe in memory, with the client of the same library.
func (d *fixture) connect(s *mcp.Server) {
	d.t.Helper()
	here, there := mcp.NewInMemoryTransports()
	server, err := s.Connect(d.t.Context(), there, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	agent, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(d.t.Context(), here, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	d.agent = agent
	d.t.Cleanup(func() {
		if err := errors.Join(agent.Close(), server.Wait()); err != nil {
			d.t.Error(err)
		}
	})
}

// serve runs a daemon until the test ends and waits until it has read the history.
func (d *fixture) serve() {
	d.t.Helper()
	var err error
	if d.place, err = locate.Create(d.repo.CommonDir, config.Lookup(d.env)); err != nil {
		d.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- daemon.Run(ctx, daemon.Options{Repo: d.repo, Place: d.place, Env: d.env, Version: "test", Build: "test",
			Now: time.Now,
			Log: slog.New(slog.DiscardHandler), Ready: func() { close(ready) }})
	}()
	d.t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			d.t.Error(err)
		}
	})
	select {
	case <-ready:
	case err := <-ended:
		ended <- err
		d.t.Fatalf("daemon ended: %v", err)
	}
	fault.Until(d.t, time.Minute, "the history is learned", func() bool {
		ans, err := api.Call(d.t.Context(), &api.Client{Place: d.place}, api.Import, api.ImportRequest{Look: true})
		if err != nil || ans.History.State == "failed" {
			d.t.Fatal(err, ans.History.Error)
		}
		return ans.History.State == "done"
	})
}

// call calls a tool and decodes its structured answer, which must say the same as the text.
func call[Out any](d *fixture, tool string, args any) Out {
	d.t.Helper()
	res := d.raw(tool, args)
	if res.IsError {
		d.t.Fatalf("%s: %s", tool, text(res))
	}
	raw, err := json.Marshal(res.StructuredContent)
	if err != nil {
		d.t.Fatal(err)
	}
	var out, said Out
	if err := json.Unmarshal(raw, &out); err != nil {
		d.t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text(res)), &said); err != nil || !cmp.Equal(out, said) {
		d.t.Errorf("%s: the text says something else: %v\n%s", tool, err, cmp.Diff(out, said))
	}
	return out
}

func (d *fixture) raw(tool string, args any) *mcp.CallToolResult {
	d.t.Helper()
	res, err := d.agent.CallTool(d.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		d.t.Fatalf("%s: %v", tool, err)
	}
	return res
}

func text(r *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

type object = map[string]any

// TestTools: each tool answers about a real repository.
func TestTools(t *testing.T) {
	d := newFixture(t, Options{})
	d.serve()
	got := call[suggestOut](d, "suggest_files", object{"files": []string{"server/wire.go"}})
	if len(got.Files) == 0 || got.Files[0].File != "docs/protocol.md" ||
		!slices.Contains(got.Files[0].Reasons, "changed together in 9 of 12 commits") {
		t.Fatalf("suggest_files: %+v", got)
	}
	if abs := call[suggestOut](d, "suggest_files", object{"files": []string{d.repo.Root.Abs("server/wire.go")},
		"limit": 1}); abs.Files[0].File != "docs/protocol.md" {
		t.Errorf("an absolute name: %+v", abs)
	}
	if p := call[suggestOut](d, "suggest_files", object{"prompt": "speak of the protocol"}); len(p.Files) == 0 {
		t.Error("nothing for a prompt")
	}
	why := call[whyOut](d, "why_file", object{"file": "docs/protocol.md", "files": []string{"server/wire.go"}})
	if why.Rank != 1 || !why.Known || why.Probability != got.Files[0].Probability || len(why.Signals) < 3 {
		t.Errorf("why_file: %+v", why)
	}
	if base := call[suggestOut](d, "suggest_files", object{"files": []string{"wire.go"}}); !cmp.Equal(base.Files,
		got.Files) {
		t.Errorf("the only file of a name: %+v", base)
	}
	if folder := call[partnersOut](d, "missing_partners", object{"files": []string{"server"}}); !cmp.Equal(folder.Change,
		[]string{"server/wire.go"}) {
		t.Errorf("a folder: %+v", folder)
	}
	for tool, args := range map[string]object{"suggest_files": {"files": []string{"server/wires.go"}},
		"why_file":         {"file": "wires.go"},
		"missing_partners": {"files": []string{"x", "server/wires.go"}}, "feedback": {"helpful": true,
			"file": "server/wires.go"}} {
		if res := d.raw(tool, args); !res.IsError || !strings.Contains(text(res), "no file is called ") {
			t.Errorf("%s of an unknown file: %s", tool, text(res))
		}
	}
	if res := d.raw("why_file", object{"file": "server/wires.go"}); !strings.Contains(text(res),
		"hint: did you mean server/wire.go?") {
		t.Errorf("no hint: %s", text(res))
	}
	sum := 0.0
	for _, s := range why.Signals {
		sum += s.Value * s.Weight
	}
	if diff := sum - why.Sum; diff > 1e-6 || diff < -1e-6 {
		t.Errorf("the signals add up to %v, the answer says %v", sum, why.Sum)
	}
	if _, err := api.Call(t.Context(), &api.Client{Place: d.place}, api.SessionSet,
		api.SessionSetRequest{ID: "s1", State: "active"}); err != nil {
		t.Fatal(err)
	}
	fed := call[feedbackOut](d, "feedback", object{"helpful": false, "file": "docs/protocol.md", "session_id": "s1"})
	if again := call[feedbackOut](d, "feedback",
		object{"helpful": false, "session_id": "s1"}); again.Threshold <= fed.Threshold || again.Session != "s1" {
		t.Errorf("feedback moved %v to %v", fed, again)
	}
}

// TestMissingPartners: for named files, and for what is changed in the worktree.
func TestMissingPartners(t *testing.T) {
	d := newFixture(t, Options{})
	d.serve()
	if none := call[partnersOut](d, "missing_partners", object{}); len(none.Change)+len(none.Missing) != 0 {
		t.Errorf("nothing is changed, yet: %+v", none)
	}
	want := partnersOut{Change: []string{"server/wire.go"}, Missing: []partner{{File: "docs/protocol.md",
		With: "server/wire.go", Both: 9, Of: 12}}, Broken: []string{}}
	got := call[partnersOut](d, "missing_partners", object{"files": []string{"server/wire.go"}})
	if len(got.Missing) != 1 || got.Missing[0].Probability < 0.4 {
		t.Fatalf("%+v", got)
	}
	got.Missing[0].Probability = 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	write(t, d.repo.Root.Abs("server/wire.go"), "changed")
	write(t, d.repo.Root.Abs("new.txt"), "new")
	got = call[partnersOut](d, "missing_partners", object{})
	if diff := cmp.Diff([]string{"new.txt", "server/wire.go"}, got.Change); diff != "" || len(got.Missing) != 1 {
		t.Errorf("the worktree's own change: %+v\n%s", got, diff)
	}
	write(t, d.repo.Root.Abs("docs/protocol.md"), "changed too")
	if got = call[partnersOut](d, "missing_partners", object{}); len(got.Missing) != 0 {
		t.Errorf("nothing is missing, yet: %+v", got.Missing)
	}
}

// TestSession: the argument, else the environment, else the newest live session of the checkout.
func TestSession(t *testing.T) {
	d := newFixture(t, Options{})
	d.serve()
	asked := func(args object) string {
		t.Helper()
		return call[suggestOut](d, "suggest_files", args).Session
	}
	if s := asked(object{}); s != "" {
		t.Errorf("no session lives, asked for %q", s)
	}
	hook := func(session, payload string) {
		t.Helper()
		_, err := api.Hook{Agent: "claude", Dir: string(d.repo.Root), Wait: true,
			Payload: []byte(
				`{"session_id":"` + session + `","cwd":` + string(quote(d.repo.Root)) + `,` + payload + `}`)}.Send(t.Context(), d.place)
		if err != nil {
			t.Fatal(err)
		}
	}
	await := func(want string) {
		t.Helper()
		fault.Until(t, time.Minute, "asked for "+want, func() bool { return asked(object{}) == want })
	}
	hook("s1", `"hook_event_name":"SessionStart","source":"startup"`)
	await("s1")
	hook("s2", `"hook_event_name":"SessionStart","source":"resume"`)
	await("s2")
	if ans, err := api.Call(t.Context(), &api.Client{Place: d.place}, api.Session,
		api.SessionRequest{Session: "s2"}); err != nil || ans.Mode != "session" || !ans.Live {
		t.Errorf("a resumed session: %+v %v", ans, err)
	}
	hook("s2", `"hook_event_name":"SessionEnd","reason":"exit"`)
	await("s1")
	if s := asked(object{"session_id": "s2"}); s != "s2" {
		t.Errorf("the argument does not win: %q", s)
	}
	for named, want := range map[string]string{"other": `no session is called "other"`,
		"s": `"s" is the beginning of 2 sessions: s1, s2`} {
		if res := d.raw("suggest_files", object{"session_id": named}); !res.IsError || !strings.Contains(text(res), want) {
			t.Errorf("%s: %q, want %q", named, text(res), want)
		}
	}
	d.connect(New(Options{Session: "env", Open: func(context.Context) (Repo, error) {
		return Repo{Client: &api.Client{Place: d.place}, Root: d.repo.Root}, nil
	}}))
	if s := asked(object{}); s != "env" {
		t.Errorf("the environment does not win: %q", s)
	}
}

func quote(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// TestFailuresStay: whatever fails is a result with a hint, and the next call is served.
func TestFailuresStay(t *testing.T) {
	d := newFixture(t, Options{Open: nil})
	known := error(&api.Error{Code: api.CodeMissing, Message: "aOa does not know this repository yet", Hint: "aoa init"})
	d.connect(New(Options{Open: func(context.Context) (Repo, error) {
		return Repo{Client: &api.Client{Place: d.place}, Root: d.repo.Root}, known
	}}))
	fails := func(tool string, args any, want ...string) {
		t.Helper()
		res := d.raw(tool, args)
		for _, w := range want {
			if !res.IsError || !strings.Contains(text(res), w) {
				t.Errorf("%s %v: error %v without %q: %s", tool, args, res.IsError, w, text(res))
			}
		}
	}
	fails("suggest_files", object{}, "does not know this repository", "hint: aoa init")
	known = nil
	fails("missing_partners", object{}, "no daemon is running", "hint: aoa doctor")
	d.serve()
	fails("why_file", object{"file": "../elsewhere"}, "not in this repository", "hint: name files relative to")
	fails("suggest_files", object{"limit": 1000}, "out of range", "hint: use 1 to 100")
	fails("why_file", object{}, "file")
	fails("feedback", object{"helpful": "perhaps"}, "helpful")
	if got := call[suggestOut](d, "suggest_files", object{"files": []string{"server/wire.go"}}); len(got.Files) == 0 {
		t.Error("nothing after the failures")
	}
}

// TestInstructionsOfTheServer: what a client gets before it asks anything.
func TestInstructionsOfTheServer(t *testing.T) {
	d := newFixture(t, Options{Version: "1.2.3"})
	hello := d.agent.InitializeResult()
	if n := len(hello.Instructions); n == 0 || n > 600 {
		t.Errorf("instructions of %d characters", n)
	}
	//lint:ignore SA1019 that the deprecated capability is not announced is what is tested
	if hello.ServerInfo.Version != "1.2.3" || hello.Capabilities.Logging != nil {
		t.Errorf("%+v", hello)
	}
	list := func() (names []string, raw []byte) {
		res, err := d.agent.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range res.Tools {
			names = append(names, tool.Name)
			a := tool.Annotations
			if a == nil || a.OpenWorldHint == nil || *a.OpenWorldHint || a.ReadOnlyHint == slices.Contains([]string{"feedback",
				"llm_cache", "reload_cached"}, tool.Name) {
				t.Errorf("%s: annotations %+v", tool.Name, a)
			}
			if tool.OutputSchema == nil || len(tool.Description) > 300 {
				t.Errorf("%s: no schema of its output, or %d characters of description", tool.Name, len(tool.Description))
			}
			hint, searched := tool.Meta["anthropic/searchHint"].(string)
			if always := slices.Contains([]string{"suggest_files", "missing_partners"},
				tool.Name); (tool.Meta["anthropic/alwaysLoad"] == true) != always || searched == always || searched && hint == "" {
				t.Errorf("%s: meta %+v", tool.Name, tool.Meta)
			}
		}
		return names, quote(res)
	}
	names, first := list()
	if diff := cmp.Diff(agents.OwnTools, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, again := list(); !bytes.Equal(first, again) {
		t.Error("the list differs from one time to the next")
	}
}
