package transcript

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/redact"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

const orchardRoot = "/home/dev/orchard"

// orchard is a repository of which only the names matter.
func orchard() hooks.Repo {
	return hooks.Repo{Root: orchardRoot, Now: func() time.Time { return time.Date(2026, 11, 20, 10, 0, 3, 0, time.UTC) },
		Tree: index.NewTree(eventtest.Paths([]string{"go.mod", "pick/picker.go", "store/basket.go", "web/server.go"}))}
}

func decode(t *testing.T, name string, fields map[string]any) hooks.Call {
	t.Helper()
	fields["hook_event_name"], fields["cwd"] = name, orchardRoot
	payload := fault.Must(json.Marshal(fields))
	call, err := hooks.Decode("claude", nil, payload, orchard())
	fault.Check(t, err)
	return call
}

// sketch writes events in one line.
func sketch(events []event.Event) string {
	var out []string
	for _, e := range events {
		s := string(e.Kind())
		if e.Kind() == event.KindSearch {
			s += " /" + e.Text() + "/"
		}
		for _, p := range e.Paths() {
			s += " " + string(p)
		}
		for _, p := range e.Named() {
			s += " @" + string(p)
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

// tape writes lines of a transcript as Claude Code does.
type tape struct {
	t     testing.TB
	lines []string
	at    time.Time
	base  map[string]any
}

func newTape(t testing.TB, session string) *tape {
	return &tape{t: t, at: time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC),
		base: map[string]any{"sessionId": session, "cwd": orchardRoot, "version": "2.1.329", "isSidechain": false}}
}

func (p *tape) add(kind string, fields map[string]any) {
	p.t.Helper()
	p.at = p.at.Add(time.Second)
	line := map[string]any{"type": kind, "uuid": "u" + strconv.Itoa(len(p.lines)) + p.base["sessionId"].(string),
		"timestamp": p.at.Format(time.RFC3339Nano)}
	for _, m := range []map[string]any{p.base, fields} {
		for k, v := range m {
			line[k] = v
		}
	}
	b := fault.Must(json.Marshal(line))
	p.lines = append(p.lines, string(b))
}

func (p *tape) prompt(text string) {
	p.add("user", map[string]any{"promptId": "p" + strconv.Itoa(len(p.lines)),
		"message": map[string]any{"role": "user", "content": text}})
}

func (p *tape) use(message, id, tool string, input map[string]any) {
	p.add("assistant", map[string]any{"message": map[string]any{"id": message, "role": "assistant",
		"content": []any{map[string]any{"type": "text", "text": "so"},
			map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}}}})
}

func (p *tape) result(id, content string, structured any, failed bool) {
	p.add("user", map[string]any{"toolUseResult": structured, "message": map[string]any{"role": "user",
		"content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": content, "is_error": failed}}}})
}

func (p *tape) save(name string) {
	p.t.Helper()
	fault.Write(p.t, name, strings.Join(p.lines, "\n"))
	fault.Check(p.t, os.Chtimes(name, p.at, p.at))
}

func replay(t testing.TB, dir string) ([]event.Event, Report) {
	t.Helper()
	var all []event.Event
	report, err := Read(context.Background(), dir, orchard(), nil, func(batch []event.Event) error {
		if len(batch) == 0 || len(batch) > maxYield {
			t.Errorf("a batch of %d", len(batch))
		}
		all = append(all, batch...)
		return nil
	})
	fault.Check(t, err)
	return all, report
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	p := newTape(t, "s1")
	p.add("file-history-snapshot", nil)
	p.prompt("mend the basket in store/basket.go")
	p.use("m1", "toolu_1", "Read", map[string]any{"file_path": orchardRoot + "/store/basket.go"})
	p.use("m1", "toolu_2", "Bash", map[string]any{"command": "grep -rn Basket ."})
	p.result("toolu_1", "1\tpackage store", map[string]any{"type": "text"}, false)
	p.result("toolu_2", "", map[string]any{"stdout": "pick/picker.go:3:x", "stderr": ""}, false)
	p.use("m2", "toolu_3", "Edit", map[string]any{"file_path": orchardRoot + "/store/basket.go"})
	p.result("toolu_3", "<tool_use_error>String to replace not found in file.</tool_use_error>",
		"Error: String to replace not found", true)
	p.use("m3", "toolu_4", "Write", map[string]any{"file_path": "/elsewhere/x.go"})
	p.use("m3", "toolu_5", "Read", map[string]any{"file_path": orchardRoot + "/go.mod"})
	p.add("user", map[string]any{"isMeta": true, "message": map[string]any{"content": "Caveat: web/server.go"}})
	p.add("system", map[string]any{"subtype": "compact_boundary"})
	p.lines = append(p.lines, "{broken", "", `{"type":"user","pad":"`+strings.Repeat("x", maxLine)+`"}`, `["odd"]`)
	p.result("toolu_unheard", "x", nil, false)
	p.add("user", map[string]any{"cwd": "/home/dev/orchard-plum", "message": map[string]any{"content": "not ours"}})
	p.add("user", map[string]any{"isSidechain": true, "message": map[string]any{"content": "not of a person"}})
	p.save(filepath.Join(dir, "s1.jsonl"))

	sub := newTape(t, "s1")
	sub.add("user", map[string]any{"message": map[string]any{"content": "you are a helper"}})
	sub.base["isSidechain"], sub.base["agentId"] = true, "a77"
	sub.use("m9", "toolu_9", "Read", map[string]any{"file_path": orchardRoot + "/web/server.go"})
	sub.result("toolu_9", "1\tx", nil, false)
	sub.at = p.at.Add(time.Hour)
	sub.save(filepath.Join(dir, "s1", "subagents", "agent-a77.jsonl"))

	resumed := newTape(t, "s2")
	resumed.lines = append(resumed.lines, p.lines[1:5]...)
	resumed.at = p.at.Add(2 * time.Hour)
	resumed.add("user", map[string]any{"message": map[string]any{
		"content": []any{map[string]any{"type": "text", "text": "and now the tests"}}}})
	resumed.save(filepath.Join(dir, "s2.jsonl"))

	events, report := replay(t, dir)
	if got, want := sketch(events),
		"prompt @store/basket.go; read store/basket.go; search /Basket/; failed store/basket.go; start; read "+
			"web/server.go; prompt"; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	want := Report{Files: 3, Sessions: 2, Events: 7, Prompts: 2,
		Skipped: map[string]int{"type": 1, "broken": 2, "long": 1, "elsewhere": 1, "unpaired": 4, "double": 2}}
	fault.Same(t, "report", report, want)
	if e := events[1]; e.ID != "toolu_1:post:" || e.Call().Batch != "m1" || e.Session != "s1" ||
		!e.Time.Equal(time.Date(2026, 11, 1, 9, 0, 5, 0, time.UTC)) || !e.Call().OK() {
		t.Errorf("%+v", e)
	}
	if events[2].Call().Batch != "m1" || events[2].Seen()[0] != "pick/picker.go" || events[3].Call().Failure != event.FailNoMatch ||
		events[4].Body != event.Body(event.Start{Source: "compact"}) {
		t.Errorf("%+v", events[2:5])
	}
	if events[5].Subagent != "a77" || events[5].ID != "toolu_9:post:a77" {
		t.Errorf("%+v", events[5])
	}
}

// The hook delivers a call first; the transcript has the same call under the same ids.
func TestTranscriptAgreesWithHook(t *testing.T) {
	command := map[string]any{"command": "cat go.mod && rg Basket"}
	live := decode(t, "PostToolUse", map[string]any{"session_id": "s1", "prompt_id": "p0", "tool_name": "Bash",
		"tool_use_id": "toolu_1", "tool_input": command, "tool_response": map[string]any{"stdout": "go.mod:1:x"}})
	prompt := decode(t, "UserPromptSubmit", map[string]any{"session_id": "s1", "prompt_id": "p0", "prompt": "hello there"})
	p := newTape(t, "s1")
	p.prompt("hello there")
	p.use("m", "toolu_1", "Bash", command)
	p.result("toolu_1", "go.mod:1:x", map[string]any{"stdout": "go.mod:1:x"}, false)
	dir := t.TempDir()
	p.save(filepath.Join(dir, "s1.jsonl"))
	past, _ := replay(t, dir)
	delivered := append(prompt.Events, live.Events...)
	if len(delivered) != 3 || len(past) != len(delivered) {
		t.Fatalf("%d delivered, %d in the transcript", len(delivered), len(past))
	}
	for i := range delivered {
		if delivered[i].ID != past[i].ID || delivered[i].Kind() != past[i].Kind() {
			t.Errorf("delivered %s %s, past %s %s", delivered[i].Kind(), delivered[i].ID, past[i].Kind(), past[i].ID)
		}
	}
}

func TestTranscriptsStop(t *testing.T) {
	dir := t.TempDir()
	p := newTape(t, "s")
	p.prompt("one thing")
	p.save(filepath.Join(dir, "s.jsonl"))
	full := errors.New("full")
	if _, err := Read(context.Background(), dir, orchard(), nil,
		func([]event.Event) error { return full }); !errors.Is(err, full) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, dir, orchard(), nil, func([]event.Event) error { return nil }); !errors.Is(err,
		context.Canceled) {
		t.Error(err)
	}
	if report, err := Read(context.Background(), filepath.Join(dir, "none"), orchard(), nil, nil); err != nil ||
		report.Files != 0 {
		t.Error(report, err)
	}
}

func TestDir(t *testing.T) {
	home := t.TempDir()
	if got, want := Dir(filepath.Join(home, ".claude"), "/home/dev/my.repo_x"),
		filepath.Join(home, ".claude", "projects", "-home-dev-my-repo-x"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	config := filepath.Join(home, "elsewhere")
	if got, want := Dir(config, orchardRoot), filepath.Join(config, "projects", "-home-dev-orchard"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := Dir(config, event.Root("/home/"+strings.Repeat("long/", 60)+"repo")); got != "" {
		t.Errorf("the folder of a name that is cut is %s", got)
	}
}

func FuzzTranscript(f *testing.F) {
	p := newTape(f, "s")
	p.prompt("x web/server.go")
	p.use("m", "t", "Bash", map[string]any{"command": "cat go.mod"})
	p.result("t", "x", nil, true)
	f.Add(strings.Join(p.lines, "\n"))
	f.Add("{\n[]\n\n{\"type\":\"user\"}\n\xff")
	f.Fuzz(func(t *testing.T, text string) {
		name := filepath.Join(t.TempDir(), "s.jsonl")
		fault.Check(t, os.WriteFile(name, []byte(text), 0o644))
		r := orchard()
		report, err := Read(context.Background(), filepath.Dir(name), r, nil, func(batch []event.Event) error {
			for _, e := range batch {
				if e.ID == "" || e.Kind() == "" || len(e.Text()) > event.MaxText || redact.Text(e.Text()) != e.Text() {
					t.Errorf("%+v", e)
				}
			}
			return nil
		})
		if err != nil || report.Files != 1 {
			t.Errorf("%v %+v", err, report)
		}
	})
}
