package hooks

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// recorded decodes a file of testdata, as if hook AGENT had been called with it.
func recorded(t *testing.T, agent, name string, r Repo) Call {
	t.Helper()
	payload, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	fault.Check(t, err)
	call, err := Decode(agent, nil, payload, r)
	fault.Check(t, err)
	return call
}

// TestRunTwice: an agent that runs its own hook and the one in Claude Code's settings tells the
// same happening twice. It has the same id, and each answer its form.
func TestRunTwice(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 2, 999e6, time.UTC)
	tests := []struct{ own, settings, answer, other string }{
		{"copilot/view", "copilot/view_claude", `{"additionalContext":"x"}`, `{"additionalContext":"x"}`},
		{"copilot/prompt", "copilot/prompt_claude", "", ""},
		{"copilot/session_start", "copilot/session_start_claude", `{"additionalContext":"x"}`, `{"additionalContext":"x"}`},
		{"cursor/read", "cursor/read", `{"additional_context":"x"}`, `{"additional_context":"x"}`},
		{"cursor/session_start", "cursor/session_start", `{"additional_context":"x"}`, `{"additional_context":"x"}`},
	}
	for _, tt := range tests {
		r := orchard()
		r.Now = func() time.Time { return now }
		a := recorded(t, filepath.Dir(tt.own), tt.own, r)
		r.Now = func() time.Time { return now.Add(40 * time.Millisecond) } // another second
		b := recorded(t, "claude", tt.settings, r)
		if len(a.Events) == 0 || a.Agent != b.Agent || a.Session != b.Session {
			t.Fatalf("%s: %+v and %+v", tt.own, a, b)
		}
		fault.Same(t, tt.own+" and "+tt.settings, b.Events, a.Events, cmpopts.IgnoreFields(event.Event{}, "Time"))
		fault.Same(t, tt.own, string(Render(a.Agent, a.Event, Block{}, "x")), tt.answer)
		fault.Same(t, tt.settings, string(Render(b.Agent, b.Event, Block{}, "x")), tt.other)
	}
}

// TestCopilotTime: a clock that is far off is not believed.
func TestCopilotTime(t *testing.T) {
	for raw, want := range map[string]bool{"1795168802100": true, `"2026-11-20T10:00:02Z"`: true, "0": false, "-4": false,
		`"soon"`: false, "null": false, "": false, "1e99": false} {
		var v any
		_ = json.Unmarshal([]byte(raw), &v)
		if got := timeOf(v); got.IsZero() == want {
			t.Errorf("%s: %v", raw, got)
		}
	}
	now := orchard().now()
	if got := (&payload{at: now.Add(-time.Hour)}).when(now); !got.Equal(now) {
		t.Error("an hour ago was believed")
	}
	if at := now.Add(-time.Second); !(&payload{at: at}).when(now).Equal(at) {
		t.Error("a second ago was not believed")
	}
}

// TestTwoHarnesses: VS Code runs the hooks of two settings files for one event. Both deliveries are
// the same call of the same agent.
func TestTwoHarnesses(t *testing.T) {
	files, _ := filepath.Glob("testdata/vscode/*.json")
	for _, file := range files {
		var first []byte
		for _, settings := range []string{"vscode", "copilot", "claude"} {
			call, err := Decode(settings, map[string]string{"COPILOT_CLI": "1"}, contentOf(t, file), orchard())
			if err != nil || call.Agent != "vscode" {
				t.Fatalf("%s by the settings of %s: %+v, %v", file, settings, call, err)
			}
			if got := marshal(t, call); first != nil && !bytes.Equal(got, first) {
				t.Errorf("%s by the settings of %s: %s", file, settings, got)
			} else {
				first = got
			}
		}
	}
}
