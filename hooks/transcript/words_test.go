package transcript

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestLastWords: the newest text of the agent itself, without what subagents and summaries say.
func TestLastWords(t *testing.T) {
	name := filepath.Join(t.TempDir(), "s.jsonl")
	for text, want := range map[string]string{
		`{"type":"assistant","message":{"content":[{"type":"text","text":"first"}]}}` + "\n" +
			`{"type":"assistant","message":{"content":[{"type":"text","text":"I keep it"},{"type":"tool_use","id":"1"}]}}` + "\n" +
			`{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"a subagent"}]}}` + "\n" +
			`{"type":"user","isCompactSummary":true,"message":{"content":"This session is being continued"}}` + "\n{broken": "I keep it",
		`{"type":"assistant","message":{"content":[{"type":"text","text":"key AKIA4XJ7Q2NPLK5TWZ3D"}]}}`: "key [redacted]",
		"": "",
	} {
		fault.Check(t, os.WriteFile(name, []byte(text), 0o600))
		if got := LastWords(name); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	fault.Same(t, "of no file", LastWords(name+"-not"), "")
}
