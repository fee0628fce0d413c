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

func contentOf(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	fault.Check(t, err)
	return b
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
				payload, err := os.ReadFile(name)
				fault.Check(t, err)
				call, err := Decode(agent, nil, payload, orchard())
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
		Repo{}); err != nil || len(call.Events) != 1 {
		t.Errorf("second value: %v %v", err, call)
	}
	odd := decode(t, "PostToolUse", map[string]any{"tool_name": "Read", "tool_use_id": "t",
		"tool_input": map[string]any{"file_path": orchardRoot + "/a\x00b"}}, orchard())
	fault.Same(t, "events with NUL in a path", len(odd.Events), 0)
}

// A worktree seen through a symlink, and files behind one inside it.
func TestSymlinks(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	fault.Check(t, err)
	real, link := filepath.Join(base, "real"), filepath.Join(base, "link")
	fault.Check(t, os.MkdirAll(filepath.Join(real, "sub"), 0o755))
	fault.Check(t, os.WriteFile(filepath.Join(real, "sub", "a.go"), nil, 0o644))
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no symlinks here:", err)
	}
	fault.Check(t, os.Symlink("sub", filepath.Join(real, "alias")))
	r := Repo{Root: event.Root(real), Tree: index.NewTree([]event.Path{"sub/a.go"})}
	for _, c := range []struct{ cwd, file string }{
		{real, filepath.Join(real, "sub", "a.go")},
		{link, filepath.Join(link, "sub", "a.go")},
		{filepath.Join(link, "sub"), filepath.Join(link, "sub", "a.go")},
		{filepath.Join(link, "sub"), "a.go"},
		{real, filepath.Join(real, "alias", "a.go")},
		{base, filepath.Join(link, "sub", "a.go")},
	} {
		call := decode(t, "PostToolUse",
			map[string]any{"cwd": c.cwd, "tool_name": "Read", "tool_use_id": "t",
				"tool_input": map[string]any{"file_path": c.file}}, r)
		if len(call.Events) != 1 || call.Events[0].Paths()[0] != "sub/a.go" {
			t.Errorf("cwd %s, file %s: %v", c.cwd, c.file, call.Events)
		}
	}
}

// A worktree inside the main one is the deeper root, and its files are the same files.
func TestNestedWorktrees(t *testing.T) {
	r := orchard()
	r.Roots = append(r.Roots, orchardRoot+"/trees/plum")
	for _, file := range []string{"/trees/plum/web/server.go", "/.claude/worktrees/fig/web/server.go", "/web/server.go"} {
		call := decode(t, "PreToolUse",
			map[string]any{"tool_name": "Edit", "tool_input": map[string]any{"file_path": orchardRoot + file}}, r)
		if call.Query == nil || call.Query.Current != "web/server.go" || call.Kind != "next" ||
			call.Query.Task != event.TaskOpen {
			t.Errorf("%s: %+v", file, call.Query)
		}
	}
}

func TestClassify(t *testing.T) {
	for problem, want := range map[string]event.Failure{
		"File does not exist.": event.FailMissing, "ENOENT: no such file or directory, open 'x'": event.FailMissing,
		"EISDIR: illegal operation on a directory, read":                              event.FailDir,
		"String to replace not found in file.":                                        event.FailNoMatch,
		"Found 3 matches of the string to replace, but replace_all is false":          event.FailNoMatch,
		"File has not been read yet. Read it first before writing to it.":             event.FailUnread,
		"File has been modified since read, either by the user or by a linter.":       event.FailUnread,
		"The user doesn't want to proceed with this tool use.":                        event.FailDenied,
		"Claude requested permissions to write to x, but you haven't granted it yet.": event.FailDenied,
		"File content (30000 tokens) exceeds maximum allowed tokens (25000).":         event.FailTooLarge,
		"the moon is in the wrong phase":                                              event.FailOther,
		"":                                                                            event.FailOther,
	} {
		fault.Same(t, problem, classify(problem), want)
	}
}

func bigRepo(n int) Repo {
	paths := make([]event.Path, n)
	for i := range paths {
		paths[i] = event.Path("dir" + string(rune('a'+i%26)) + "/pkg/file" + strconv.Itoa(i/26) + ".go")
	}
	return Repo{Root: "/r", Tree: index.NewTree(paths), Now: func() time.Time { return time.Unix(1e9, 0) }}
}

// TestLastMessage: a turn's end has the words of what the agent said last.
func TestLastMessage(t *testing.T) {
	for _, agent := range []string{"claude", "codex"} {
		call, err := Decode(agent, nil, marshal(t, map[string]any{"hook_event_name": "Stop", "session_id": "s1", "cwd": "/orchard",
			"last_assistant_message": "Shall I mend parsePrice?"}), orchard())
		fault.Check(t, err)
		fault.Same(t, agent, call.Events[0].Body, event.Body(event.Stop{Terms: index.Terms("mend parsePrice", 8),
			Idents: []string{"parseprice"}}))
	}
	for text, brief := range map[string]bool{"do it": true, "1": true, "yes, commit it now": false, strings.Repeat("界", 40): false} {
		call := decode(t, "UserPromptSubmit", map[string]any{"prompt": text}, orchard())
		if got := call.Events[0].Body.(event.Prompt).Brief; got != brief {
			t.Errorf("%q is brief: %v", text, got)
		}
	}
}
