package install

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

const pluginDir = "../../scripts/claude-plugin"

// TestPluginHooks: the plugin runs what an installation in settings runs. -update writes it.
func TestPluginHooks(t *testing.T) {
	for agent, name := range map[string]string{"claude": "hooks.json", "codex": "codex.json"} {
		a, file := agentOf(t, agent), filepath.Join(pluginDir, "hooks", name)
		if fault.Update() {
			text := indent(`{"description":"tells aOa what happens, and the model what aOa knows","hooks":`+
				eventsJSON(groupsOf(a, ""))+`}`, "", "  ")
			fault.Check(t, os.WriteFile(file, []byte(text+"\n"), 0o644))
		}
		s, err := parseSettings(contentOf(t, file), a)
		fault.Check(t, err)
		if have := s.own(); !sameGroups(have, groupsOf(a, "")) || len(have) != len(s.spaces(s.hooks()))-1 {
			t.Errorf("the plugin's hooks of %s are not those that are installed: %+v", agent, have)
		}
	}
}

// TestPlugin: the last settings file that speaks of the plugin decides.
func TestPlugin(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		f := filepath.Join(dir, name)
		fault.Check(t, os.WriteFile(f, []byte(text), 0o600))
		return f
	}
	on, off := file("on", `{"enabledPlugins": {"aoa@aoa": true, "x@y": false}, // here`+"\n}"),
		file("off", `{"enabledPlugins": {"aoa@aoa": false}}`)
	other, bad, list := file("other", `{"enabledPlugins": {"x@y": true}}`), file("bad", `{`), file("list",
		`{"enabledPlugins": []}`)
	for _, c := range []struct {
		files []string
		by    string
		want  bool
	}{{[]string{on}, on, true}, {[]string{on, off}, off, false},
		{[]string{off, on, other, bad, list, filepath.Join(dir, "none")}, on, true}, {[]string{other}, "", false}, {nil, "", false}} {
		if by, got := Plugin(c.files...); got != c.want || by != c.by {
			t.Errorf("%v: %q, %v", c.files, by, got)
		}
	}
}
