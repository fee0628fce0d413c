//go:build unix

package clients

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/hooks"
)

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
	list, _, _ := strings.Cut(hintOf(hooks.HintPrompt, "x"), "\n")
	for _, hint := range []string{list, hintOf(hooks.HintRescue, "README.md"), hintOf(hooks.HintRescue, "docs/guide.md")} {
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
