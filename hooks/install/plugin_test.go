package install

import (
	"os"
	"path/filepath"
	"testing"
)

const pluginDir = "../../scripts/claude-plugin"

// TestPluginHooks: the plugin runs what an installation in settings runs. UPDATE_DECODE=1 writes it.
func TestPluginHooks(t *testing.T) {
	a := agentOf(t, "claude")
	file := filepath.Join(pluginDir, "hooks", "hooks.json")
	if os.Getenv("UPDATE_DECODE") != "" {
		text := indent(`{"description":"tells aOa what happens, and the model what aOa knows","hooks":`+eventsJSON(groupsOf(a, ""), false)+`}`, "", "  ")
		if err := os.WriteFile(file, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := parseSettings(contentOf(t, file), a)
	if err != nil {
		t.Fatal(err)
	}
	if have, mixed := s.own(); mixed || !sameGroups(have, groupsOf(a, "")) || len(have) != len(s.hooks.Members) {
		t.Errorf("the plugin's hooks are not those that are installed: %+v", have)
	}
}
