package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/redact"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

const orchardRoot = "/home/dev/orchard"

// orchard is a made-up repository for decoding: only its names matter.
func orchard() Repo {
	return Repo{
		Root:  orchardRoot,
		Roots: []event.Root{"/home/dev/orchard-pear", `C:\dev\orchard`},
		Now:   func() time.Time { return time.Date(2026, 11, 20, 10, 0, 3, 0, time.UTC) },
		Tree: index.NewTree(eventtest.Paths([]string{"Makefile", "README.md", "go.mod", "pick/picker.go", "pick/picker_test.go",
			"store/basket.go",
			"store/basket_test.go", "web/server.go", "web/server_test.go", "web/app/[id]/page.tsx", "web/index.ts",
			"docs/old.md", "docs/yield.ipynb",
			"docs/a guide.md", "scripts/gen.sh", "data/fruit.json", "db/migrations/001_init.sql", "pkg/a/index.ts",
			"cmd/orchard/main.go"})),
		Ignored: func(p event.Path) bool { return strings.HasPrefix(string(p), "vendor/") || p.Ext() == ".log" },
		Written: func(files []event.Path) []event.Path { return files },
	}
}

func marshal(t testing.TB, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	fault.Check(t, e.Encode(v))
	return b.Bytes()
}

// TestDecodeRecorded compares what each payload in testdata gives with its .want file; -update
// writes them.
func TestDecodeRecorded(t *testing.T) {
	for _, a := range agents.All {
		agent := a.Name
		files, _ := filepath.Glob(filepath.Join("testdata", agent, "*.json"))
		if len(files) < 3 {
			t.Fatalf("%s: %d payloads", agent, len(files))
		}
		for _, name := range files {
			t.Run(agent+"/"+strings.TrimSuffix(filepath.Base(name), ".json"), func(t *testing.T) {
				payload := fault.Must(os.ReadFile(name))
				var env map[string]string
				if agent == "claude" { // its payloads are its own, in any terminal
					env = map[string]string{"CLAUDECODE": "1", "CURSOR_VERSION": "2", "COPILOT_CLI": "1"}
				}
				call, err := Decode(agent, env, payload, orchard())
				fault.Check(t, err)
				got, file := marshal(t, call), strings.TrimSuffix(name, ".json")+".want"
				fault.Golden(t, file, string(got))
			})
		}
	}
}

func decode(t testing.TB, ev string, fields map[string]any, r Repo) Call {
	t.Helper()
	in := map[string]any{"hook_event_name": ev, "session_id": "s1", "cwd": string(r.Root)}
	for k, v := range fields {
		in[k] = v
	}
	call, err := Decode("claude", nil, marshal(t, in), r)
	fault.Check(t, err)
	return call
}

// A batch repeats what single events said: the events must have the same ids.
func TestBatchRepeatsIDs(t *testing.T) {
	r := orchard()
	command := map[string]any{"command": "cat go.mod web/server.go && rg Basket store && make"}
	one := decode(t, "PostToolUse", map[string]any{"tool_name": "Bash", "tool_use_id": "t9", "agent_id": "a1",
		"tool_input":    command,
		"tool_response": map[string]any{"stdout": "store/basket.go:1:x"}}, r)
	all := decode(t, "PostToolBatch",
		map[string]any{"agent_id": "a1", "tool_calls": []any{map[string]any{"tool_name": "Bash", "tool_use_id": "t9",
			"tool_input": command, "tool_response": "store/basket.go:1:x"}}}, r)
	if len(one.Events) != 4 {
		t.Fatalf("%d events, want 4: %v", len(one.Events), one.Events)
	}
	if one.Events[0].ID != "s1:t9:post:a1" || one.Events[3].ID != "s1:t9:post:a1:3" {
		t.Errorf("ids %q, %q", one.Events[0].ID, one.Events[3].ID)
	}
	fault.Same(t, "all at once", all.Events, one.Events)
}

func TestDecodeHostile(t *testing.T) {
	n := 500_000
	if testing.Short() {
		n /= 50
	}
	big := `{"hook_event_name":"PostToolUse","tool_name":"Bash","session_id":"s","cwd":"/home/dev/orchard","tool_use_id":"t","tool_input":{"command":"cat store/basket.go"},"tool_response":{"stdout":"` +
		strings.Repeat(`store/basket.go web/server.go:3 <b>x</b> `, n) + `"}}`
	call, err := Decode("claude", nil, []byte(big), orchard())
	if err != nil || len(call.Events) != 1 || len(call.Events[0].Paths()) != 1 {
		t.Errorf("%d MB: %v, %d events", len(big)>>20, err, len(call.Events))
	}
	deep := strings.Repeat(`{"tool_input":`, 100_000)
	wrong := []string{"", "null", "[]", "3", `"x"`, "{", deep, `{"hook_event_name":`, "\xff\xfe{}",
		strings.Repeat("[", 1<<20)}
	for _, payload := range wrong {
		call, err := Decode("claude", nil, []byte(payload), orchard())
		if len(call.Events) != 0 || call.Query != nil {
			t.Errorf("%.20q: %v", payload, call)
		}
		if payload != "null" && !errors.Is(err, ErrPayload) {
			t.Errorf("%.20q: error %v", payload, err)
		}
	}
	if _, err := Decode("abacus", nil, []byte("{}"), orchard()); !errors.Is(err, ErrAgent) {
		t.Errorf("unknown agent: %v", err)
	}
	if call, err := Decode("claude", nil, []byte(`{"hook_event_name":"SessionEnd","session_id":"s"} {"second":`),
		Repo{Now: time.Now}); err != nil || len(call.Events) != 1 {
		t.Errorf("second value: %v %v", err, call)
	}
	odd := decode(t, "PostToolUse", map[string]any{"tool_name": "Read", "tool_use_id": "t",
		"tool_input": map[string]any{"file_path": orchardRoot + "/a\x00b"}}, orchard())
	fault.Same(t, "events with NUL in a path", len(odd.Events), 0)
}

// A worktree seen through a symlink, and files behind one inside it.
func TestSymlinks(t *testing.T) {
	base := fault.Must(filepath.EvalSymlinks(t.TempDir()))
	real, link := filepath.Join(base, "real"), filepath.Join(base, "link")
	fault.Write(t, filepath.Join(real, "sub", "a.go"), "")
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no symlinks here:", err)
	}
	fault.Check(t, os.Symlink("sub", filepath.Join(real, "alias")))
	r := Repo{Root: event.Root(real), Now: time.Now, Tree: index.NewTree([]event.Path{"sub/a.go"})}
	for _, c := range []struct{ cwd, file string }{
		{real, filepath.Join(real, "sub", "a.go")},
		{link, filepath.Join(link, "sub", "a.go")},
		{filepath.Join(link, "sub"), filepath.Join(link, "sub", "a.go")},
		{filepath.Join(link, "sub"), "a.go"},
		{real, filepath.Join(real, "alias", "a.go")},
		{base, filepath.Join(link, "sub", "a.go")},
	} {
		call := decode(t, "PostToolUse", map[string]any{"cwd": c.cwd, "tool_name": "Read", "tool_use_id": "t",
			"tool_input": map[string]any{"file_path": c.file}}, r)
		if len(call.Events) != 1 || call.Events[0].Paths()[0] != "sub/a.go" {
			t.Errorf("cwd %s, file %s: %v", c.cwd, c.file, call.Events)
		}
	}
}

func bigRepo(n int) Repo {
	paths := make([]event.Path, n)
	for i := range paths {
		paths[i] = event.Path("dir" + string(rune('a'+i%26)) + "/pkg/file" + strconv.Itoa(i/26) + ".go")
	}
	return Repo{Root: "/r", Tree: index.NewTree(paths), Now: func() time.Time { return time.Unix(1e9, 0) }}
}

func TestPromptText(t *testing.T) {
	long := decode(t, "UserPromptSubmit", map[string]any{"prompt": strings.Repeat("apples and pears ", 10_000)}, orchard())
	e := long.Events[0]
	if len(e.Text()) > event.MaxText || len(e.Text()) < event.MaxText-20 || len(e.Terms()) != 2 {
		t.Errorf("%d bytes, terms %v", len(e.Text()), e.Terms())
	}
	token := githubToken
	secret := decode(t, "UserPromptSubmit", map[string]any{"prompt": "deploy with " + token}, orchard())
	if all := string(marshal(t, secret)); strings.Contains(all, token) ||
		strings.Contains(all, strings.ToLower(token[4:20])) || !strings.Contains(all, "deploy") {
		t.Error(all)
	}
	if c := decode(t, "UserPromptSubmit", map[string]any{"prompt": "<private>all of it</private>"},
		orchard()); len(c.Events) != 0 || c.Query != nil {
		t.Errorf("%v", c)
	}
}

// FuzzDecode feeds the recorded payloads of all agents, and what grows from them, to the decoders
// of all.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"hook_event_name":"PostToolUse","session_id":"s","cwd":"/home/dev/orchard","tool_name":"Read","tool_use_id":"t","tool_input":{"file_path":"go.mod"}}`))
	f.Add([]byte(`{"hook_event_name":"PostToolBatch","tool_calls":[{"tool_name":"Edit","tool_input":{"file_path":"go.mod"},"tool_response":"Error: x"}]}`))
	f.Add([]byte(`{"hook_event_name":"UserPromptSubmit","prompt":"x","session_id":1}`))
	files, _ := filepath.Glob(filepath.Join("testdata", "*", "*.json"))
	for _, name := range files {
		f.Add(fault.Read(f, name))
	}
	r := orchard()
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, a := range agents.All {
			agent := a.Name
			call, err := Decode(agent, nil, payload, r)
			if err != nil && (len(call.Events) > 0 || call.Query != nil) {
				t.Errorf("%s: %v and %+v", agent, err, call)
			}
			for _, e := range call.Events {
				checkEvent(t, r, e)
			}
		}
	})
}

// checkEvent holds for every event that leaves the decoder.
func checkEvent(t *testing.T, r Repo, e event.Event) {
	t.Helper()
	if e.ID == "" || e.Kind() == "" || len(e.Seen()) > event.MaxSeen || len(e.Terms()) > event.MaxTerms ||
		len(e.Text()) > event.MaxText || len(e.Tags()) > MaxTags {
		t.Errorf("out of bounds: %+v", e)
	}
	if redact.Text(e.Text()) != e.Text() {
		t.Errorf("not redacted: %q", e.Text())
	}
	if e.Kind() == event.KindRename && len(e.From()) != len(e.Paths()) {
		t.Errorf("rename of %d to %d", len(e.From()), len(e.Paths()))
	}
	for _, ps := range [][]event.Path{e.Paths(), e.From(), e.Named(), e.Seen()} {
		for _, p := range ps {
			if q, err := event.NewPath(string(p)); err != nil || q != p {
				t.Errorf("path %q: %v", p, err)
			}
		}
	}
	for _, p := range append(e.Named()[:len(e.Named()):len(e.Named())], e.Seen()...) {
		if !r.Tree.Has(p) && e.Kind() != event.KindRun {
			t.Errorf("%s names %q, which is not known", e.Kind(), p)
		}
	}
}

// FuzzCut: a JSON object that is cut anywhere gives the members that are whole.
func FuzzCut(f *testing.F) {
	whole := `{"a":"x","n":-12.5e3,"t":{"s":"a\u00e9\"b","ok":true,"l":[1,[2,{"k":"v"}],"y"],"e":{}},"z":null}`
	for i := range len(whole) + 1 {
		f.Add([]byte(whole), uint16(i))
	}
	f.Fuzz(func(t *testing.T, data []byte, at uint16) {
		var all map[string]json.RawMessage
		if json.Unmarshal(data, &all) != nil || !bytes.HasPrefix(data, []byte("{")) {
			return
		}
		var some members
		cut := data[:max(1, min(int(at), len(data)))]
		if err := decodeFirst(cut, &some); err != nil && len(wholeMembers(cut)) > 2 {
			t.Fatalf("%q: %v", cut, err)
		}
		for k := range some {
			if _, ok := all[k]; !ok {
				t.Fatalf("%q has no member %q", cut, k)
			}
		}
		if len(cut) == len(data) && len(some) != len(all) {
			t.Fatalf("%q: %d of %d members", data, len(some), len(all))
		}
	})
}
