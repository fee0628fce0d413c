package hooks

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/hooks/client"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// speaks reports whether text at that event reaches the model for no more than its tokens.
func speaks(agent, event string) bool { return Call{Agent: agent, Event: event}.TakesText() }

// TestPatience holds the client's own table to what is known here: it waits where we enter a hook
// that is waited for, at an event that carries text, and nowhere else.
func TestPatience(t *testing.T) {
	for _, a := range agents.All {
		for _, e := range a.Events {
			wait, starts := client.Patience(a.Name, e.Name)
			fault.Same(t, fmt.Sprintf("%s awaits %s", a.Name, e.Name), wait > 0, e.Awaited())
			want, first := 50*time.Millisecond, false
			switch e.Canonical {
			case "SessionStart":
				want, first = 400*time.Millisecond, true
			case "UserPromptSubmit":
				want, first = 150*time.Millisecond, true
			case "Stop":
				want = 400 * time.Millisecond
			}
			if e.Awaited() && (wait != want || starts != first) {
				t.Errorf("%s, %s: waits %s, starts %v", a.Name, e.Name, wait, starts)
			}
			if e.Timeout > 0 && wait >= time.Duration(e.Timeout)*time.Second {
				t.Errorf("%s, %s: waits longer than the agent", a.Name, e.Name)
			}
		}
	}
}

// TestPlugin: the manifests of the plugin agree, and what they name is there.
func TestPlugin(t *testing.T) {
	read := func(name string) (v map[string]any) {
		t.Helper()
		fault.Check(t, json.Unmarshal(fault.Read(t, name), &v))
		return v
	}
	root := filepath.Join("..", "scripts", "claude-plugin")
	market := read("../.claude-plugin/marketplace.json")
	plugins, _ := market["plugins"].([]any)
	if len(plugins) != 1 || market["description"] == "" {
		t.Fatalf("marketplace: %v", market)
	}
	listed := plugins[0].(map[string]any)
	fault.Same(t, "the plugin's folder", filepath.Join("..", listed["source"].(string)), root)
	plugin := read(filepath.Join(root, ".claude-plugin", "plugin.json"))
	codex := read(filepath.Join(root, ".codex-plugin", "plugin.json"))
	for _, key := range []string{"name", "description", "version"} {
		fault.Same(t, key+" for Codex", codex[key], plugin[key])
		if key != "version" {
			fault.Same(t, key+" in the marketplace", listed[key], plugin[key])
		}
	}
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(plugin["version"].(string)) {
		t.Errorf("version %v", plugin["version"])
	}
	for _, part := range []any{codex["hooks"], codex["skills"], codex["mcpServers"], plugin["icon"]} {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(part.(string)))); err != nil {
			t.Error(err)
		}
	}
	want := map[string]any{"aoa": map[string]any{"type": "stdio", "command": "aoa", "args": []any{"mcp"}}}
	fault.Same(t, "servers", read(filepath.Join(root, ".mcp.json"))["mcpServers"], any(want))
	skill := string(fault.Read(t, filepath.Join(root, "skills", "aoa", "SKILL.md")))
	if n := strings.Count(skill, "\n"); n > 60 || !strings.HasPrefix(skill, "---\nname: aoa\ndescription: ") {
		t.Errorf("%d lines:\n%s", n, skill)
	}
	for _, tool := range agents.OwnTools {
		if !strings.Contains(skill, "`"+tool+"`") {
			t.Errorf("the skill does not know %s", tool)
		}
	}
}
