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

// TestFiles holds where each agent looks for hooks of one person in a worktree, of a project and of a
// user to a golden. -update writes it.
func TestFiles(t *testing.T) {
	root, home := filepath.FromSlash("/r"), filepath.FromSlash("/h")
	moved := map[string]string{"CODEX_HOME": filepath.FromSlash("/elsewhere"), "COPILOT_HOME": "relative"}
	var b strings.Builder
	for what, env := range []func(string) string{func(string) string { return "" }, func(name string) string { return moved[name] }} {
		for _, a := range agents.All {
			for _, scope := range Scopes {
				fmt.Fprintf(&b, "%s, %s: %s\n", a.Name, scope, filepath.ToSlash(File(a, scope, root, home, env)))
			}
		}
		b.WriteString([]string{"\nmoved by the environment:\n", ""}[what])
	}
	if runtime.GOOS != "windows" { // where /elsewhere is not absolute
		fault.Golden(t, "testdata/files.txt", b.String())
	}
}

// TestSnippets holds what is entered to goldens: it is what people see in their files. -update
// writes them.
func TestSnippets(t *testing.T) {
	for _, a := range agents.All {
		if a.Settings.Plugin+a.Settings.Shared != "" || runtime.GOOS == "windows" { // two agents want another command there
			continue
		}
		got := Snippet(a, Options{})
		fault.Golden(t, filepath.Join("testdata", "settings", a.Name+".json"), got)
	}
}

// TestCreated: a file that we make is what Snippet says, and is deleted again, with the folders
// that only it needed.
func TestCreated(t *testing.T) {
	for _, a := range agents.All {
		for _, scope := range Scopes {
			root, home := t.TempDir(), t.TempDir()
			o := Options{Within: root}
			if scope == User {
				o.Within = home
			}
			file := File(a, scope, root, home, func(string) string { return "" })
			steps(t, a, file, o, "add created", "is installed", "add unchanged")
			fault.Same(t, a.Name, string(fault.Read(t, file)), Snippet(a, o))
			steps(t, a, file, o, "remove deleted", "remove absent")
			for _, dir := range []string{root, home} {
				if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
					t.Errorf("%s, %s: left behind: %v, %v", a.Name, scope, left, err)
				}
			}
		}
	}
}

// TestProgramOfOthers: another author's plugin under our name is left alone; an old one of ours is
// replaced.
func TestProgramOfOthers(t *testing.T) {
	a, file := agentOf(t, "opencode"), settingsAt(t, "export const Mine = async () => ({}) // aoa\n")
	var refused *Refusal
	if _, err := Add(a, file, Options{}); !errors.As(err, &refused) || refused.Snippet == "" {
		t.Errorf("another author's plugin: %v", err)
	}
	steps(t, a, file, Options{}, "remove absent", "is refused")
	old := settingsAt(t, "// aOa for OpenCode "+programMark+" opencode)\nold\n")
	steps(t, a, old, Options{}, "is outdated", "add changed", "remove deleted")
}

// TestGuard: the command is silent and succeeds without the programs, and passes stdin on with one
// of them, to the small one where both are there: whether the PATH leads to them or the command
// names their folder.
func TestGuard(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a shell command")
	}
	sh := fault.Must(exec.LookPath("sh"))
	dir := filepath.Join(t.TempDir(), "it's a \"home\"")
	fault.Check(t, os.Mkdir(dir, 0o755))
	for _, a := range agents.All {
		if a.Settings.Plugin != "" {
			continue
		}
		for folder, path := range map[string]string{"": dir, dir: "/nowhere"} {
			commands := map[string]bool{}
			for _, g := range groupsOf(owner(a), folder) {
				commands[g.Hooks[0].Command+g.Hooks[0].Bash] = true
			}
			for command := range commands {
				run := func() string {
					cmd := exec.Command(sh, "-c", command)
					cmd.Env, cmd.Stdin = []string{"PATH=" + path}, strings.NewReader("in")
					out, err := cmd.CombinedOutput()
					if err != nil {
						t.Fatalf("%s: %v", command, err)
					}
					return string(out)
				}
				os.Remove(filepath.Join(dir, "aoa"))
				os.Remove(filepath.Join(dir, "aoa-hook"))
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

func fileWith(t *testing.T, name, content string, mode os.FileMode) {
	t.Helper()
	fault.Write(t, name, content)
	fault.Check(t, os.Chmod(name, mode))
}

// localSettings is the personal settings file of Claude Code in a worktree.
const localSettings = ".claude/settings.local.json"

// TestExcludeLinkedFolder: a folder that leads out of the git dir is not written to.
func TestExcludeLinkedFolder(t *testing.T) {
	common, outside := t.TempDir(), t.TempDir()
	before := excludeNote + "\n/" + localSettings + "\n"
	fileWith(t, filepath.Join(outside, "exclude"), before, 0o600)
	fault.Check(t, os.Symlink(outside, filepath.Join(common, "info")))
	var refused *Refusal
	if _, err := Exclude(common, "other"); !errors.As(err, &refused) || !strings.Contains(refused.Why, "symbolic link to") {
		t.Errorf("%v", err)
	}
	if c, err := Unexclude(common, localSettings); err != nil || c.Done != Absent {
		t.Errorf("%+v, %v", c, err)
	}
	fault.Same(t, "the file outside", string(fault.Read(t, filepath.Join(outside, "exclude"))), before)
}

func TestExclude(t *testing.T) {
	entered := []string{Changed, Unchanged, Changed, Absent}
	for before, want := range map[string][]string{"# git ls-files --others --exclude-from=.git/info/exclude\n# *.[oa]\n": entered,
		"*.o\n*.a": entered, "": entered, "\n": entered, "absent": {Created, Unchanged, Deleted, Absent},
		"/" + localSettings + "\n": {Unchanged, Unchanged, Absent, Absent}} {
		common := t.TempDir()
		file := filepath.Join(common, "info", "exclude")
		if before != "absent" {
			fileWith(t, file, before, 0o600)
		}
		var done []string
		for _, do := range []func(string, string) (Change, error){Exclude, Exclude, Unexclude, Unexclude} {
			c, err := do(common, localSettings)
			fault.Check(t, err)
			if done = append(done, c.Done); len(done) == 2 && !strings.Contains("\n"+string(fault.Read(t, file))+"\n", "\n/"+localSettings+"\n") {
				t.Errorf("%q becomes %q", before, fault.Read(t, file))
			}
		}
		fault.Same(t, fmt.Sprintf("entered and removed, twice each, in %q", before), done, want)
		if after, err := os.ReadFile(file); (before == "absent") != (err != nil) || err == nil && string(after) != before {
			t.Errorf("before %q, after %q, %v", before, after, err)
		}
	}
}

// odd are the shapes of which a golden has the whole text.
var odd = []string{"empty object", "one line, blanks", "four blanks", "tabs", "crlf", "byte order mark", "line comments",
	"block comments", "only a comment", "trailing comma, comment", "event empty", "foreign group", "foreign group, one line",
	"foreign, trailing comma", "foreign events, many", "unknown keys, odd order", "no end of line", "deep blanks"}

// TestInstalledText holds what Add makes of odd files to a golden, with a short word for each
// command: what people see changes only on purpose. -update writes it.
func TestInstalledText(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("two agents want another command there")
	}
	for _, name := range []string{"claude", "cursor"} {
		a, all := agentOf(t, name), shapesOf(name)
		var b strings.Builder
		for _, shape := range odd {
			file := settingsAt(t, all[shape])
			_, err := Add(a, file, Options{})
			fault.Check(t, err)
			text := strings.ReplaceAll(string(fault.Read(t, file)), agents.JSON(Command("", name)), `"AOA"`)
			b.WriteString("== " + shape + "\n" + strings.NewReplacer("\r", "\\r", "\xef\xbb\xbf", "\\ufeff").Replace(text) + "\n")
		}
		fault.Golden(t, filepath.Join("testdata", "installed", name+".txt"), b.String())
	}
}

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
		s, err := parseSettings(fault.Read(t, file), a)
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
