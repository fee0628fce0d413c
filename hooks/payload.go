package hooks

import (
	"cmp"
	"encoding/json"
	"path"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// rawPayload has all fields that occur in agents' payloads. No payload has all of them. A field
// that may be a text or an object has the type any.
type rawPayload struct {
	Event        string   `json:"hook_event_name"`
	EventCamel   string   `json:"hookEventName"`
	Session      string   `json:"session_id"`
	SessionCamel string   `json:"sessionId"`
	Conversation string   `json:"conversation_id"`
	Subagent     string   `json:"agent_id"`
	Cwd          string   `json:"cwd"`
	Workspaces   []string `json:"workspace_roots"`
	// Antigravity CLI:
	ConversationCamel string   `json:"conversationId"`
	WorkspacesCamel   []string `json:"workspacePaths"`
	Invocation        *int     `json:"invocationNum"`
	Steps             int      `json:"initialNumSteps"`
	ToolCall          struct {
		Name string    `json:"name"`
		Args arguments `json:"args"`
	} `json:"toolCall"`
	PromptID      string  `json:"prompt_id"`
	Generation    string  `json:"generation_id"`
	Turn          string  `json:"turn_id"`
	Prompt        string  `json:"prompt"`
	Submitted     *string `json:"submitted_prompt"`
	Source        string  `json:"source"`
	Reason        any     `json:"reason"`
	Timestamp     any     `json:"timestamp"`
	Transcript    string  `json:"transcript_path"`
	CursorVersion string  `json:"cursor_version"`

	rawCall
	ToolCamel    string    `json:"toolName"`
	CallID       string    `json:"tool_call_id"`
	Args         any       `json:"toolArgs"`
	Output       any       `json:"tool_output"`
	Result       any       `json:"tool_result"`
	ResultCamel  any       `json:"toolResult"`
	Error        any       `json:"error"`
	ErrorMessage any       `json:"error_message"`
	FailureType  any       `json:"failure_type"`
	Interrupted  bool      `json:"is_interrupt"`
	Calls        []rawCall `json:"tool_calls"`
	Stopped      bool      `json:"stop_hook_active"` // a hook has continued a turn that was about to end
	Said         string    `json:"last_assistant_message"`
}

// rawCall is a tool call in the form of Claude Code's payloads.
type rawCall struct {
	Tool     string `json:"tool_name"`
	ID       string `json:"tool_use_id"`
	Input    any    `json:"tool_input"`
	Response any    `json:"tool_response"`
}

func (c rawCall) toolCall() ToolCall {
	input, _ := c.Input.(map[string]any)
	return ToolCall{Name: c.Tool, ID: c.ID, Input: input, Response: c.Response}
}

// payload is an agent's payload in the terms of Claude Code. All payloads are translated into it,
// so that the rest of the package deals with one form.
type payload struct {
	agent    string // the agent that called
	name     string // the agent's name of the event, which the answer has to repeat
	event    string // Claude Code's name of the event, "" if it has no such event
	session  string
	subagent string
	turn     string
	cwd      string
	prompt   string
	said     string // at the end of a turn: the last message of the agent
	source   string
	reason   string
	dropped  bool // the agent drops the answer, although the event takes text
	at       time.Time
	tool     ToolCall
	toolDir  string // where the tool ran, if not in cwd
	calls    []rawCall
}

// firstValue returns the first value that is neither nil nor "".
func firstValue(values ...any) any {
	for _, v := range values {
		if v != nil && v != "" {
			return v
		}
	}
	return nil
}

// canonical translates an agent's payload into the terms of Claude Code. Each member is read from
// whichever field the agent uses for it.
func canonical(agent string, raw *rawPayload) *payload {
	cwd := append(append([]string{raw.Cwd}, raw.Workspaces...), raw.WorkspacesCamel...)
	p := &payload{agent: agent, name: cmp.Or(raw.Event, raw.EventCamel), subagent: raw.Subagent, cwd: cmp.Or(cwd...),
		session: cmp.Or(raw.Conversation, raw.Session, raw.SessionCamel, raw.ConversationCamel),
		turn:    cmp.Or(raw.PromptID, raw.Generation, raw.Turn), prompt: raw.Prompt, said: raw.Said, source: raw.Source,
		reason: problemText(raw.Reason), calls: raw.Calls, at: timeOf(raw.Timestamp)}
	p.event = agents.EventOf(agent, p.name).Canonical
	switch {
	case p.event == "SessionStart" && raw.Invocation != nil && (*raw.Invocation > 0 || raw.Steps > 1):
		p.event = "PostToolBatch" // except for Antigravity's first request with only the prompt, which is a start
	case p.event == "SessionStart" && (p.source == "" || p.source == "new"):
		p.source = "startup"
	// without this text, Qwen Code itself continues a turn
	case p.event == "UserPromptSubmit" && raw.Submitted != nil:
		if p.prompt = *raw.Submitted; p.prompt == "" {
			p.event = ""
		}
	case agent == "opencode":
		p.prompt = unquoted(p.prompt)
	}
	p.readCall(raw)
	p.dropped = p.dropped || p.event == "Stop" && raw.Stopped // it was already said before the turn continued
	switch p.event {
	case "PostToolUse":
		if text, plain := p.tool.Response.(string); plain && p.tool.Name == "Bash" && onlyMissing(text) {
			p.tool.Failed, p.tool.Problem = true, text // Codex tells what a command printed, but not how it ended
		}
	case "PostToolUseFailure":
		p.tool.Failed, p.tool.Problem = true, cmp.Or(p.tool.Problem, firstText(raw.Error), output(raw.Error))
		if raw.Interrupted {
			p.tool.why = event.FailOther
		}
	}
	return p
}

// folder returns where the tool ran. The agent may give it relative to cwd.
func (p *payload) folder() string {
	if p.toolDir == "" {
		return p.cwd
	}
	if dir := index.Slash(p.toolDir); !index.IsAbs(dir) {
		return path.Join(index.Slash(p.cwd), dir)
	}
	return p.toolDir
}

// when returns the time in the payload, or now if that time cannot be right.
func (p *payload) when(now time.Time) time.Time {
	if d := now.Sub(p.at); p.at.IsZero() || d > 2*time.Minute || d < -2*time.Minute {
		return now
	}
	return p.at
}

// caller returns the agent that really runs a hook that was installed for another one. VS Code also
// runs the settings of Copilot and Claude Code, and Copilot and Cursor run those of Claude Code.
// They send payloads of their own and want answers in their own form. The payload decides first,
// because the environment may come from a terminal inside of another agent.
func caller(agent string, raw *rawPayload, env map[string]string) string {
	result, _ := raw.Result.(map[string]any)
	switch {
	case raw.EventCamel != "" && (agent == "claude" || agent == "copilot"):
		return "vscode" // Copilot names its events in one word or not at all
	case agent != "claude":
		return agent
	case raw.CursorVersion != "":
		return "cursor"
	case arguments(result).text("result_type") != "", raw.SessionCamel != "", raw.ToolCamel != "":
		return "copilot"
	case raw.PromptID != "", env["CLAUDECODE"] != "":
		return agent
	case env["CURSOR_VERSION"] != "":
		return "cursor"
	case raw.Transcript == "" && (firstText(raw.Timestamp) != "" || env["COPILOT_CLI"] != ""):
		return "copilot" // Claude Code always names its transcript and never the time
	}
	return agent
}

// firstText returns a value if it is a text, else "".
func firstText(v any) string {
	s, _ := v.(string)
	return s
}

// problemText returns the message of a failure from a value that is a text, or an object with a
// message; "" if none exists.
func problemText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		return cmp.Or(arguments(v).text("message", "error", "type"), "failed")
	}
	return ""
}

// arguments has the arguments of a tool call by name. They differ from tool to tool.
type arguments map[string]any

// text returns the text at the first of the keys that has one.
func (a arguments) text(keys ...string) string {
	for _, k := range keys {
		if s, ok := a[k].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// texts returns the list of texts at a key. A single text counts as a list of one.
func (a arguments) texts(key string) (out []string) {
	switch v := a[key].(type) {
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

func (a arguments) flag(key string) bool { return a[key] == true }

// number returns a whole number that is not negative, 0 for anything else.
func (a arguments) number(key string) int {
	f, _ := a[key].(float64)
	if n := int(f); n > 0 && float64(n) == f {
		return n
	}
	return 0
}

// parseArguments reads arguments from an object, or from a text that contains one.
func parseArguments(v any) (in arguments, text string) {
	switch v := v.(type) {
	case map[string]any:
		return v, ""
	case string:
		decodeValue(v, &in)
		return in, v
	}
	return nil, ""
}

// decodeValue parses a text as JSON. It returns false if it is not JSON or has another type.
func decodeValue(text string, into any) bool { return json.Unmarshal([]byte(text), into) == nil }

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
				line(arguments(o).text("text", "content"))
			} else {
				line(firstText(block))
			}
		}
	case map[string]any:
		o := arguments(v)
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
