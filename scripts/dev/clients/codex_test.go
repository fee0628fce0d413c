//go:build unix

package clients

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// codex is the real Codex CLI in a sandbox.
type codex struct {
	*clientSandbox
	program string
	config  string // settings that it has written itself
}

// newCodex enters our hooks for the user, as the one who trusts them: a project's are not run
// before it is trusted.
func newCodex(t *testing.T, program string, settings ...string) codex {
	t.Helper()
	c := codex{newClientSandbox(t, protocolHistory()), program, ""}
	c.learn(nil, settings...)
	c.must("aoa", "hooks", "install", "codex", "--user")
	return c
}

// hookFailed is how clients show a hook's error, among much else that they print.
var hookFailed = regexp.MustCompile(`aoa: |(?i:hooks?\b.*(failed|blocked|stopped|error))`)

func (c codex) ask(prompt string, turns ...turn) (*model, outcome) {
	c.t.Helper()
	m := startModel(c.t, responses, turns)
	config := `model = "gpt-5.5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "` + m.url + `/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[analytics]
enabled = false
` + c.config
	c.write(filepath.Join(c.home, ".codex", "config.toml"), config)
	o := c.run([]string{"SCRIPTED_KEY=dummy"}, c.program, "exec", "--dangerously-bypass-approvals-and-sandbox",
		"--dangerously-bypass-hook-trust", prompt)
	if o.out != "done\n" || hookFailed.MatchString(o.err) {
		c.t.Errorf("stdout %q, only the model's \"done\" was due; stderr:\n%s", o.out, o.err)
	}
	return m, o
}

func shell(command string) toolUse { return toolUse{"exec_command", object{"cmd": command}} }

func patch(text string) toolUse {
	return toolUse{"apply_patch", object{"patch": "*** Begin Patch\n" + text + "*** End Patch\n"}}
}

// TestClientCodex drives the real Codex, which gives the text of PostToolUse to the model with the
// next request.
func TestClientCodex(t *testing.T) {
	program := realClient(t, "codex")
	t.Run("after a tool", func(t *testing.T) {
		c := newCodex(t, program, "threshold=0.4")
		m, _ := c.ask("look around", uses(shell("cat documentation/guide.md")), uses(shell("true")),
			uses(patch("*** Update File: server/wire.go\n@@\n-change the protocol 47\n+change the protocol protocol 47\n")), uses(shell("git status --short")),
			uses(shell("cat sched/plan.go")), turn{before: func() { c.change("sched/plan.go") },
				calls: []toolUse{shell("true")}})
		m.reached(t, hintOf(hooks.HintRescue, "docs/guide.md"), 1)
		m.reached(t, hintOf(hooks.HintPartner, "docs/protocol.md"), 4)
		m.reached(t, hintOf(hooks.HintStale, "sched/plan.go"), 6)
	})
	t.Run("plugin", func(t *testing.T) {
		c := newCodex(t, program)
		c.must("aoa", "hooks", "remove", "codex", "--user")
		root := fault.Must(filepath.Abs("../../.."))
		c.must(program, "plugin", "marketplace", "add", root)
		c.must(program, "plugin", "add", "aoa@aoa")
		config := fault.Must(os.ReadFile(filepath.Join(c.home, ".codex", "config.toml")))
		c.config = string(config)
		m, _ := c.ask("look around", uses(shell("cat documentation/guide.md")), uses(shell("true")))
		m.reached(t, hintOf(hooks.HintRescue, "docs/guide.md"), 1)
	})
	t.Run("working set", func(t *testing.T) {
		c := newCodex(t, program, "kinds=rescue,start,prompt,stale,reload")
		m, _ := c.ask("rename it", uses(patch("*** Update File: store/table.go\n@@\n-store/table.go\n+store/tables.go\n")),
			uses(shell("true")))
		set := "edited store/table.go" // in the words of the work before
		m.reached(t, set, -1)
		m, _ = c.ask("go on")
		m.reached(t, set, 0)
	})
	t.Run("of earlier work", func(t *testing.T) {
		c := newCodex(t, program, "kinds=partner,rescue,start,stale", "threshold=0.4")
		for range 7 {
			c.ask("tune the queue of the scheduler", uses(shell("cat sched/plan.go")), uses(shell("cat sched/queue.go")),
				uses(shell("true")))
		}
		c.must("aoa", "config", "kinds", "partner,rescue,start,prompt,stale")
		m, _ := c.ask("tune the queue of the scheduler")
		head, _, _ := strings.Cut(hintOf(hooks.HintPrompt, "sched/plan.go"), "\n")
		m.reached(t, head+"\nsched/", 0) // one of the two, or both
	})
	t.Run("unharmed", func(t *testing.T) {
		c := newCodex(t, program)
		work := func() (*model, outcome) {
			return c.ask("look around", uses(shell("cat documentation/guide.md")), uses(shell("cat server/wire.go")))
		}
		_, o := work()
		unharmed(t, c.clientSandbox, []string{"stopped", "killed", "hung", "store removed", "binary removed"}, 3, o.took,
			work)
	})
}
