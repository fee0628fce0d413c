package hooks

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestSplitPrompt(t *testing.T) {
	for in, want := range map[string]promptParts{
		"fix it": {human: "fix it"},
		"<system-reminder>be nice</system-reminder>fix it":                       {human: "fix it", machine: "be nice\n\n"},
		"<task-notification>x":                                                   {machine: "x\n"},
		"a <Pasted_Content id=\"1\">log</pasted_content> b <pasted_content>more": {human: "a  b", pasted: "log\nmore"},
		"<command-name>/plan</command-name><command-args>pick</command-args>":    {human: "/plan pick"},
		"This session is being continued from a previous conversation that ran out.": {
			machine: "This session is being continued from a previous conversation that ran out."},
		"Read the output file to retrieve the result: /tmp/tasks/b.output": {
			machine: "Read the output file to retrieve the result: /tmp/tasks/b.output"},
		"what does <pasted_contents> mean and <T extends object>?": {
			human: "what does <pasted_contents> mean and <T extends object>?"},
		"<private><system-reminder></private>hello": {human: "hello"},
		"<task-notification":                        {},
	} {
		fault.Same(t, in, splitPrompt(in), want, cmp.AllowUnexported(promptParts{}))
	}
}

func TestPromptText(t *testing.T) {
	long := decode(t, "UserPromptSubmit", map[string]any{"prompt": strings.Repeat("apples and pears ", 10_000)}, orchard())
	e := long.Events[0]
	if len(e.Text()) > event.MaxText || len(e.Text()) < event.MaxText-20 || len(e.Terms()) != 2 {
		t.Errorf("%d bytes, terms %v", len(e.Text()), e.Terms())
	}
	token := githubToken
	secret := decode(t, "UserPromptSubmit", map[string]any{"prompt": "deploy with " + token}, orchard())
	if all := string(marshal(t, secret)); strings.Contains(all, token) ||
		strings.Contains(all, strings.ToLower(token[4:20])) || !strings.Contains(all, "deploy") {
		t.Error(all)
	}
	if c := decode(t, "UserPromptSubmit", map[string]any{"prompt": "<private>all of it</private>"},
		orchard()); len(c.Events) != 0 || c.Query != nil {
		t.Errorf("%v", c)
	}
}

// TestOwnWordsAreNoPrompt: Gemini CLI sends what hooks said along with the prompt; OpenCode puts a
// prompt in quotes.
func TestOwnWordsAreNoPrompt(t *testing.T) {
	said := "mend the basket\n<hook_context>Files used together with this one in this repository:\nstore/basket.go</hook_context>"
	for _, c := range []struct{ agent, event, prompt, want string }{
		{"gemini", "BeforeAgent", said, "mend the basket"},
		{"opencode", "UserPromptSubmit", `"mend the basket"`, "mend the basket"},
		{"opencode", "UserPromptSubmit", `"mend \"the\" basket"` + "\n", `mend "the" basket`},
		{"opencode", "UserPromptSubmit", `"mend" the "basket"`, `"mend" the "basket"`},
		{"opencode", "UserPromptSubmit", `"`, `"`},
	} {
		raw, err := json.Marshal(map[string]string{"hook_event_name": c.event, "session_id": "s", "prompt": c.prompt})
		fault.Check(t, err)
		call, err := Decode(c.agent, nil, raw, orchard())
		if err != nil || len(call.Events) != 1 {
			t.Fatalf("%s: %+v, %v", c.prompt, call.Events, err)
		}
		if e := call.Events[0]; e.Text() != c.want || len(e.Named())+len(e.Seen()) != 0 {
			t.Errorf("%q became %q, naming %v and %v", c.prompt, e.Text(), e.Named(), e.Seen())
		}
	}
}
