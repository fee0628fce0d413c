package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// runPlugin runs the driver with aoa as a program that does what script says, and returns what it
// printed and what aoa read.
func runPlugin(t *testing.T, script string) (out, input string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		fault.Lacking(t, "node", "no node here: the plugin is not run")
	}
	sh := fault.Must(exec.LookPath("sh"))
	dir := t.TempDir()
	plugin := fault.Must(Read("opencode-plugin.js"))
	files := map[string]string{"aoa.mjs": string(plugin), "driver.mjs": string(fault.Must(os.ReadFile("testdata/opencode-driver.mjs")))}
	if script != "" {
		files["aoa"] = "#!" + sh + "\n" + script
	}
	for name, text := range files {
		fault.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
	log := filepath.Join(dir, "log")
	cmd := exec.Command(node, filepath.Join(dir, "driver.mjs"))
	cmd.Env = []string{"PATH=" + dir + ":/usr/bin:/bin", "DIR=" + dir, "LOG=" + log, "HOME=" + dir}
	b, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	seen, _ := os.ReadFile(log)
	return string(b), string(seen)
}

func TestOpenCodePlugin(t *testing.T) {
	out, input := runPlugin(t, `cat >>"$LOG"; echo >>"$LOG"; printf '{"additionalContext":"a.go: text"}'`)
	for _, want := range []string{`V1 {"title":"t","output":"result\n\naOa: a.go: text","metadata":{"exit":2}}`,
		`V1 odd {"content":[]}`,
		`V2 {"content":[{"type":"text","text":"result"},{"type":"text","text":"aOa: a.go: text"}]}`, "V2 error undefined"} {
		if !strings.Contains(out, want+"\n") {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	lines := strings.Split(strings.TrimSpace(input), "\n")
	want := []string{`"hook_event_name":"SessionStart","session_id":"ses_1"`, `"prompt_id":"msg_1","prompt":"hello"`,
		`"tool_name":"bash","tool_use_id":"c1","tool_input":{"command":"make"},"tool_response":{"output":"result","exit_code":2}`, `"tool_use_id":"c2"`,
		`"tool_use_id":"c3","tool_input":{"path":"a.go"},"tool_response":"result"`, `"hook_event_name":"PostToolUseFailure"`}
	if len(lines) != len(want) {
		t.Fatalf("%d calls:\n%s", len(lines), input)
	}
	for i, w := range want {
		if !strings.Contains(lines[i], w) {
			t.Errorf("call %d: no %s in %s", i, w, lines[i])
		}
	}
}

// TestOpenCodePluginSilent: whatever is wrong with aoa, the tool's output stands and nothing is
// printed.
func TestOpenCodePluginSilent(t *testing.T) {
	for name, script := range map[string]string{"no binary": "", "no answer": "exit 0", "no JSON": "echo aoa: broken",
		"fails":         "exit 3",
		"does not read": "exec <&-; exit 0", "another answer": `printf '{"decision":"block"}'`} {
		out, _ := runPlugin(t, script)
		want := `V1 {"title":"t","output":"result","metadata":{"exit":2}}` + "\n" + `V1 odd {"content":[]}` + "\n" +
			`V2 {"content":[{"type":"text","text":"result"}]}` + "\n" + "V2 error undefined\n"
		fault.Same(t, name, out, want)
	}
}
