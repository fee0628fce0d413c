//go:build unix

package clients

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// more are further clients. Cursor is not among them: its agent is not on npm, and its models
// answer at its maker's alone. Its payloads are tested in package hooks, as documented.
var more = []moreClient{
	{
		name: "qwen", dialect: completions,
		ask: func(w *clientSandbox, program, url, prompt string) outcome {
			return w.run([]string{"OPENAI_API_KEY=dummy", "OPENAI_BASE_URL=" + url + "/v1", "OPENAI_MODEL=scripted",
				"QWEN_TELEMETRY_ENABLED=false"}, program, "--auth-type", "openai", "--approval-mode", "yolo", "-p", prompt)
		},
		read: func(file string) toolUse { return toolUse{"read_file", object{"file_path": file}} },
		edit: func(file, from, to string) toolUse {
			return toolUse{"edit", object{"file_path": file, "old_string": from, "new_string": to}}
		},
		shell: func(command string) toolUse {
			return toolUse{"run_shell_command", object{"command": command, "is_background": false}}
		},
		reach: reach{command: 1, read: 2, partner: 5, set: 0},
	},
	{
		name: "gemini", dialect: generation,
		ask: func(w *clientSandbox, program, url, prompt string) outcome {
			settings := filepath.Join(w.home, ".gemini", "settings.json") // else the base URL would mean another way to sign in
			w.write(settings, encoded(object{"security": object{"auth": object{"selectedType": "gemini-api-key"}}}))
			return w.run([]string{"GEMINI_API_KEY=dummy", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_TELEMETRY_ENABLED=false",
				"GEMINI_CLI_TRUST_WORKSPACE=true"}, program, "--model", "gemini-2.5-pro", "--approval-mode", "yolo", "-p", prompt)
		},
		read: func(file string) toolUse { return toolUse{"read_file", object{"file_path": file}} },
		edit: func(file, from, to string) toolUse {
			return toolUse{"replace", object{"file_path": file, "old_string": from, "new_string": to,
				"instruction": "rename it"}}
		},
		shell: func(command string) toolUse { return toolUse{"run_shell_command", object{"command": command}} },
		// AfterTool fires for a tool that failed, but its text is dropped: it waits for the next
		// one
		reach: reach{command: 1, read: 3, partner: 5, set: 0},
	},
	{
		name: "opencode", dialect: completions,
		ask: func(w *clientSandbox, program, url, prompt string) outcome {
			config := object{"provider": object{"scripted": object{"npm": "@ai-sdk/openai-compatible", "name": "scripted",
				"options": object{"baseURL": url + "/v1", "apiKey": "dummy"},
				"models": object{"scripted": object{"name": "scripted", "tool_call": true,
					"limit": object{"context": 200000, "output": 8000}}}}}, "model": "scripted/scripted",
				"autoupdate": false, "share": "disabled"}
			file := filepath.Join(w.home, "opencode.json")
			w.write(file, encoded(config))
			// it wants a package for plugins, and waits long if it cannot be had
			w.write(filepath.Join(w.home, ".npmrc"), "fetch-retries=0\n")
			return w.run([]string{"OPENCODE_CONFIG=" + file, "OPENCODE_DISABLE_AUTOUPDATE=1",
				"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
				"OPENCODE_DISABLE_DEFAULT_PLUGINS=1"}, program, "run", prompt)
		},
		read: func(file string) toolUse { return toolUse{"read", object{"filePath": file}} },
		edit: func(file, from, to string) toolUse {
			return toolUse{"edit", object{"filePath": file, "oldString": from, "newString": to}}
		},
		shell: func(command string) toolUse {
			return toolUse{"bash", object{"command": command, "description": "look"}}
		},
		// Its plugins are not notified of a tool that failed, and have no say at a session's start:
		// that text comes with the first call.
		reach: reach{command: 1, read: -1, partner: 5, set: 1},
	},
	{
		name: "copilot", dialect: completions,
		ask: func(w *clientSandbox, program, url, prompt string) outcome {
			return w.run([]string{"COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_PROVIDER_API_KEY=dummy",
				"COPILOT_MODEL=scripted", "COPILOT_OFFLINE=true",
				"COPILOT_AUTO_UPDATE=false"}, program, "--allow-all-tools", "--silent", "-p", prompt)
		},
		read: func(file string) toolUse { return toolUse{"view", object{"path": file}} },
		edit: func(file, from, to string) toolUse {
			return toolUse{"edit", object{"path": file, "old_str": from, "new_str": to}}
		},
		shell: func(command string) toolUse {
			return toolUse{"bash", object{"command": command, "description": "look"}}
		},
		reach:   reach{command: 1, read: 3, partner: 5, set: 0}, // a failure has no channel: its text waits for the next call
		install: []string{"--user"},                             // a project's hooks are not run before its folder is trusted
	},
}

// reach is the request of the model, from 0, that each text arrives in; -1: none. The script calls
// a command and a read that fail, a read, an edit, a look at the change and a command. The working
// set is that of a second session with one call.
type reach struct{ command, read, partner, set int }

type moreClient struct {
	name    string
	dialect dialect
	ask     func(w *clientSandbox, program, url, prompt string) outcome
	read    func(file string) toolUse
	edit    func(file, from, to string) toolUse
	shell   func(command string) toolUse
	reach   reach
	install []string // the scope of our hooks; none: this worktree
}

// TestClientMore drives the further clients: a rescue, a partner and a working set reach each
// model, and a broken aOa is not noticed.
func TestClientMore(t *testing.T) {
	for _, c := range more {
		t.Run(c.name, func(t *testing.T) {
			program := realClient(t, c.name)
			w := newClientSandbox(t, protocolHistory())
			w.learn(nil, "threshold=0.4")
			w.must(append([]string{"aoa", "hooks", "install", c.name}, c.install...)...)
			begin := func(turns ...turn) (*model, outcome) {
				m := startModel(t, c.dialect, turns)
				o := c.ask(w, program, m.url, "rename it")
				if strings.TrimSpace(o.out) != "done" || hookFailed.MatchString(o.err) {
					t.Errorf("stdout %q, only the model's \"done\" was due; stderr:\n%s", o.out, o.err)
				}
				return m, o
			}
			set := "Changed and not committed: server/wire.go" // of the session before, ended or not
			m, o := begin(uses(c.shell("cat documentation/guide.md")), uses(c.read(w.path("documentation/README.md"))),
				uses(c.read(w.path("server/wire.go"))), uses(c.edit(w.path("server/wire.go"), "protocol", "protocol protocol")),
				uses(c.shell("git status --short")), uses(c.shell("true")))
			t.Logf("%v for %d requests", o.took, len(m.requests()))
			m.reached(t, hintOf(prefetch.Rescue, "docs/guide.md"), c.reach.command)
			m.reached(t, hintOf(prefetch.Rescue, "README.md"), c.reach.read)
			m.reached(t, hintOf(prefetch.Partner, "docs/protocol.md"), c.reach.partner)
			m.reached(t, set, -1)
			m, _ = begin(uses(c.shell("true")))
			m.reached(t, set, c.reach.set)
			unharmed(t, w, []string{"hung", "binary removed"}, 2, o.took, func() (*model, outcome) {
				return begin(uses(c.shell("cat documentation/guide.md")))
			})
		})
	}
}

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
		m.reached(t, hintOf(prefetch.Rescue, "docs/guide.md"), 1)
		m.reached(t, hintOf(prefetch.Partner, "docs/protocol.md"), 4)
		m.reached(t, hintOf(prefetch.Stale, "sched/plan.go"), 6)
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
		m.reached(t, hintOf(prefetch.Rescue, "docs/guide.md"), 1)
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
		head, _, _ := strings.Cut(hintOf(prefetch.Prompt, "sched/plan.go"), "\n")
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
