package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/daemontest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/hooktest"
)

// fixture is a repository with a history, a daemon that serves it, and an agent that asks.
type fixture struct {
	*daemontest.Daemon
	agent *mcp.ClientSession
}

func newFixture(t *testing.T, o Options) *fixture {
	t.Helper()
	d, now := &fixture{Daemon: daemontest.New(t, "AOA_THRESHOLD=aggressive")}, time.Now().Add(-time.Hour)
	d.Repo.Now = func() time.Time { now = now.Add(time.Minute); return now } // commits of one second have no order
	for i := range 12 {
		other := "docs/protocol.md"
		if i%4 == 1 {
			other = fmt.Sprintf("other/file%d.go", i)
		}
		d.Repo.Save(fmt.Sprintf("change %d of the protocol", i), "lib/codec.go", "package lib\n\nfunc DecodeFrame() {}\n",
			"server/wire.go", fmt.Sprint("server/wire.go", i), other, fmt.Sprint(other, i))
	}
	if o.Open == nil {
		o.Open = d.open
	}
	d.connect(New(o))
	return d
}

// open is the repository as a server of an agent finds it.
func (d *fixture) open(context.Context) (Repo, error) {
	return Repo{Client: d.Client(d.Repo.Dir), Root: d.Options.Repo.Root}, nil
}

// connect speaks the protocol over a pipe in memory, with the client of the same library.
func (d *fixture) connect(s *mcp.Server) {
	d.Helper()
	here, there := mcp.NewInMemoryTransports()
	server := fault.Must(s.Connect(d.Context(), there, nil))
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	agent := fault.Must(client.Connect(d.Context(), here, nil))
	d.agent = agent
	d.Cleanup(func() {
		if err := errors.Join(agent.Close(), server.Wait()); err != nil {
			d.Error(err)
		}
	})
}

// call calls a tool and decodes its structured answer, which must say the same as the text.
func call[Out any](d *fixture, tool string, args any) Out {
	d.Helper()
	res := d.raw(tool, args)
	if res.IsError {
		d.Fatalf("%s: %s", tool, text(res))
	}
	raw := fault.Must(json.Marshal(res.StructuredContent))
	var out, said Out
	fault.Check(d, json.Unmarshal(raw, &out))
	if err := json.Unmarshal([]byte(text(res)), &said); err != nil || !cmp.Equal(out, said) {
		d.Errorf("%s: the text says something else: %v\n%s", tool, err, cmp.Diff(out, said))
	}
	return out
}

func (d *fixture) raw(tool string, args any) *mcp.CallToolResult {
	d.Helper()
	res, err := d.agent.CallTool(d.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		d.Fatalf("%s: %v", tool, err)
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

// TestTools: each tool answers about a real repository, with lines. A name that is unknown gives a
// note, and the others still count.
func TestTools(t *testing.T) {
	d := newFixture(t, Options{})
	d.Begin()
	line := "docs/protocol.md: changed together in 9 of 12 commits"
	got := call[suggestOut](d, "suggest_files", object{"files": []string{"server/wire.go"}})
	if len(got.Files) == 0 || got.Files[0] != line {
		t.Fatalf("suggest_files: %+v", got)
	}
	link := filepath.Join(t.TempDir(), "link")
	fault.Check(t, os.Symlink(d.Repo.Dir, link))
	for _, name := range []string{d.Options.Repo.Root.Abs("server/wire.go"), "wire.go", "server", "server/wire.go:12", "wire.go:12:3",
		"server/wire.go#L3-L9", filepath.Join(link, "server/wire.go"), filepath.Join(link, "server/wire.go:7")} {
		if same := call[suggestOut](d, "suggest_files", object{"files": []string{name}}); !cmp.Equal(same, got) {
			t.Errorf("%s: %+v", name, same)
		}
	}
	slip := call[suggestOut](d, "suggest_files", object{"files": []string{filepath.Join(link, "servr/wires.go"), link}})
	if want := []string{"no file is called " + filepath.Join(link, "servr/wires.go") + "; did you mean server/wire.go?",
		link + " is not in this repository"}; !cmp.Equal(slip.Notes, want) {
		t.Errorf("slips through a link: %q", slip.Notes)
	}
	if p := call[suggestOut](d, "suggest_files", object{"prompt": "speak of the protocol"}); len(p.Files) == 0 {
		t.Error("nothing for a prompt")
	}
	if p := call[suggestOut](d, "suggest_files", object{"prompt": "DecodeFrame drops a byte"}); len(p.Files) == 0 ||
		!strings.HasPrefix(p.Files[0], "lib/codec.go:3 DecodeFrame") {
		t.Errorf("a symbol: %+v", p)
	}
	mixed := call[suggestOut](d, "suggest_files", object{"files": []string{"server/wires.go", "server/wire.go", "../x"}})
	if want := []string{"no file is called server/wires.go; did you mean server/wire.go?",
		"../x is not in this repository"}; !cmp.Equal(mixed.Files, got.Files) ||
		!cmp.Equal(mixed.Notes, want) {
		t.Errorf("beside unknown names: %+v", mixed)
	}
	if none := call[suggestOut](d, "suggest_files", object{"files": []string{"x"}}); len(none.Files) != 0 ||
		len(none.Notes) != 1 {
		t.Errorf("only unknown names: %+v", none)
	}
	part := call[partnersOut](d, "missing_partners", object{"files": []string{"x", "server"}})
	if want := []string{"docs/protocol.md: in 9 of 12 commits of server/wire.go"}; !cmp.Equal(part.Missing, want) ||
		len(part.Notes) != 1 {
		t.Errorf("missing_partners: %+v", part)
	}
}

// TestSession: that of the environment, else the newest live session of the checkout.
func TestSession(t *testing.T) {
	d := newFixture(t, Options{})
	d.Begin()
	asked := func() string {
		t.Helper()
		wrote := call[cacheOut](d, "llm_cache", object{"action": "write", "data": "x"})
		session, _, _ := strings.Cut(wrote.Items[0].Key, "_")
		return session
	}
	hook := func(session, payload string) {
		t.Helper()
		_, err := hooktest.Send(t.Context(), d.Options.Place, api.Hook{Agent: "claude", Dir: d.Repo.Dir, Wait: true,
			Payload: []byte(`{"session_id":"` + session + `","cwd":` + string(quote(d.Options.Repo.Root)) + `,` + payload + `}`)})
		fault.Check(t, err)
	}
	await := func(want string) {
		t.Helper()
		fault.Until(t, time.Minute, "asked for "+want, func() bool { return asked() == want })
	}
	hook("s1", `"hook_event_name":"SessionStart","source":"startup"`)
	await("s1")
	hook("s2", `"hook_event_name":"SessionStart","source":"resume"`)
	await("s2")
	if ans, err := api.Call(t.Context(), d.Client(d.Repo.Dir), api.Session,
		api.SessionRequest{Session: "s2"}); err != nil || ans.Mode != "session" || !ans.Live {
		t.Errorf("a resumed session: %+v %v", ans, err)
	}
	hook("s2", `"hook_event_name":"SessionEnd","reason":"exit"`)
	await("s1")
	d.connect(New(Options{Session: "env", Open: d.open}))
	fault.Same(t, "the environment does not win", asked(), "env")
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
	known := error(&event.Refusal{Code: event.CodeMissing, Message: "aOa does not know this repository yet", Hint: "aoa init"})
	d.connect(New(Options{Open: func(ctx context.Context) (Repo, error) {
		repo, _ := d.open(ctx)
		return repo, known
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
	fails("suggest_files", object{"prompt": "x"}, "does not know this repository", "hint: aoa init")
	known = nil
	fails("missing_partners", object{}, "no daemon is running", "hint: aoa doctor")
	d.Begin()
	fails("reload_cached", object{}, "cacheId")
	fails("suggest_files", object{}, "no prompt and no files", "hint: give prompt")
	if got := call[suggestOut](d, "suggest_files", object{"files": []string{"server/wire.go"}}); len(got.Files) == 0 {
		t.Error("nothing after the failures")
	}
}

// TestInstructionsOfTheServer: what a client gets before it asks anything.
func TestInstructionsOfTheServer(t *testing.T) {
	d := newFixture(t, Options{Version: "1.2.3"})
	hello := d.agent.InitializeResult()
	if n := len(hello.Instructions); n == 0 || n > 300 {
		t.Errorf("instructions of %d characters", n)
	}
	//lint:ignore SA1019 that the deprecated capability is not announced is what is tested
	if hello.ServerInfo.Version != "1.2.3" || hello.Capabilities.Logging != nil {
		t.Errorf("%+v", hello)
	}
	var shown []object // to the model
	list := func() (names []string, raw []byte) {
		res := fault.Must(d.agent.ListTools(t.Context(), nil))
		for _, tool := range res.Tools {
			names = append(names, tool.Name)
			a := tool.Annotations
			if a == nil || a.OpenWorldHint == nil || *a.OpenWorldHint ||
				a.ReadOnlyHint == slices.Contains([]string{"llm_cache", "reload_cached"}, tool.Name) {
				t.Errorf("%s: annotations %+v", tool.Name, a)
			}
			shown = append(shown, object{"name": tool.Name, "description": tool.Description,
				"input_schema": tool.InputSchema})
			hint, searched := tool.Meta["anthropic/searchHint"].(string)
			if always := slices.Contains([]string{"suggest_files", "missing_partners"},
				tool.Name); (tool.Meta["anthropic/alwaysLoad"] == true) != always || searched == always || searched && hint == "" {
				t.Errorf("%s: meta %+v", tool.Name, tool.Meta)
			}
		}
		return names, quote(res)
	}
	names, first := list()
	fault.Same(t, "tools", names, agents.OwnTools)
	if n := index.Tokens(string(quote(shown))); n > 500 {
		t.Errorf("all tools cost %d tokens: %s", n, quote(shown))
	}
	if _, again := list(); !bytes.Equal(first, again) {
		t.Error("the list differs from one time to the next")
	}
}
