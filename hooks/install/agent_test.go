package install

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestFiles holds where each agent looks for hooks.
func TestFiles(t *testing.T) {
	root, home := filepath.FromSlash("/r"), filepath.FromSlash("/h")
	env := func(string) string { return "" }
	want := map[string][3]string{ // local, project, user
		"claude":      {"/r/.claude/settings.local.json", "/r/.claude/settings.json", "/h/.claude/settings.json"},
		"codex":       {"/r/.codex/hooks.json", "/r/.codex/hooks.json", "/h/.codex/hooks.json"},
		"gemini":      {"/r/.gemini/settings.json", "/r/.gemini/settings.json", "/h/.gemini/settings.json"},
		"cursor":      {"/r/.cursor/hooks.json", "/r/.cursor/hooks.json", "/h/.cursor/hooks.json"},
		"copilot":     {"/r/.github/hooks/aoa.json", "/r/.github/hooks/aoa.json", "/h/.copilot/hooks/aoa.json"},
		"qwen":        {"/r/.qwen/settings.json", "/r/.qwen/settings.json", "/h/.qwen/settings.json"},
		"antigravity": {"/r/.agents/hooks.json", "/r/.agents/hooks.json", "/h/.gemini/config/hooks.json"},
		"vscode":      {"/r/.github/hooks/aoa.json", "/r/.github/hooks/aoa.json", "/h/.copilot/hooks/aoa.json"},
		"opencode":    {"/r/.opencode/plugins/aoa.js", "/r/.opencode/plugins/aoa.js", "/h/.config/opencode/plugins/aoa.js"},
	}
	if len(want) != len(agents.All) {
		t.Errorf("%d agents, want %d", len(agents.All), len(want))
	}
	for _, a := range agents.All {
		for i, scope := range Scopes {
			if got := filepath.ToSlash(File(a, scope, root, home, env)); got != want[a.Name][i] {
				t.Errorf("%s, %s: %s, want %s", a.Name, scope, got, want[a.Name][i])
			}
		}
	}
	moved := func(name string) string {
		return map[string]string{"CODEX_HOME": "/elsewhere", "COPILOT_HOME": "relative"}[name]
	}
	if got := filepath.ToSlash(File(agentOf(t, "codex"), User, root, home, moved)); runtime.GOOS != "windows" &&
		got != "/elsewhere/hooks.json" {
		t.Errorf("moved to %s", got)
	}
	if got := filepath.ToSlash(File(agentOf(t, "copilot"), User, root, home, moved)); got != "/h/.copilot/hooks/aoa.json" {
		t.Errorf("moved to %s", got)
	}
}

// TestSnippets holds what is entered to goldens: it is what people see in their files. -update writes them.
func TestSnippets(t *testing.T) {
	for _, a := range agents.All {
		if a.Settings.Plugin+a.Settings.Shared != "" || runtime.GOOS == "windows" { // two agents want another command there
			continue
		}
		got := Snippet(a, Options{})
		fault.Golden(t, filepath.Join("testdata", "settings", a.Name+".json"), got)
	}
}

// TestCreated: a file that we make is deleted again, with the folders that only it needed.
func TestCreated(t *testing.T) {
	for _, a := range agents.All {
		for _, scope := range Scopes {
			root, home := t.TempDir(), t.TempDir()
			o := Options{Within: root}
			if scope == User {
				o.Within = home
			}
			file := File(a, scope, root, home, func(string) string { return "" })
			if c, err := Add(a, file, o); err != nil || c.Done != Created {
				t.Fatalf("%s, %s: %+v, %v", a.Name, scope, c, err)
			}
			if st, err := Examine(a, file, o); err != nil || st.State != Installed || len(st.Events) != len(installed(owner(a))) {
				t.Errorf("%s, %s: %+v, %v", a.Name, scope, st, err)
			}
			if c, err := Add(a, file, o); err != nil || c.Done != Unchanged {
				t.Errorf("%s, %s, again: %+v, %v", a.Name, scope, c, err)
			}
			if c, err := Remove(a, file, o); err != nil || c.Done != Deleted {
				t.Errorf("%s, %s: %+v, %v", a.Name, scope, c, err)
			}
			for _, dir := range []string{root, home} {
				if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
					t.Errorf("%s, %s: left behind: %v, %v", a.Name, scope, left, err)
				}
			}
			if c, err := Remove(a, file, o); err != nil || c.Done != Absent {
				t.Errorf("%s, %s, again: %+v, %v", a.Name, scope, c, err)
			}
		}
	}
}

// TestOnlyOurAgent: what we entered for one agent is not taken out for another.
func TestOnlyOurAgent(t *testing.T) {
	file := settingsAt(t, "{}")
	if _, err := Add(agentOf(t, "qwen"), file, Options{}); err != nil {
		t.Fatal(err)
	}
	before := string(contentOf(t, file))
	if c, err := Remove(agentOf(t, "gemini"), file, Options{}); err != nil || c.Done != Absent ||
		string(contentOf(t, file)) != before {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestProgramOfOthers: another author's plugin under our name is left alone; an old one of ours is replaced.
func TestProgramOfOthers(t *testing.T) {
	file := settingsAt(t, "export const Mine = async () => ({}) // aoa\n")
	_, err := Add(agentOf(t, "opencode"), file, Options{})
	refused(t, "foreign plugin", err, true)
	if c, err := Remove(agentOf(t, "opencode"), file, Options{}); err != nil || c.Done != Absent {
		t.Errorf("%+v, %v", c, err)
	}
	if st, err := Examine(agentOf(t, "opencode"), file, Options{}); err != nil || st.State != Refused {
		t.Errorf("%+v, %v", st, err)
	}
	old := settingsAt(t, "// aOa for OpenCode "+programMark+" opencode)\nold\n")
	if st, err := Examine(agentOf(t, "opencode"), old, Options{}); err != nil || st.State != Outdated {
		t.Errorf("%+v, %v", st, err)
	}
	if c, err := Add(agentOf(t, "opencode"), old, Options{}); err != nil || c.Done != Changed {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := Remove(agentOf(t, "opencode"), old, Options{}); err != nil || c.Done != Deleted {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestGuard: the command is silent and succeeds without the programs, and passes stdin on with one of them, to the
// small one where both are there: whether the PATH leads to them or the command names their folder.
func TestGuard(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a shell command")
	}
	sh, err := exec.LookPath("sh")
	fault.Check(t, err)
	dir := filepath.Join(t.TempDir(), "it's a \"home\"")
	fault.Check(t, os.Mkdir(dir, 0o755))
	for _, a := range agents.All {
		if a.Settings.Plugin != "" {
			continue
		}
		for folder, path := range map[string]string{"": dir, dir: "/nowhere"} {
			for _, g := range groupsOf(owner(a), folder) {
				h := g.Hooks[0]
				command := h.Command + h.Bash
				run := func() string {
					cmd := exec.Command(sh, "-c", command)
					cmd.Env, cmd.Stdin = []string{"PATH=" + path}, strings.NewReader("in")
					out, err := cmd.CombinedOutput()
					if err != nil {
						t.Fatalf("%s: %v", command, err)
					}
					return string(out)
				}
				for _, name := range []string{"aoa", "aoa-hook"} {
					os.Remove(filepath.Join(dir, name))
				}
				fault.Same(t, fmt.Sprintf("%s without the binary", command), run(), "")
				for _, damaged := range []string{"\x7fELF\x02\x01 cut off", "#!/nowhere/sh\n", "\x00)("} {
					for _, name := range []string{"aoa-hook", "aoa"} {
						fault.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(damaged), 0o755))
						fault.Same(t, fmt.Sprintf("%s with a damaged %s", command, name), run(), "")
					}
					fault.Check(t, errors.Join(os.Remove(filepath.Join(dir, "aoa")), os.Remove(filepath.Join(dir, "aoa-hook"))))
				}
				for _, name := range []string{"aoa", "aoa-hook"} {
					fault.Check(t, os.WriteFile(filepath.Join(dir, name), []byte("#!"+sh+"\nread x; echo \""+name+" $* $x\"\n"), 0o755))
					want := map[string]string{"aoa": "aoa hook ", "aoa-hook": "aoa-hook "}[name] + owner(a).Name
					if out := run(); !strings.HasPrefix(out, want) || !strings.HasSuffix(out, " in\n") {
						t.Errorf("%s: %q", command, out)
					}
				}
			}
		}
	}
}

// TestPrograms: a file that names the folder of the programs is installed, becomes one that does not and back, and is
// taken out.
func TestPrograms(t *testing.T) {
	for _, a := range agents.All {
		if a.Settings.Plugin != "" {
			continue
		}
		file, kept := settingsAt(t, "{}"), t.TempDir()
		for _, o := range []Options{{Programs: "/home/o'hara/go/bin"}, {}, {Programs: "/opt/my programs"}} {
			o.Kept = kept
			if c, err := Add(a, file, o); err != nil || c.Done != Changed {
				t.Errorf("%s, %q: %+v, %v", a.Name, o.Programs, c, err)
			}
			if c, err := Add(a, file, o); err != nil || c.Done != Unchanged {
				t.Errorf("%s, %q, again: %+v, %v", a.Name, o.Programs, c, err)
			}
			if st, err := Examine(a, file, Options{}); err != nil || st.State != Installed {
				t.Errorf("%s, %q: %+v, %v", a.Name, o.Programs, st, err)
			}
		}
		if c, err := Remove(a, file, Options{Kept: kept}); err != nil || c.Done != Changed || string(contentOf(t, file)) != "{}" {
			t.Errorf("%s: %+v, %v, %s", a.Name, c, err, contentOf(t, file))
		}
	}
}
