package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

const theirs = `{"matcher":"Bash","hooks":[{"type":"command","command":"lint <\"$F\" && say done"}]}`

// shapes are settings files as people have them, by name. Each must come back to the byte after install
// and remove.
var shapes = func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(string(fault.Must(os.ReadFile("testdata/shapes.txt")))) {
		if name, text, is := strings.Cut(line, "  "); is && !strings.HasPrefix(line, "#") {
			text = fault.Must(strconv.Unquote(strings.TrimSpace(text)))
			all[name] = strings.ReplaceAll(text, "THEIRS", theirs)
		}
	}
	return all
}()

// dialects says how the shapes look in the settings of other agents: their events, and their form
// of a group.
var dialects = map[string]*strings.Replacer{
	"claude": strings.NewReplacer(),
	"codex":  strings.NewReplacer("Notification", "PreCompact"),
	"gemini": strings.NewReplacer("PreToolUse", "AfterTool", "Stop", "BeforeAgent", "PostToolBatch", "BeforeModel"),
	"qwen":   strings.NewReplacer("PostToolBatch", "TodoCreated"),
	"cursor": strings.NewReplacer(theirs, `{"command":"lint <\"$F\" && say done","matcher":"Bash"}`, "PreToolUse",
		"postToolUse", "Stop", "sessionEnd",
		`{"hooks":[{"type":"command","command":"aoa status; /opt/laoa hook claude"}]}`, `{"command":"aoa status; /opt/laoa hook cursor"}`),
	"copilot": strings.NewReplacer(theirs, `{"type":"command","bash":"lint <\"$F\" && say done","timeoutSec":9}`,
		"PreToolUse", "postToolUse", "Stop", "sessionEnd",
		`{"hooks":[{"type":"command","command":"aoa status; /opt/laoa hook claude"}]}`, `{"bash":"aoa status; /opt/laoa hook copilot"}`),
	"antigravity": strings.NewReplacer(`"hooks":{`, `"aoa":{`, `"hooks": {`, `"aoa": {`, `"hooks"  :`, `"aoa"  :`,
		`ho\u006fks`, `a\u006fa`, "PreToolUse", "PostToolUse", "PostToolUse\"", "PreInvocation\""),
}

// shapesOf are the shapes in an agent's dialect, and some that only it has.
func shapesOf(agent string) map[string]string {
	out := map[string]string{}
	for name, text := range shapes {
		out[name] = dialects[agent].Replace(text)
	}
	switch agent {
	case "gemini":
		out["switches beside events"] = "{\n  \"hooks\": {\n    \"enabled\": true,\n    \"disabled\": [\"their-hook\"]\n  }\n}\n"
	case "cursor", "copilot":
		out["version"] = "{\n  \"version\": 1\n}\n"
		out["version, one line"] = `{"version":1}`
		out["version, hooks empty"] = `{"version":1,"hooks":{}}`
		out["hooks empty, version"] = "{\n  \"hooks\": {},\n  \"version\": 1\n}\n"
		out["version, foreign"] = dialects[agent].Replace(
			"{\n  \"version\": 1,\n  \"hooks\": {\n    \"Stop\": [\n      " + theirs + "\n    ]\n  }\n}\n")
	}
	return out
}

func agentOf(t testing.TB, name string) agents.Agent {
	t.Helper()
	a, ok := agents.Find(name)
	if !ok {
		t.Fatalf("no agent %s", name)
	}
	return a
}

// installed are the events that Add enters.
func installed(a agents.Agent) (out []agents.Event) {
	for _, e := range a.Events {
		if e.Installed {
			out = append(out, e)
		}
	}
	return out
}

func settingsAt(t testing.TB, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "p", ".claude", "settings.local.json")
	fault.Write(t, name, content)
	fault.Check(t, os.Chmod(name, 0o640))
	return name
}

func TestSettingsComeBackToTheByte(t *testing.T) {
	for agent := range dialects {
		all := shapesOf(agent)
		if len(all) < 30 {
			t.Fatalf("%s: only %d shapes", agent, len(all))
		}
		for name, before := range all {
			t.Run(agent+"/"+name, func(t *testing.T) {
				t.Parallel() // most of the time is that of the disk
				comesBack(t, agentOf(t, agent), before)
			})
		}
	}
}

// holds checks that every value of the old file is in the new one, and every command of ours.
func holds(t *testing.T, agent agents.Agent, before, after string) {
	t.Helper()
	var a, b map[string]any
	for in, v := range map[string]*map[string]any{before: &a, after: &b} {
		std, err := hujson.Standardize(bytes.TrimPrefix([]byte(in), bom))
		if err != nil {
			t.Fatalf("%v in\n%s", err, in)
		}
		if err := json.Unmarshal(std, v); err != nil {
			t.Fatalf("%v in\n%s", err, in)
		}
	}
	for k := range a {
		if _, ok := b[k]; !ok {
			t.Errorf("key %q is gone", k)
		}
	}
	events, _ := b[memberOf(agent)].(map[string]any)
	for _, e := range installed(agent) {
		list, _ := events[e.Name].([]any)
		if len(list) == 0 || !strings.Contains(agents.JSON(list[len(list)-1]), "aoa hook "+agent.Name) {
			t.Errorf("%s does not end with our entry: %v", e.Name, list)
		}
	}
}

// steps enters our hooks, takes them out and examines the file, and compares what each step comes
// to: "add changed", "is installed", "remove absent".
func steps(t testing.TB, a agents.Agent, file string, o Options, want ...string) {
	t.Helper()
	hooked{
		add:    func() (Change, error) { return Add(a, file, o) },
		remove: func() (Change, error) { return Remove(a, file, o) },
		examine: func() (Status, error) {
			st, err := Examine(a, file, o)
			if st.State == Installed && len(st.Events) != len(installed(owner(a))) {
				t.Errorf("%s: %d events", a.Name, len(st.Events))
			}
			return st, err
		},
	}.steps(t, want...)
}

// hooked is where hooks are entered.
type hooked struct {
	add, remove func() (Change, error)
	examine     func() (Status, error)
}

func (k hooked) steps(t testing.TB, want ...string) {
	t.Helper()
	for _, w := range want {
		var c Change
		var err error
		do, _, _ := strings.Cut(w, " ")
		switch do {
		case "add":
			c, err = k.add()
		case "remove":
			c, err = k.remove()
		case "is":
			var st Status
			st, err = k.examine()
			c.File, c.Done = st.File, st.State
		}
		if got := do + " " + c.Done; err != nil || got != w {
			text, _ := os.ReadFile(c.File)
			t.Fatalf("%s: %s, want %s: %v\n%s", c.File, got, w, err, text)
		}
	}
}

// refuses wants a refusal with the text to enter by hand.
func refuses(t testing.TB, what, file string, o Options) {
	t.Helper()
	var r *Refusal
	if _, err := Add(agentOf(t, "claude"), file, o); !errors.As(err, &r) || r.Why == "" || r.Snippet == "" {
		t.Errorf("%s: %v, want a refusal", what, err)
	}
}

// comesBack enters our hooks and takes them out, and what was there has its bytes and its mode
// again.
func comesBack(t *testing.T, a agents.Agent, before string) {
	t.Helper()
	file, o := settingsAt(t, before), Options{Kept: filepath.Join(t.TempDir(), "kept")}
	steps(t, a, file, o, "add changed", "is installed")
	edited := string(fault.Read(t, file))
	holds(t, a, before, edited)
	steps(t, a, file, o, "add unchanged")
	fault.Same(t, "twice", string(fault.Read(t, file)), edited)
	steps(t, a, file, o, "remove changed", "remove absent")
	fault.Same(t, "after", string(fault.Read(t, file)), before)
	if st, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
}

// edit replaces a part of a file, as another program or a person does.
func edit(t testing.TB, file, old, with string) {
	t.Helper()
	text := string(fault.Read(t, file))
	if !strings.Contains(text, old) {
		t.Fatalf("no %s in\n%s", old, text)
	}
	fault.Check(t, os.WriteFile(file, []byte(strings.Replace(text, old, with, 1)), 0o644))
}

// TestSettingsChangedMeanwhile: what others wrote after us stays, also around and inside our
// groups.
func TestSettingsChangedMeanwhile(t *testing.T) {
	a, file := agentOf(t, "claude"), settingsAt(t, "{\n  \"hooks\": {}\n}\n")
	steps(t, a, file, Options{}, "add changed")
	edit(t, file, "\"PreToolUse\": [\n", "\"PreToolUse\": [\n"+theirs+",")
	edit(t, file, "\"Stop\": [\n      {\n        \"hooks\": [",
		"\"Stop\": [\n      {\n        \"hooks\": [{\"type\":\"command\",\"command\":\"mine\"},")
	edit(t, file, "\"SessionEnd\"", "\n// theirs\n\"SessionEnd\"")
	steps(t, a, file, Options{}, "remove changed", "is absent")
	got := strings.Join(strings.Fields(string(fault.Read(t, file))), "")
	for _, want := range []string{theirs, `{"hooks":[{"type":"command","command":"mine"}]}`, "// theirs"} {
		if !strings.Contains(got, strings.Join(strings.Fields(want), "")) || strings.Contains(got, "aoa") {
			t.Errorf("%s is gone, or ours is left:\n%s", want, got)
		}
	}
}

func TestOldGroupsAreReplaced(t *testing.T) {
	a := agentOf(t, "claude")
	for _, old := range []string{
		`{"hooks":{"PreToolUse":[{"matcher":"Read","hooks":[{"type":"command","command":` + agents.JSON(Command("", "claude")) +
			`,"timeout":9}]}]}}`,
		`{"hooks":{"Setup":[{"hooks":[{"type":"command","command":` + agents.JSON(Command("/it's old", "claude")) + `}]}]},"a":1}`,
	} {
		file := settingsAt(t, old)
		steps(t, a, file, Options{}, "is outdated", "add changed", "is installed")
		if got := string(fault.Read(t, file)); strings.Contains(got, `"Setup"`) || strings.Contains(got, `"timeout":9`) {
			t.Errorf("the old one is left:\n%s", got)
		}
	}
}

// TestLinesOfOthers: what a person wrote stays, although it calls aOa or resembles what aOa writes.
func TestLinesOfOthers(t *testing.T) {
	ours := Command("", "claude")
	for _, theirs := range []string{"echo aoa hook claude", "aoa hook claude", "/usr/local/bin/aoa-hook claude", ours + "; date",
		"date; " + ours, strings.Replace(ours, "aoa-hook claude", "aoa-hook  claude", 1), Command("", "codex"),
		strings.Replace(Command("/opt", "claude"), "'/opt/aoa' hook", "'/elsewhere/aoa' hook", 1)} {
		before := `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":` + agents.JSON(theirs) + `}]}]}}`
		steps(t, agentOf(t, "claude"), settingsAt(t, before), Options{}, "remove absent")
		comesBack(t, agentOf(t, "claude"), before)
	}
	// The command for Windows is ours, and the other one is theirs.
	codex := `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"date","commandWindows":` + agents.JSON(cmdCommand("codex")) + `}]}]}}`
	steps(t, agentOf(t, "codex"), settingsAt(t, codex), Options{}, "remove absent")
}

// hujsonValid reports whether a text is JSON, with comments or not.
func hujsonValid(text string) bool {
	_, err := hujson.Parse([]byte(text))
	return err == nil
}

func TestRefusals(t *testing.T) {
	for name, content := range map[string]string{
		"empty file": "", "no JSON": "model: opus", "cut off": `{"hooks":{"Stop":[`, "array": "[]", "null": "null", "two values": "{}{}",
		"hooks is a list": `{"hooks":[]}`, "hooks is null": `{"hooks":null}`, "event is an object": `{"hooks":{"Stop":{}}}`,
		"hooks twice": `{"hooks":{},"hooks":{}}`, "event twice": `{"hooks":{"Stop":[],"Stop":[]}}`, "single quotes": `{'a':1}`,
		"larger than 1 MB": `{"a":"` + strings.Repeat("x", 1<<20) + `"}`,
	} {
		file := settingsAt(t, content)
		refuses(t, name, file, Options{})
		fault.Same(t, name, string(fault.Read(t, file)), content)
		state := Refused
		if !hujsonValid(content) {
			state = Broken // the agent cannot read it either
		}
		if st, err := Examine(agentOf(t, "claude"), file, Options{}); err != nil || st.State != state || st.Note == "" {
			t.Errorf("%s: status %+v, %v", name, st, err)
		}
	}
	var r *Refusal
	if _, err := Remove(agentOf(t, "claude"), settingsAt(t, `{"hooks": aoa hook claude`), Options{}); !errors.As(err, &r) ||
		r.Snippet != "" {
		t.Errorf("remove from a broken file: %v", err)
	}
}

func TestFilesThatAreNotPlain(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links and modes of unix")
	}
	const before = "{\n  \"a\": 1\n}\n"
	a, target := agentOf(t, "claude"), settingsAt(t, before)
	project := filepath.Dir(filepath.Dir(target))
	link := func(name, to string) string {
		t.Helper()
		name = filepath.Join(project, ".claude", name)
		fault.Check(t, os.Symlink(to, name))
		return name
	}
	inside := link("link.json", target)
	steps(t, a, inside, Options{}, "add changed")
	if st, err := os.Lstat(inside); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v", err)
	}
	steps(t, a, target, Options{}, "is installed")
	steps(t, a, inside, Options{}, "remove changed")
	fault.Same(t, "after", string(fault.Read(t, target)), before)
	outside := settingsAt(t, "{}")
	far := link("far.json", outside)
	refuses(t, "a link out of the project", far, Options{})
	steps(t, a, far, Options{Within: filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(outside))))}, "add changed")
	refuses(t, "a dangling link", link("nowhere.json", "/nonexistent"), Options{})
	other := filepath.Join(project, "other.json")
	fault.Check(t, os.Link(target, other))
	refuses(t, "a hard link", target, Options{})
	fault.Check(t, errors.Join(os.Remove(other), os.Chmod(target, 0o444)))
	refuses(t, "a file that is read only", target, Options{})
	refuses(t, "a folder", filepath.Join(project, ".claude"), Options{Within: "/"})
	if _, err := write(outside, []byte("{ }"), 0o644, []byte("new"), Changed); err == nil {
		t.Error("a file that was changed meanwhile was overwritten")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(outside), ".aoa-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestRightEntriesStay: where one entry is wrong, the others are not touched, and neither are the
// places of any: Codex asks its user to trust each entry again that changed.
func TestRightEntriesStay(t *testing.T) {
	for name := range dialects {
		a := agentOf(t, name)
		odd := strings.ReplaceAll(Snippet(a, Options{}), "\n      {", "\n      /* mine */ {") // bytes that Add would not write
		file := settingsAt(t, strings.Replace(odd, `": 2`, `": 77`, 1))
		steps(t, a, file, Options{}, "add changed")
		fault.Same(t, name+" after one was replaced", string(fault.Read(t, file)), odd)
		steps(t, a, file, Options{}, "add unchanged")
	}
}

// TestKept: the bytes of before come back after several installations, and only if the file is what
// was written last.
func TestKept(t *testing.T) {
	const before = "{ \"hooks\" : { } , }\n"
	a, kept := agentOf(t, "codex"), filepath.Join(t.TempDir(), "kept")
	install := func(file string) {
		t.Helper()
		for _, programs := range []string{"", "/opt/aoa", ""} {
			steps(t, a, file, Options{Kept: kept, Programs: programs}, "add changed")
		}
	}
	file := settingsAt(t, before)
	install(file)
	if st, err := os.Stat(kept); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", st, err)
	}
	steps(t, a, file, Options{Kept: kept}, "remove changed")
	fault.Same(t, "after three installations", string(fault.Read(t, file)), before)

	for _, then := range []Options{{Kept: kept}, {Kept: kept, Programs: "/opt/aoa"}} {
		fault.Check(t, os.WriteFile(file, []byte(before), 0o644))
		install(file)
		edit(t, file, "\n", "\n  // others\n")
		if then.Programs != "" {
			steps(t, a, file, then, "add changed")
		}
		steps(t, a, file, then, "remove changed")
		if got := string(fault.Read(t, file)); !strings.Contains(got, "// others") || strings.Contains(got, "aoa") {
			t.Errorf("after an edit by others:\n%s", got)
		}
	}
	if _, err := os.Lstat(kept); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something is kept after all was removed: %v", err)
	}

	gone := settingsAt(t, before)
	install(gone)
	fault.Check(t, os.Remove(gone))
	install(file)
	left := fault.Must(os.ReadDir(kept))
	fault.Same(t, "kept of files that are there", len(left), 1)
}

func FuzzSettings(f *testing.F) {
	for _, s := range shapes {
		f.Add(uint8(0), []byte(s))
		f.Add(uint8(3), []byte(s))
	}
	f.Add(uint8(0), []byte(`{"hooks":{"Stop":[1,null,{"hooks":[{"command":"aoa hook claude"},{}]}]}}`))
	f.Fuzz(func(t *testing.T, which uint8, before []byte) {
		a := agents.All[int(which)%(len(agents.All)-1)] // the last has a program
		s, err := parseSettings(before, a)
		if err != nil {
			return
		}
		clean, _ := parseSettings(before, a)
		if clean.enter(nil); len(clean.own()) > 0 {
			t.Fatalf("%q → %q: ours are left", before, clean.bytes())
		}
		s.enter(groupsOf(a, ""))
		added := s.bytes()
		again, err := parseSettings(added, a)
		if err != nil {
			t.Fatalf("%q → %q: %v", before, added, err)
		}
		if !sameGroups(again.own(), groupsOf(a, "")) {
			t.Fatalf("%q → %q: not all are in", before, added)
		}
		if again.enter(groupsOf(a, "")); !bytes.Equal(again.bytes(), added) {
			t.Fatalf("%q → %q → %q: twice is not once", before, added, again.bytes())
		}
		again.enter(nil)
		if was, is := meaning(clean), meaning(again); was != is {
			t.Fatalf("%q → %q → %q: %s became %s", before, added, again.bytes(), was, is)
		}
	})
}

var (
	blanks = regexp.MustCompile(`[\s,]+`)
	unused = regexp.MustCompile(`"[^"\\]*":\[\]|"(?:hooks|aoa)":\{\}`)
)

// meaning is what a file says, comments included, without blanks and commas, and without the empty
// lists of events that are of no use to anyone.
func meaning(s *settings) string {
	text := blanks.ReplaceAllString(string(s.bytes()), "")
	for was := ""; was != text; {
		was, text = text, unused.ReplaceAllString(text, "")
	}
	return text
}

// TestFailedWriteLeavesNoFolder: a file that cannot be written, as on a full disk, leaves no folder
// that was made for it, and takes none away that was there.
func TestFailedWriteLeavesNoFolder(t *testing.T) {
	home := t.TempDir()
	name := strings.Repeat("n", 300) // longer than any file system takes
	for _, folder := range []string{".codex", ".claude/deep/er"} {
		if _, err := write(filepath.Join(home, folder, name), nil, 0o644, []byte("{}"), "done"); err == nil {
			t.Fatal("the name was taken")
		}
	}
	left, err := os.ReadDir(home)
	fault.Check(t, err)
	fault.Same(t, "left", len(left), 0)
	there := filepath.Join(home, ".claude")
	fault.Check(t, os.Mkdir(there, 0o755))
	_, _ = write(filepath.Join(there, "sub", name), nil, 0o644, []byte("{}"), "done")
	left, err = os.ReadDir(there)
	fault.Check(t, err)
	fault.Same(t, "left in a folder that was there", len(left), 0)
}
