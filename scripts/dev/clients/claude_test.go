//go:build unix

package clients

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hint"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// claude is the real Claude Code in a sandbox.
type claude struct {
	*clientSandbox
	program string
}

// newClaude makes a sandbox with our hooks, entered as a user enters them. Settings are key=value.
func newClaude(t *testing.T, program string, settings ...string) claude {
	t.Helper()
	c := claude{newClientSandbox(t, protocolHistory()), program}
	c.learn([]string{"--hooks", "claude"}, settings...)
	return c
}

// protocolHistory is one in which docs/protocol.md changes with server/wire.go in three of four
// commits, and store/table_test.go with store/table.go in all.
func protocolHistory() (out []commit) {
	out = append(out, commit{"begin", []string{"README.md", "docs/guide.md", "sched/plan.go", "sched/queue.go",
		"other/one.go"}})
	for i := range 48 {
		switch {
		case i%8 == 4:
			out = append(out, commit{"wire alone", []string{"server/wire.go", "other/one.go"}})
		case i%2 == 0:
			out = append(out, commit{"change the protocol", []string{"server/wire.go", "docs/protocol.md"}})
		default:
			out = append(out, commit{"wider tables", []string{"store/table.go", "store/table_test.go"}})
		}
	}
	return out
}

// Sessions, as Claude Code wants them.
const (
	firstSession  = "00000000-0000-4000-8000-000000000001"
	secondSession = "00000000-0000-4000-8000-000000000002"
)

// ask gives it a prompt in a new session and a model with a script.
func (c claude) ask(session, prompt string, turns ...turn) (*model, outcome) {
	c.t.Helper()
	return c.start([]string{"-p", prompt, "--session-id", session}, turns)
}

// resume gives it a prompt in a session that was left.
func (c claude) resume(session, prompt string, turns ...turn) (*model, outcome) {
	c.t.Helper()
	return c.start([]string{"-p", prompt, "--resume", session}, turns)
}

func (c claude) start(args []string, turns []turn) (*model, outcome) {
	c.t.Helper()
	m := startModel(c.t, messages, turns)
	env := []string{"ANTHROPIC_BASE_URL=" + m.url, "ANTHROPIC_API_KEY=dummy", "DISABLE_TELEMETRY=1",
		"DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
	o := c.run(env, append([]string{c.program, "--allowedTools", "Read,Edit,Write,Bash"}, args...)...)
	c.unharmed(o)
	return m, o
}

// unharmed checks that the client noticed nothing: its output is the model's, its transcripts hold
// no error of a hook.
func (c claude) unharmed(o outcome) {
	c.t.Helper()
	if o.out != "done\n" || o.err != "" {
		c.t.Errorf("the client printed %q and on stderr %q, only the model's \"done\" was due", o.out, o.err)
	}
	transcripts := 0
	err := filepath.WalkDir(filepath.Join(c.home, ".claude", "projects"),
		func(file string, e fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(file) != ".jsonl" {
				return err
			}
			transcripts++
			b, err := os.ReadFile(file)
			for line := range strings.Lines(string(b)) {
				if strings.Contains(line, "hook_non_blocking_error") || strings.Contains(line, "hook_error") ||
					strings.Contains(line, "hook_cancelled") {
					c.t.Errorf("an error of a hook in %s: %s", filepath.Base(file), line)
				}
			}
			return err
		})
	if err != nil || transcripts == 0 {
		c.t.Errorf("no transcript was looked at: %v", err)
	}
}

// Calls of Claude Code's tools.
func (c claude) read(file string) toolUse { return toolUse{"Read", object{"file_path": c.path(file)}} }

func (c claude) edit(file, from, to string) toolUse {
	return toolUse{"Edit", object{"file_path": c.path(file), "old_string": from, "new_string": to}}
}

func bash(command string) toolUse {
	return toolUse{"Bash", object{"command": command, "description": "look"}}
}

func uses(calls ...toolUse) turn { return turn{calls: calls} }

// hintOf is how a hint of a kind begins when it names a file first.
func hintOf(kind prefetch.HintKind, file event.Path) string {
	text, _ := hint.Text(kind, []event.Suggestion{{File: file}}, 1200)
	return text
}

// reached checks that a text is in that request of the model, the first one being 0, and in none
// before.
func (m *model) reached(t *testing.T, text string, request int) {
	t.Helper()
	if got := m.first(text); got != request {
		t.Errorf("of %d requests the first that holds this is %d, not %d (-1: none):\n%s", len(m.requests()), got, request,
			text)
	}
}

// earlier is work before: sessions in which such prompts led to the same two files, without a word
// of aOa's.
func (c claude) earlier(first, second string) {
	c.t.Helper()
	const silent = "partner,rescue,start,stale" // with reload, an offer would stand in place of the list
	c.must("aoa", "config", "kinds", silent)
	defer c.must("aoa", "config", "kinds", silent+",prompt,next")
	for i := range 7 {
		session := strings.Replace(firstSession, "8000", fmt.Sprint(9000+i), 1)
		c.ask(session, "tune the queue of the scheduler", uses(c.read(first)), uses(c.read(second)), uses(bash("true")))
	}
}

// harms are what can happen to aOa while its hooks stay in the client's settings.
var harms = map[string]func(*clientSandbox){
	"stopped":        func(w *clientSandbox) { w.must("aoa", "daemon", "stop") },
	"killed":         func(w *clientSandbox) { w.end(w.pid()) },
	"hung":           func(w *clientSandbox) { w.signal(syscall.SIGSTOP) },
	"store removed":  func(w *clientSandbox) { w.removeAll(filepath.Join(w.repo, ".git", "aoa")) },
	"binary removed": func(w *clientSandbox) { w.removeAll(filepath.Join(w.bin, "aoa")) },
}

// TestClientClaudeUnharmed breaks aOa before and in the middle of a session. The client must not
// show it: no error (see unharmed), all turns of the script done, and not much slower than without
// hooks.
func TestClientClaudeUnharmed(t *testing.T) {
	program := realClient(t, "claude")
	plain := claude{newClientSandbox(t, protocolHistory()), program}
	_, without := plain.work(func() {})
	t.Logf("without aoa %v", without.took)
	for _, name := range slices.Sorted(maps.Keys(harms)) {
		for _, when := range []string{"before", "amid"} {
			t.Run(name+" "+when, func(t *testing.T) {
				c := newClaude(t, program)
				pid := c.pid()
				c.impatient()
				t.Cleanup(func() { c.end(pid) }) // a hung one, or one without a store
				amid := func() { harms[name](c.clientSandbox) }
				if when == "before" {
					amid()
					amid = func() {}
				}
				m, o := c.work(amid)
				fault.Same(t, "the client asked", len(m.requests()), 5)
				if o.took > 3*without.took+busy {
					t.Errorf("it took %v, without aoa %v", o.took, without.took)
				}
				t.Logf("%v", o.took)
			})
		}
	}
}

// unharmed breaks aOa under another client, one harm after the other at one place. work lets the
// client ask its model that often; without says how long such work takes.
func unharmed(t *testing.T, w *clientSandbox, names []string, often int, without time.Duration,
	work func() (*model, outcome)) {
	t.Helper()
	w.impatient()
	for _, name := range names {
		pid := w.pid()
		t.Cleanup(func() { w.end(pid) })
		harms[name](w)
		m, o := work()
		if asked := len(m.requests()); asked != often || o.took > 3*without+busy {
			t.Errorf("%s: asked %d times in %v, not %d times in %v", name, asked, o.took, often, without)
		}
		t.Logf("%s: %v, else %v", name, o.took, without)
		switch name {
		case "hung":
			w.end(pid)
		case "store removed":
			w.must("aoa", "init")
		}
	}
}

// impatient lets hooks wait as long as they do for users, and no longer.
func (w *clientSandbox) impatient() { w.env = append(w.env, "AOA_PATIENCE=1") }

// work is a session with an access that fails, reads, an edit and a command; something happens in
// its middle.
func (c claude) work(amid func()) (*model, outcome) {
	c.t.Helper()
	return c.ask(firstSession, "rename it", uses(c.read("documentation/README.md")),
		turn{before: amid, calls: []toolUse{c.read("server/wire.go"), c.read("docs/guide.md")}},
		uses(c.edit("server/wire.go", "protocol", "protocol protocol")), uses(bash("cat README.md && ls")))
}

// end kills a process and waits until it is gone.
func (w *clientSandbox) end(pid int) {
	w.t.Helper()
	fault.Until(w.t, longest, fmt.Sprintf("process %d ends", pid),
		func() bool { return syscall.Kill(pid, syscall.SIGKILL) != nil })
}

// pid is that of the daemon, which is started if none exists.
func (w *clientSandbox) pid() int {
	w.t.Helper()
	w.must("aoa", "daemon", "start")
	var st api.StatusAnswer
	if err := json.Unmarshal([]byte(w.must("aoa", "status", "--json")), &st); err != nil || st.Pid <= 0 {
		w.t.Fatalf("no daemon: %v", err)
	}
	return st.Pid
}

func (w *clientSandbox) signal(s syscall.Signal) {
	w.t.Helper()
	if err := syscall.Kill(w.pid(), s); err != nil {
		w.t.Error(err)
	}
}

func (w *clientSandbox) removeAll(dir string) {
	w.t.Helper()
	if _, err := os.Lstat(dir); err != nil {
		w.t.Error(err)
	}
	err := os.RemoveAll(dir)
	for range 100 { // a daemon that has not noticed yet may write into it meanwhile
		if err == nil {
			return
		}
		err = os.RemoveAll(dir)
	}
	w.t.Error(err)
}

// TestClientClaudeLearns looks at the log after a session of the real client: each access once,
// although several hooks tell of it.
func TestClientClaudeLearns(t *testing.T) {
	c := newClaude(t, realClient(t, "claude"))
	write := toolUse{"Write", object{"file_path": c.path("sched/new.go"), "content": "package sched\n"}}
	c.ask(firstSession, "rename it", uses(c.read("server/wire.go"), c.read("docs/guide.md"),
		c.read("documentation/lost.md")), uses(c.edit("server/wire.go", "protocol", "protocol protocol"), write),
		uses(bash("cat README.md && grep -rn queue sched")), uses(bash("cat nowhere/else.go")))
	want := map[string]int{"prompt": 1, "start": 1, "stop": 1, "end": 1, "read server/wire.go": 1, "read docs/guide.md": 1,
		"failed documentation/lost.md": 1,
		"edit server/wire.go":          1, "write sched/new.go": 1, "read README.md": 1, "search": 1, "failed nowhere/else.go": 1, "run": 1}
	got := map[string]int{}
	for _, e := range c.log("--session", firstSession) {
		if e.Kind() == event.KindHint {
			continue
		}
		got[strings.TrimSpace(string(e.Kind())+" "+strings.Join(event.Strings(e.Paths()), " "))]++
		if e.Agent != "claude" || !e.Call().OK() && e.Kind() != event.KindFailed && e.Kind() != event.KindRun {
			t.Errorf("event %s", encoded(e))
		}
		if e.Kind() == event.KindSearch && !slices.Contains(e.Seen(), "sched/queue.go") {
			t.Errorf("the search did not see sched/queue.go: %s", encoded(e))
		}
	}
	fault.Same(t, "learned", got, want)
}
