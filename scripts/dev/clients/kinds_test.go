//go:build unix

package clients

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/hooks"
)

// TestClientClaude drives the real Claude Code: each kind of hint reaches the model's next request,
// and none before. Nothing is held out; what else decides (thresholds, kinds that would speak
// first) is set by the scenario.
func TestClientClaude(t *testing.T) {
	program := realClient(t, "claude")
	for _, name := range slices.Sorted(maps.Keys(claudeScenarios)) {
		t.Run(name, func(t *testing.T) { claudeScenarios[name](t, program) })
	}
}

var claudeScenarios = map[string]func(*testing.T, string){
	"rescue of a Read": func(t *testing.T, program string) {
		c := newClaude(t, program)
		m, _ := c.ask(firstSession, "look around", uses(c.read("documentation/README.md")))
		m.reached(t, hintOf(hooks.HintRescue, "README.md"), 1)
	},
	"rescue of an Edit": func(t *testing.T, program string) { // carried by PostToolBatch alone
		c := newClaude(t, program)
		m, _ := c.ask(firstSession, "look around", uses(c.edit("documentation/guide.md", "a", "b")))
		m.reached(t, hintOf(hooks.HintRescue, "docs/guide.md"), 1)
	},
	"rescue of a command": func(t *testing.T, program string) {
		c := newClaude(t, program)
		m, _ := c.ask(firstSession, "look around", uses(bash("cat documentation/guide.md")))
		m.reached(t, hintOf(hooks.HintRescue, "docs/guide.md"), 1)
	},
	"partner": func(t *testing.T, program string) {
		c := newClaude(t, program, "threshold=0.4")
		m, _ := c.ask(firstSession, "rename it", uses(c.read("server/wire.go")),
			uses(c.edit("server/wire.go", "protocol", "protocol protocol")), uses(bash("git status --short")))
		m.reached(t, hintOf(hooks.HintPartner, "docs/protocol.md"), 3)
	},
	"partner of a batch": func(t *testing.T, program string) { // an edit and a look at it, made together
		c := newClaude(t, program, "threshold=0.4")
		m, _ := c.ask(firstSession, "rename it", uses(c.read("server/wire.go")),
			uses(c.edit("server/wire.go", "protocol", "protocol protocol"), bash("git diff --stat")))
		m.reached(t, hintOf(hooks.HintPartner, "docs/protocol.md"), 2)
	},
	"prompt": func(t *testing.T, program string) {
		c := newClaude(t, program, "kinds=partner,rescue,prompt,stale", "threshold=0.4")
		c.earlier("sched/plan.go", "sched/queue.go")
		m, _ := c.ask(secondSession, "tune the queue of the scheduler")
		head, _, _ := strings.Cut(hintOf(hooks.HintPrompt, "sched/plan.go"), "\n")
		m.reached(t, head+"\nsched/", 0) // one of the two, or both
	},
	"stale": func(t *testing.T, program string) {
		c := newClaude(t, program)
		change := func() { c.change("docs/guide.md") }
		m, _ := c.ask(firstSession, "look around", uses(c.read("docs/guide.md")),
			turn{before: change, calls: []toolUse{bash("true")}})
		m.reached(t, hintOf(hooks.HintStale, "docs/guide.md"), 2)
	},
	"working set": func(t *testing.T, program string) {
		c := newClaude(t, program)
		set := "edited sched/plan.go" // in the words of the work before
		m, _ := c.ask(firstSession, "rename it", uses(c.read("sched/plan.go"), c.read("docs/guide.md")),
			uses(c.edit("sched/plan.go", "plan", "plans")))
		m.reached(t, set, -1)
		m, _ = c.ask(secondSession, "go on")
		m.reached(t, set, 0)
		m, _ = c.resume(firstSession, "go on")
		m.reached(t, set, -1) // the conversation has it
	},
	"working set after compaction": func(t *testing.T, program string) {
		c := newClaude(t, program)
		full := uses(c.edit("sched/plan.go", "plan", "plans"))
		full.tokens = 990_000 // the client compacts before it goes on: that is the third request
		summary := turn{text: "<summary>It was renamed.</summary>"}
		m, _ := c.ask(firstSession, "rename it", uses(c.read("sched/plan.go")), full, summary, uses(bash("true")))
		m.reached(t, "Changed and not committed: sched/plan.go:1.", 3)
	},
}

// change is what another person does to a file, a while after it was read.
func (w *clientSandbox) change(file string) {
	w.t.Helper()
	if err := os.WriteFile(w.path(file), []byte("of another mind\n"), 0o644); err != nil {
		w.t.Error(err)
	}
	later := time.Now().Add(5 * time.Second)
	if err := os.Chtimes(w.path(file), later, later); err != nil {
		w.t.Error(err)
	}
}
