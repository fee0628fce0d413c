//go:build unix

package client

import (
	"encoding/json"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestAbove: an agent works in a folder above two repositories. A call goes to the repository of
// its files, a prompt to those that the session touched, a start to none.
func TestAbove(t *testing.T) {
	one, _ := repo(t)
	top := filepath.Dir(one)
	two := filepath.Join(top, "two")
	git(t, "init", "-q", two)
	store(t, filepath.Join(two, ".git"))
	got := make(chan string, 8)
	for name, dir := range map[string]string{"one": one, "two": two} {
		serve(t, filepath.Join(dir, ".git", "aoa", "sock"), func(c net.Conn) {
			h, err := receive(c)
			if err != nil {
				t.Error(err)
			}
			fault.Same(t, name, h.Dir, dir)
			if h.Wait {
				_, _ = c.Write(answer(`{"from":"` + name + `"}`))
			}
			got <- name
		})
	}
	say := func(event, session string, more map[string]any) (printed string, to []string) {
		more["hook_event_name"], more["session_id"], more["cwd"] = event, session, top
		b, err := json.Marshal(more)
		fault.Check(t, err)
		printed = hook(t, top, strings.NewReader(string(b)), []string{"AOA_PATIENCE=20"}, "claude")
		for {
			select {
			case name := <-got:
				to = append(to, name)
			case <-time.After(200 * time.Millisecond):
				return printed, to
			}
		}
	}
	type input = map[string]any
	for _, c := range []struct {
		event, session string
		more           map[string]any
		to, printed    string
	}{
		{"SessionStart", "s", input{"source": "startup"}, "", ""},
		{"UserPromptSubmit", "s", input{"prompt": "go"}, "", ""},
		{"PostToolUse", "s", input{"tool_name": "Read", "tool_input": input{"file_path": filepath.Join(two, "a.go")}}, "two", ""},
		{"UserPromptSubmit", "s", input{"prompt": "go"}, "two", `{"from":"two"}`},
		{"UserPromptSubmit", "other", input{"prompt": "go"}, "", ""},
		{"PostToolUse", "s", input{"tool_name": "Bash", "tool_input": input{"command": "cd repo && cat a.go"}}, "one", ""},
		{"PostToolUse", "s", input{"tool_name": "Bash", "tool_input": input{"command": "date"}}, "", ""},
		{"PostToolBatch", "s", input{"tool_calls": []input{{"tool_input": input{"file_path": "two/a.go"}}}}, "two",
			`{"from":"two"}`},
	} {
		printed, to := say(c.event, c.session, c.more)
		if strings.Join(to, " ") != c.to || printed != c.printed {
			t.Errorf("%s %v: went to %v, printed %q", c.event, c.more, to, printed)
		}
	}
	if _, to := say("UserPromptSubmit", "s", input{"prompt": "go"}); len(to) != 2 {
		t.Errorf("a prompt of a session that touched both went to %v", to)
	}
}
