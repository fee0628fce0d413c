package hooks

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// members has a JSON object: a payload, or the input of a tool. Which members exist, and of which type
// they are, differs from agent to agent and from tool to tool. A member of another type than expected
// counts as missing, because agents change the types in their payloads without notice.
type members map[string]any

// text returns the text at the first of the keys that has one.
func (m members) text(keys ...string) string {
	for _, k := range keys {
		if s, ok := m[k].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// value returns the first value at one of the keys that is neither nil nor "".
func (m members) value(keys ...string) any {
	for _, k := range keys {
		if v := m[k]; v != nil && v != "" {
			return v
		}
	}
	return nil
}

// texts returns the list of texts at a key. A single text counts as a list of one.
func (m members) texts(key string) (out []string) {
	switch v := m[key].(type) {
	case string:
		return []string{v}
	case []any:
		for _, e := range v {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

func (m members) flag(key string) bool { return m[key] == true }

// number returns a whole number that is not negative, 0 for anything else.
func (m members) number(key string) int {
	f, _ := m[key].(float64)
	if n := int(f); n > 0 && float64(n) == f {
		return n
	}
	return 0
}

// object returns the object at a key, an empty one if the key has no object.
func (m members) object(key string) members { return objectOf(m[key]) }

func objectOf(v any) members {
	o, _ := v.(map[string]any)
	return o
}

// toolCall returns a tool call in the form of Claude Code's payloads.
func (m members) toolCall() ToolCall {
	return ToolCall{Name: m.text("tool_name"), ID: m.text("tool_use_id"), Input: m.object("tool_input"),
		Response: m["tool_response"]}
}

// payload is an agent's payload in the terms of Claude Code. All payloads are translated into it,
// so that the rest of the package deals with one form.
type payload struct {
	raw     members // as the agent sent it: members that mean the same for all agents are read from it
	agent   string  // the agent that called
	name    string  // the agent's name of the event, which the answer has to repeat
	event   string  // Claude Code's name of the event, "" if it has no such event
	prompt  string
	source  string
	dropped bool // the agent drops the answer, although the event takes text
	tool    ToolCall
	toolDir string // where the tool ran, if not in the working folder
}

// canonical translates an agent's payload into the terms of Claude Code. Each member is read from
// whichever field the agent uses for it.
func canonical(agent string, raw members) *payload {
	p := &payload{raw: raw, agent: agent, name: raw.text("hook_event_name", "hookEventName"), prompt: raw.text("prompt"),
		source: raw.text("source")}
	_, submits := raw["submitted_prompt"].(string)
	p.event = agents.EventOf(agent, p.name).Canonical
	switch {
	case p.event == "SessionStart" && (raw.number("invocationNum") > 0 || raw.number("initialNumSteps") > 1):
		p.event = "PostToolBatch" // except for Antigravity's first request with only the prompt, which is a start
	case p.event == "SessionStart" && (p.source == "" || p.source == "new"):
		p.source = "startup"
	// without this text, Qwen Code itself continues a turn
	case p.event == "UserPromptSubmit" && submits:
		if p.prompt = raw.text("submitted_prompt"); p.prompt == "" {
			p.event = ""
		}
	case agent == "opencode":
		p.prompt = unquoted(p.prompt)
	}
	p.readCall()
	p.dropped = p.dropped || p.event == "Stop" && raw.flag("stop_hook_active") // it was already said before the turn continued
	switch p.event {
	case "PostToolUse":
		if text, plain := p.tool.Response.(string); plain && p.tool.Name == "Bash" && onlyMissing(text) {
			p.tool.Failed, p.tool.Problem = true, text // Codex tells what a command printed, but not how it ended
		}
	case "PostToolUseFailure":
		p.tool.Failed, p.tool.Problem = true, cmp.Or(p.tool.Problem, raw.text("error"), output(raw["error"]))
		if raw.flag("is_interrupt") {
			p.tool.why = event.FailOther
		}
	}
	return p
}

// folder returns where the tool ran. The agent may give it relative to the working folder.
func (p *payload) folder() string {
	cwd := cmp.Or(slices.Concat(p.raw.texts("cwd"), p.raw.texts("workspace_roots"), p.raw.texts("workspacePaths"))...)
	dir := index.Slash(p.toolDir)
	switch {
	case dir == "":
		return cwd
	case index.IsAbs(dir):
		return p.toolDir
	}
	return path.Join(index.Slash(cwd), dir)
}

// when returns the time in the payload, or now if that time cannot be right.
func (p *payload) when(now time.Time) time.Time {
	at := timeOf(p.raw["timestamp"])
	if d := now.Sub(at); at.IsZero() || d.Abs() > 2*time.Minute {
		return now
	}
	return at
}

// caller returns the agent that really runs a hook that was installed for another one. VS Code also
// runs the settings of Copilot and Claude Code, and Copilot and Cursor run those of Claude Code.
// They send payloads of their own and want answers in their own form. The payload decides first,
// because the environment may come from a terminal inside of another agent.
func caller(agent string, raw members, env map[string]string) string {
	switch {
	case raw.text("hookEventName") != "" && (agent == "claude" || agent == "copilot"):
		return "vscode" // Copilot has no such member
	case agent != "claude":
		return agent
	case raw.text("cursor_version") != "":
		return "cursor"
	case raw.object("tool_result").text("result_type") != "", raw.text("sessionId", "toolName") != "":
		return "copilot"
	case raw.text("prompt_id") != "", env["CLAUDECODE"] != "":
		return agent
	case env["CURSOR_VERSION"] != "":
		return "cursor"
	case raw.text("transcript_path") == "" && (raw.text("timestamp") != "" || env["COPILOT_CLI"] != ""):
		return "copilot" // Claude Code always names its transcript and never the time
	}
	return agent
}

// problemText returns the message of a failure from a value that is a text, or an object with a
// message; "" if none exists.
func problemText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		return cmp.Or(members(v).text("message", "error", "type"), "failed")
	}
	return ""
}

// parseArguments reads arguments from an object, or from a text that contains one.
func parseArguments(v any) (in members, text string) {
	switch v := v.(type) {
	case map[string]any:
		return v, ""
	case string:
		_ = json.Unmarshal([]byte(v), &in) // it may be no JSON
		return in, v
	}
	return nil, ""
}

// output returns the text of a tool's result, whatever its form: a text, {stdout, stderr},
// {content}, {filenames}, or a list of {type: text, text} blocks. It may stop after maxOutput
// bytes, because no more are used.
func output(v any) string {
	var b strings.Builder
	line := func(s string) {
		if s != "" && b.Len() < maxOutput {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(s)
		}
	}
	switch v := v.(type) {
	case string:
		line(v)
	case []any:
		for _, block := range v {
			if o, ok := block.(map[string]any); ok {
				line(members(o).text("text", "content"))
			} else {
				text, _ := block.(string)
				line(text)
			}
		}
	case map[string]any:
		o := members(v)
		for _, name := range o.texts("filenames") {
			line(name)
		}
		for _, k := range []string{"stdout", "stderr", "output", "result", "text"} {
			line(o.text(k))
		}
		if _, nested := o["content"].(map[string]any); !nested {
			line(output(o["content"]))
		}
	}
	return event.Clip(b.String(), maxOutput)
}
