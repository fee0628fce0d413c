package hooks

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/aoa"
)

// decodeClaude reads the hook input of Claude Code; Codex sends nearly the same. What is not listed in the
// switch tells nothing that learning could use: CwdChanged and the worktree events (every payload has its own
// cwd), FileChanged (the watcher sees saves), Stop and the compactions (SessionStart follows with its source).
func decodeClaude(agent string, payload []byte, r Repo) (Call, error) {
	c := Call{Agent: agent}
	in, err := first(payload)
	if err != nil {
		return c, fmt.Errorf("decode %s hook payload of %d bytes: %w: %w", agent, len(payload), ErrPayload, err)
	}
	c.Event, c.Session, c.Subagent, c.Cwd = in.text("hook_event_name"), in.text("session_id"), in.text("agent_id"), in.text("cwd")
	s := &scene{repo: r, place: newPlace(r, c.Cwd), agent: agent, session: c.Session, subagent: c.Subagent,
		turn: in.text("prompt_id", "turn_id"), at: r.now()}
	switch c.Event {
	case "UserPromptSubmit":
		text := in.text("prompt")
		c.Events, c.Query = s.prompt(text, promptID(s.turn, c.Session, text, s.at))
		if c.Query != nil {
			c.Kind = "prompt"
		}
	case "PreToolUse":
		if c.Query = s.next(in); c.Query != nil {
			c.Kind = "next"
		}
	case "PostToolUse", "PostToolUseFailure", "PermissionDenied":
		c.Events = s.tool(toolCallOf(in, c.Event))
	case "PostToolBatch":
		c.Events = s.toolBatch(in.list("tool_calls"))
	case "SessionStart":
		c.Events = s.border(aoa.KindStart, in.text("source"))
	case "SessionEnd":
		c.Events = s.border(aoa.KindEnd, in.text("reason"))
	}
	return c, nil
}

// next is the question before a file is opened: which one comes after it?
func (s *scene) next(in object) *aoa.Query {
	switch in.text("tool_name") {
	case "Read", "Edit", "Write", "MultiEdit", "NotebookEdit":
	default:
		return nil
	}
	p, ok := s.place.file(in.object("tool_input").text("file_path", "notebook_path"), "")
	if !ok {
		return nil
	}
	return &aoa.Query{Moment: aoa.MomentOpen, Session: s.session, Subagent: s.subagent, Current: p}
}

// border is the beginning or the end of a session. Agents give these no id and tell them twice when they are
// installed twice: within ten seconds it is the same one.
func (s *scene) border(kind aoa.Kind, source string) []aoa.Event {
	if s.session == "" {
		return nil
	}
	at := s.at.Truncate(10 * time.Second).Unix()
	e := s.event(strings.Join([]string{string(kind), s.session, s.subagent, source, strconv.FormatInt(at, 10)}, ":"), kind)
	e.Tool, e.OK = source, true
	return []aoa.Event{e}
}

// toolCallOf reads the call that a tool event is about.
func toolCallOf(in object, event string) toolCall {
	c := toolCall{name: in.text("tool_name"), id: in.text("tool_use_id"), input: in.object("tool_input"), response: in["tool_response"]}
	switch event {
	case "PostToolUseFailure":
		c.failed, c.problem = true, in.text("error")
		if c.problem == "" {
			c.problem = output(in["error"])
		}
		if in.flag("is_interrupt") {
			c.why = "other"
		}
	case "PermissionDenied":
		c.failed, c.problem, c.why = true, in.text("reason"), "denied"
	}
	return c
}

// toolBatch reads the calls that were made together. Most were told before and fall away by their ids; an Edit
// that failed is told only here, as a text that begins with an error.
func (s *scene) toolBatch(calls []json.RawMessage) []aoa.Event {
	var out []aoa.Event
	if len(calls) > maxBatch {
		calls = calls[:maxBatch]
	}
	for i, raw := range calls {
		c := toolCallOf(parse(raw), "PostToolBatch")
		if i == 0 && len(calls) > 1 {
			s.batch = c.id
		}
		if text := output(c.response); failedText(text) {
			c.failed, c.problem = true, text
		}
		out = append(out, s.tool(c)...)
	}
	return out
}
