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
	"slices"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

const theirs = `{"matcher":"Bash","hooks":[{"type":"command","command":"lint <\"$F\" && say done"}]}`

// shapes are settings files as people have them. Each must come back to the byte after install and remove.
var shapes = map[string]string{
	"empty object":            `{}`,
	"empty object, newline":   "{}\n",
	"empty object, inner":     "{\n}\n",
	"empty object, blanks":    "{   }",
	"one line":                `{"model":"opus"}`,
	"one line, blanks":        `{ "model": "opus", "n": 1.50 }`,
	"pretty":                  "{\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"allow\": [\"Read\"]\n  }\n}\n",
	"four blanks":             "{\n    \"model\": \"opus\"\n}",
	"tabs":                    "{\n\t\"model\": \"opus\",\n\t\"env\": {\n\t\t\"A\": \"b\"\n\t}\n}\n",
	"crlf":                    "{\r\n  \"model\": \"opus\"\r\n}\r\n",
	"byte order mark":         "\xef\xbb\xbf{\n  \"model\": \"opus\"\n}\n",
	"line comments":           "// mine\n{\n  // the model\n  \"model\": \"opus\" // why not\n}\n// end\n",
	"block comments":          "/* a */{/* b */\"model\"/* c */:/* d */\"opus\"/* e */}/* f */",
	"only a comment":          "{\n  // nothing yet\n}\n",
	"trailing comma":          "{\n  \"model\": \"opus\",\n}\n",
	"trailing comma, comment": "{\n  \"model\": \"opus\", // note, with comma\n  /* , */\n}\n",
	"hooks empty":             `{"hooks":{}}`,
	"hooks empty, blanks":     "{\n  \"hooks\": {\n  },\n  \"z\": 1\n}\n",
	"hooks empty, comment":    "{\n  \"hooks\": { /* later */ }\n}\n",
	"event empty":             "{\n  \"hooks\": {\n    \"PreToolUse\": [],\n    \"Stop\": [ ]\n  }\n}\n",
	"all events empty":        `{"hooks":{"SessionStart":[],"UserPromptSubmit":[],"PreToolUse":[],"PostToolUse":[],"PostToolUseFailure":[],"PostToolBatch":[],"Stop":[],"SessionEnd":[]}}`,
	"foreign group":           "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      " + theirs + "\n    ]\n  }\n}\n",
	"foreign group, one line": `{"hooks":{"PreToolUse":[` + theirs + `]},"z":[1,2]}`,
	"foreign, trailing comma": "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      " + theirs +
		", // keep\n    ],\n  },\n}\n",
	"foreign event": "{\n  \"hooks\": {\n    \"Notification\": [\n      " + theirs + "\n    ]\n  }\n}\n",
	"foreign events, many": "{\n\t\"hooks\": {\n\t\t\"Stop\": [" + theirs + ", " + theirs + "],\n\t\t\"PreToolUse\": [" +
		theirs + "]\n\t},\n\t\"a\": null\n}",
	"escaped key":             `{"ho\u006fks":{"Stop":[` + theirs + `]}}`,
	"unknown keys, odd order": "{\n  \"z\": {\"hooks\": [1]},\n  \"hooks\": {},\n  \"a\": \"\\u00e9\\/\"\n}",
	"words of ours elsewhere": `{"env":{"X":"exec aoa hook claude"}}`,
	"foreign aoa":             `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"aoa status; /opt/laoa hook claude"}]}]}}`,
	"deep blanks":             "\n\n  {\n\n\n    \"hooks\"  :  {\n\n\"Stop\"  : [\n\n" + theirs + "\n\n]\n\n}\n\n}\n\n",
	"no end of line":          "{\n  \"model\": \"opus\"}",
	"unicode":                 "{\n  \"näme\": \"日本語 \\ud83d\\ude00\"\n}\n",
}

// dialects says how the shapes look in the settings of other agents: their events, and their form of a group.
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
	fault.Check(t, os.MkdirAll(filepath.Dir(name), 0o755))
	fault.Check(t, os.WriteFile(name, []byte(content), 0o640))
	return name
}

func contentOf(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	fault.Check(t, err)
	return b
}

func TestSettingsComeBackToTheByte(t *testing.T) {
	for agent := range dialects {
		all := shapesOf(agent)
		if len(all) < 30 {
			t.Fatalf("%s: only %d shapes", agent, len(all))
		}
		for name, before := range all {
			t.Run(agent+"/"+name, func(t *testing.T) { comesBack(t, agentOf(t, agent), before) })
		}
	}
}

func comesBack(t *testing.T, a agents.Agent, before string) {
	file, o := settingsAt(t, before), Options{Kept: filepath.Join(t.TempDir(), "kept")}
	if c, err := Add(a, file, o); err != nil || c.Done != Changed {
		t.Fatalf("install: %+v, %v", c, err)
	}
	edited := contentOf(t, file)
	if st, err := Examine(a, file, Options{}); err != nil || st.State != Installed || len(st.Events) != len(installed(a)) {
		t.Fatalf("status %+v, %v\n%s", st, err, edited)
	}
	holds(t, a, before, string(edited))
	if c, err := Add(a, file, o); err != nil || c.Done != Unchanged || !bytes.Equal(contentOf(t, file), edited) {
		t.Errorf("twice is not once: %+v, %v", c, err)
	}
	if c, err := Remove(a, file, o); err != nil || c.Done != Changed {
		t.Fatalf("remove: %+v, %v", c, err)
	}
	if after := contentOf(t, file); string(after) != before {
		t.Errorf("before\n%s\nafter\n%s\ninstalled\n%s", before, after, edited)
	}
	if st, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	if c, err := Remove(a, file, Options{}); err != nil || c.Done != Absent {
		t.Errorf("second remove: %+v, %v", c, err)
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
		if len(list) == 0 || !strings.Contains(compact(list[len(list)-1]), "aoa hook "+agent.Name) {
			t.Errorf("%s does not end with our entry: %v", e.Name, list)
		}
	}
}

func TestSettingsStyle(t *testing.T) {
	file := settingsAt(t, "{\r\n\t\"model\": \"opus\"\r\n}\r\n")
	if _, err := Add(agentOf(t, "claude"), file, Options{}); err != nil {
		t.Fatal(err)
	}
	got := string(contentOf(t, file))
	if !strings.Contains(got, "\"opus\",\r\n\t\"hooks\": {\r\n\t\t\"SessionStart\": [\r\n") {
		t.Errorf("not in the file's style:\n%q", got)
	}
	if strings.Contains(strings.ReplaceAll(got, "\r\n", ""), "\n") {
		t.Error("line ends are mixed")
	}
}

func TestSettingsThatDidNotExist(t *testing.T) {
	project := t.TempDir()
	file := filepath.Join(project, ".claude", "settings.local.json")
	if c, err := Add(agentOf(t, "claude"), file, Options{}); err != nil || c.Done != Created {
		t.Fatalf("%+v, %v", c, err)
	}
	if b := contentOf(t, file); !json.Valid(b) || string(b) != Snippet(agentOf(t, "claude"), Options{}) {
		t.Errorf("created\n%s", b)
	}
	if c, err := Add(agentOf(t, "claude"), file, Options{}); err != nil || c.Done != Unchanged {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := Remove(agentOf(t, "claude"), file, Options{}); err != nil || c.Done != Deleted {
		t.Errorf("%+v, %v", c, err)
	}
	if left, err := os.ReadDir(project); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if c, err := Remove(agentOf(t, "claude"), file, Options{}); err != nil || c.Done != Absent {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestSettingsChangedMeanwhile: what others wrote after us stays, also around and inside our groups.
func TestSettingsChangedMeanwhile(t *testing.T) {
	file := settingsAt(t, "{\n  \"hooks\": {}\n}\n")
	if _, err := Add(agentOf(t, "claude"), file, Options{}); err != nil {
		t.Fatal(err)
	}
	edited := string(contentOf(t, file))
	for old, with := range map[string]string{"\"PreToolUse\": [\n": "\"PreToolUse\": [\n" + theirs + ",",
		"\"Stop\": [\n      {\n        \"hooks\": [": "\"Stop\": [\n      {\n        \"hooks\": [{\"type\":\"command\",\"command\":\"mine\"},",
		"\"SessionEnd\"": "\n// theirs\n\"SessionEnd\""} {
		if !strings.Contains(edited, old) {
			t.Fatalf("no %s in\n%s", old, edited)
		}
		edited = strings.Replace(edited, old, with, 1)
	}
	fault.Check(t, os.WriteFile(file, []byte(edited), 0o644))
	if _, err := Remove(agentOf(t, "claude"), file, Options{}); err != nil {
		t.Fatal(err)
	}
	got := string(contentOf(t, file))
	s, err := parseSettings([]byte(got), agentOf(t, "claude"))
	if err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	if left := s.own(); len(left) > 0 || strings.Contains(got, "aoa") {
		t.Errorf("ours are left:\n%s", got)
	}
	for _, want := range []string{theirs, `{"hooks":[{"type":"command","command":"mine"}]}`, "// theirs"} {
		if !strings.Contains(strings.Join(strings.Fields(got), ""), strings.Join(strings.Fields(want), "")) {
			t.Errorf("%s is gone:\n%s", want, got)
		}
	}
}

func TestOldGroupsAreReplaced(t *testing.T) {
	for _, old := range []string{
		`{"hooks":{"PreToolUse":[{"matcher":"Read","hooks":[{"type":"command","command":` + compact(Command("", "claude")) +
			`,"timeout":9}]}]}}`,
		`{"hooks":{"Setup":[{"hooks":[{"type":"command","command":` + compact(Command("/it's old", "claude")) + `}]}]},"a":1}`,
	} {
		file := settingsAt(t, old)
		if st, err := Examine(agentOf(t, "claude"), file, Options{}); err != nil || st.State != Outdated {
			t.Fatalf("status %+v, %v", st, err)
		}
		if c, err := Add(agentOf(t, "claude"), file, Options{}); err != nil || c.Done != Changed {
			t.Fatalf("%+v, %v", c, err)
		}
		got := string(contentOf(t, file))
		if st, err := Examine(agentOf(t, "claude"), file, Options{}); err != nil || st.State != Installed ||
			strings.Contains(got, `"Setup"`) || strings.Contains(got, `"timeout":9`) {
			t.Errorf("status %+v, %v\n%s", st, err, got)
		}
	}
}

// TestLinesOfOthers: what a person wrote stays, although it calls aOa or resembles what aOa writes.
func TestLinesOfOthers(t *testing.T) {
	ours := Command("", "claude")
	for _, theirs := range []string{"echo aoa hook claude", "aoa hook claude", "/usr/local/bin/aoa-hook claude", ours + "; date",
		"date; " + ours, strings.Replace(ours, "aoa-hook claude", "aoa-hook  claude", 1), Command("", "codex"),
		strings.Replace(Command("/opt", "claude"), "'/opt/aoa' hook", "'/elsewhere/aoa' hook", 1)} {
		before := `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":` + compact(theirs) + `}]}]}}`
		file := settingsAt(t, before)
		if c, err := Remove(agentOf(t, "claude"), file, Options{}); err != nil || c.Done != Absent {
			t.Errorf("%s: %+v, %v", theirs, c, err)
		}
		comesBack(t, agentOf(t, "claude"), before)
	}
	// The command for Windows is ours, and the other one is theirs.
	codex := `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"date","commandWindows":` + compact(cmdCommand("codex")) + `}]}]}}`
	file := settingsAt(t, codex)
	if c, err := Remove(agentOf(t, "codex"), file, Options{}); err != nil || c.Done != Absent {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestRefusals(t *testing.T) {
	for name, content := range map[string]string{
		"empty file": "", "no JSON": "model: opus", "cut off": `{"hooks":{"Stop":[`, "array": "[]", "null": "null", "two values": "{}{}",
		"hooks is a list": `{"hooks":[]}`, "hooks is null": `{"hooks":null}`, "event is an object": `{"hooks":{"Stop":{}}}`,
		"hooks twice": `{"hooks":{},"hooks":{}}`, "event twice": `{"hooks":{"Stop":[],"Stop":[]}}`, "single quotes": `{'a':1}`,
		"larger than 1 MB": `{"a":"` + strings.Repeat("x", 1<<20) + `"}`,
	} {
		file := settingsAt(t, content)
		_, err := Add(agentOf(t, "claude"), file, Options{})
		refused(t, name, err, true)
		fault.Same(t, name, string(contentOf(t, file)), content)
		if st, err := Examine(agentOf(t, "claude"), file, Options{}); err != nil || st.State != Refused || st.Note == "" {
			t.Errorf("%s: status %+v, %v", name, st, err)
		}
	}
	broken := settingsAt(t, `{"hooks": aoa hook claude`)
	_, err := Remove(agentOf(t, "claude"), broken, Options{})
	refused(t, "remove from broken", err, false)
}

func refused(t *testing.T, name string, err error, snippet bool) {
	t.Helper()
	var r *Refusal
	if !errors.As(err, &r) || r.Why == "" || (r.Snippet != "") != snippet {
		t.Errorf("%s: %v, want a refusal", name, err)
	}
}

func TestFilesThatAreNotPlain(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links and modes of unix")
	}
	target := settingsAt(t, "{\n  \"a\": 1\n}\n")
	project := filepath.Dir(filepath.Dir(target))
	link := filepath.Join(project, ".claude", "link.json")
	fault.Check(t, os.Symlink(target, link))
	if _, err := Add(agentOf(t, "claude"), link, Options{}); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&os.ModeSymlink == 0 ||
		!bytes.Contains(contentOf(t, target), []byte("aoa hook claude")) {
		t.Error("the link was not followed, or was replaced")
	}
	if _, err := Remove(agentOf(t, "claude"), link, Options{}); err != nil ||
		string(contentOf(t, target)) != "{\n  \"a\": 1\n}\n" {
		t.Errorf("remove through the link: %v\n%s", err, contentOf(t, target))
	}
	outside := settingsAt(t, "{}")
	far := filepath.Join(project, ".claude", "far.json")
	fault.Check(t, os.Symlink(outside, far))
	_, err := Add(agentOf(t, "claude"), far, Options{})
	refused(t, "link out of the project", err, true)
	if _, err := Add(agentOf(t, "claude"), far,
		Options{Within: filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(outside))))}); err != nil {
		t.Errorf("allowed to go there: %v", err)
	}
	nowhere := filepath.Join(project, ".claude", "nowhere.json")
	fault.Check(t, os.Symlink("/nonexistent", nowhere))
	_, err = Add(agentOf(t, "claude"), nowhere, Options{})
	refused(t, "dangling link", err, true)
	other := filepath.Join(project, "other.json")
	fault.Check(t, os.Link(target, other))
	if _, err = Add(agentOf(t, "claude"), target, Options{}); runtime.GOOS != "windows" {
		refused(t, "a hard link", err, true)
	}
	fault.Check(t, errors.Join(os.Remove(other), os.Chmod(target, 0o444)))
	_, err = Add(agentOf(t, "claude"), target, Options{})
	refused(t, "read-only", err, true)
	_, err = Add(agentOf(t, "claude"), filepath.Join(project, ".claude"), Options{Within: "/"})
	refused(t, "a folder", err, true)
}

func TestNoHalfWrittenFile(t *testing.T) {
	file := settingsAt(t, "{}")
	if err := replaceFile(file, []byte("{ }"), []byte("new"), 0o644); err == nil {
		t.Error("a file that was changed meanwhile was overwritten")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".aoa-*")); len(left) > 0 ||
		string(contentOf(t, file)) != "{}" {
		t.Errorf("left behind: %v", left)
	}
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
		if was, is := meaning(t, clean), meaning(t, again); was != is {
			t.Fatalf("%q → %q → %q: %s became %s", before, added, again.bytes(), was, is)
		}
		if was, is := commentsIn(clean), commentsIn(again); was != is {
			t.Fatalf("%q → %q → %q: comments %q became %q", before, added, again.bytes(), was, is)
		}
	})
}

// meaning is what a file says, without the empty lists of events that are of no use to anyone.
func meaning(t *testing.T, s *settings) string {
	t.Helper()
	v := s.value.Clone()
	if found := v.Find(s.hooks()); found != nil {
		events := found.Value.(*hujson.Object)
		events.Members = slices.DeleteFunc(events.Members, func(m hujson.ObjectMember) bool {
			list, ok := m.Value.Value.(*hujson.Array)
			return ok && len(list.Elements) == 0
		})
		root := v.Value.(*hujson.Object)
		root.Members = slices.DeleteFunc(root.Members, func(m hujson.ObjectMember) bool {
			return nameOf(m) == memberOf(s.agent) && len(events.Members) == 0
		})
	}
	v.Minimize()
	return string(v.Pack())
}

var comment = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/`)

// commentsIn are the comments of a file, sorted.
func commentsIn(s *settings) string {
	var all []string
	for v := range s.value.All() {
		extras := []hujson.Extra{v.BeforeExtra, v.AfterExtra}
		switch in := v.Value.(type) {
		case *hujson.Object:
			extras = append(extras, in.AfterExtra)
		case *hujson.Array:
			extras = append(extras, in.AfterExtra)
		}
		for _, e := range extras {
			all = append(all, comment.FindAllString(strings.ReplaceAll(string(e), "\r", ""), -1)...)
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// TestFailedWriteLeavesNoFolder: a file that cannot be written, as on a full disk, leaves no folder that was made for it,
// and takes none away that was there.
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

// TestRightEntriesStay: where one entry is wrong, the others are not touched, and neither are the places of any: Codex
// asks its user to trust each entry again that changed.
func TestRightEntriesStay(t *testing.T) {
	for _, name := range []string{"claude", "codex", "gemini", "cursor", "copilot", "qwen", "antigravity"} {
		a := agentOf(t, name)
		right := Snippet(a, Options{})
		odd := strings.ReplaceAll(right, "\n      {", "\n      /* mine */ {") // bytes that Add would not write
		file := settingsAt(t, strings.Replace(odd, `": 2`, `": 77`, 1))
		if c, err := Add(a, file, Options{}); err != nil || c.Done != Changed {
			t.Fatalf("%s: %+v, %v", name, c, err)
		}
		fault.Same(t, name+" after one was replaced", string(contentOf(t, file)), odd)
		if c, err := Add(a, file, Options{}); err != nil || c.Done != Unchanged {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}

// TestKept: the bytes of before come back after several installations, and only if the file is what was written last.
func TestKept(t *testing.T) {
	const before = "{ \"hooks\" : { } , }\n"
	a := agentOf(t, "codex")
	o := Options{Kept: filepath.Join(t.TempDir(), "kept")}
	install := func(file string) {
		t.Helper()
		for _, programs := range []string{"", "/opt/aoa", ""} {
			o.Programs = programs
			if _, err := Add(a, file, o); err != nil {
				t.Fatal(err)
			}
		}
	}
	file := settingsAt(t, before)
	install(file)
	if st, err := os.Stat(o.Kept); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", st, err)
	}
	if _, err := Remove(a, file, o); err != nil {
		t.Fatal(err)
	}
	fault.Same(t, "after three installations", string(contentOf(t, file)), before)

	install(file)
	others := strings.Replace(string(contentOf(t, file)), "\n", "\n  // others\n", 1)
	fault.Check(t, os.WriteFile(file, []byte(others), 0o644))
	if _, err := Remove(a, file, o); err != nil {
		t.Fatal(err)
	}
	if got := string(contentOf(t, file)); !strings.Contains(got, "// others") || strings.Contains(got, "aoa") {
		t.Errorf("after an edit by others:\n%s", got)
	}

	fault.Check(t, os.WriteFile(file, []byte(before), 0o644))
	install(file)
	others = strings.Replace(string(contentOf(t, file)), "\n", "\n  // others\n", 1)
	fault.Check(t, os.WriteFile(file, []byte(others), 0o644))
	o.Programs = "/opt/aoa"
	if _, err := Add(a, file, o); err != nil {
		t.Fatal(err)
	}
	if _, err := Remove(a, file, o); err != nil {
		t.Fatal(err)
	}
	if got := string(contentOf(t, file)); !strings.Contains(got, "// others") || strings.Contains(got, "aoa") {
		t.Errorf("after an edit by others and another installation:\n%s", got)
	}
	if _, err := os.Lstat(o.Kept); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something is kept after all was removed: %v", err)
	}

	gone := settingsAt(t, before)
	install(gone)
	fault.Check(t, os.Remove(gone))
	install(file)
	left, err := os.ReadDir(o.Kept)
	fault.Check(t, err)
	fault.Same(t, "kept of files that are there", len(left), 1)
}
