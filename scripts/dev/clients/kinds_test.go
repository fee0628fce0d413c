//go:build unix

package clients

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/prefetch"
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
		m.reached(t, hintOf(prefetch.Rescue, "README.md"), 1)
	},
	"rescue of an Edit": func(t *testing.T, program string) { // carried by PostToolBatch alone
		c := newClaude(t, program)
		m, _ := c.ask(firstSession, "look around", uses(c.edit("documentation/guide.md", "a", "b")))
		m.reached(t, hintOf(prefetch.Rescue, "docs/guide.md"), 1)
	},
	"rescue of a command": func(t *testing.T, program string) {
		c := newClaude(t, program)
		m, _ := c.ask(firstSession, "look around", uses(bash("cat documentation/guide.md")))
		m.reached(t, hintOf(prefetch.Rescue, "docs/guide.md"), 1)
	},
	"partner": func(t *testing.T, program string) {
		c := newClaude(t, program, "threshold=0.4")
		m, _ := c.ask(firstSession, "rename it", uses(c.read("server/wire.go")),
			uses(c.edit("server/wire.go", "protocol", "protocol protocol")), uses(bash("git status --short")))
		m.reached(t, hintOf(prefetch.Partner, "docs/protocol.md"), 3)
	},
	"partner of a batch": func(t *testing.T, program string) { // an edit and a look at it, made together
		c := newClaude(t, program, "threshold=0.4")
		m, _ := c.ask(firstSession, "rename it", uses(c.read("server/wire.go")),
			uses(c.edit("server/wire.go", "protocol", "protocol protocol"), bash("git diff --stat")))
		m.reached(t, hintOf(prefetch.Partner, "docs/protocol.md"), 2)
	},
	"prompt": func(t *testing.T, program string) {
		c := newClaude(t, program, "kinds=partner,rescue,prompt,stale", "threshold=0.4")
		c.earlier("sched/plan.go", "sched/queue.go")
		m, _ := c.ask(secondSession, "tune the queue of the scheduler")
		head, _, _ := strings.Cut(hintOf(prefetch.Prompt, "sched/plan.go"), "\n")
		m.reached(t, head+"\nsched/", 0) // one of the two, or both
	},
	"stale": func(t *testing.T, program string) {
		c := newClaude(t, program)
		change := func() { c.change("docs/guide.md") }
		m, _ := c.ask(firstSession, "look around", uses(c.read("docs/guide.md")),
			turn{before: change, calls: []toolUse{bash("true")}})
		m.reached(t, hintOf(prefetch.Stale, "docs/guide.md"), 2)
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

// TestClientClaudeCache: hints break no prompt cache. Each request of a session of two turns and a
// resume begins with all of the request before it, byte for byte, wherever it does without hooks.
func TestClientClaudeCache(t *testing.T) {
	program := realClient(t, "claude")
	session := func(c claude) *model {
		first, _ := c.ask(firstSession, "change the protocol of the wire", uses(c.read("documentation/README.md")),
			uses(c.read("server/wire.go"), c.read("docs/guide.md")), uses(c.edit("server/wire.go", "protocol", "protocol protocol")),
			uses(bash("git status --short")), uses(bash("true")))
		second, _ := c.resume(firstSession, "and its documentation", uses(c.read("documentation/guide.md")),
			uses(bash("true")))
		first.asked = append(first.requests(), second.requests()...)
		return first
	}
	with, without := session(newClaude(t, program, "threshold=0.4")), session(claude{newClientSandbox(t,
		protocolHistory()), program})
	list, _, _ := strings.Cut(hintOf(prefetch.Prompt, "x"), "\n")
	for _, hint := range []string{list, hintOf(prefetch.Rescue, "README.md"), hintOf(prefetch.Rescue, "docs/guide.md")} {
		if with.first(hint) < 0 {
			t.Errorf("never said, so nothing is compared:\n%s", hint)
		}
		if without.first(hint) >= 0 {
			t.Errorf("said without hooks:\n%s", hint)
		}
	}
	said, silent := with.requests(), without.requests()
	if len(said) != len(silent) || len(said) < 8 {
		t.Fatalf("%d requests with hooks, %d without", len(said), len(silent))
	}
	for i := range len(said) - 1 {
		kept, all := commonParts(said[i], said[i+1])
		keptSilent, allSilent := commonParts(silent[i], silent[i+1])
		t.Logf("request %d: %d of %d parts are in the next one, without hooks %d of %d", i, kept, all, keptSilent, allSilent)
		if keptSilent == allSilent && kept != all {
			t.Errorf("request %d: the next one begins with %d of its %d parts", i, kept, all)
		}
	}
	if a, b := encoded(unmarked(said[0].body["tools"])), encoded(unmarked(silent[0].body["tools"])); a != b {
		t.Error("the tools differ")
	}
}

// commonParts is how many parts of a request (tools, system prompt, messages) the next one begins
// with, and how many it has.
func commonParts(r, next reading) (kept, all int) {
	a, b := partsOf(r), partsOf(next)
	for kept < min(len(a), len(b)) && a[kept] == b[kept] {
		kept++
	}
	return kept, len(a)
}

func partsOf(r reading) []string {
	out := []string{encoded(unmarked(r.body["tools"])), encoded(unmarked(r.body["system"]))}
	messages, _ := r.body["messages"].([]any)
	for _, m := range messages {
		message, _ := unmarked(m).(object)
		blocks, ok := message["content"].([]any)
		if !ok { // a text stands for one block
			blocks = []any{object{"type": "text", "text": message["content"]}}
		}
		for _, b := range blocks {
			out = append(out, fmt.Sprint(message["role"], " ", encoded(b)))
		}
	}
	return out
}

// unmarked is a value without the marks of what is to be cached: they move on with each request.
func unmarked(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, 0, len(v))
		for _, e := range v {
			out = append(out, unmarked(e))
		}
		return out
	case object:
		out := object{}
		for k, e := range v {
			if k != "cache_control" {
				out[k] = unmarked(e)
			}
		}
		return out
	}
	return v
}
