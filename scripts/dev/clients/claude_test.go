//go:build unix

package clients

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/event"
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
		"DISABLE_AUTOUPDATER=1",
		"DISABLE_ERROR_REPORTING=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
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
func hintOf(kind string, file event.Path) string {
	text, _ := hooks.Text(kind, []event.Suggestion{{File: file}}, hooks.MaxHint)
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
