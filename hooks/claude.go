package hooks

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// listen makes events, and at most one question, of what an agent told. What is not listed in the switch tells
// nothing that learning could use: CwdChanged and the worktree events (every payload has its own cwd), FileChanged
// (the watcher sees saves), and the compactions (SessionStart follows with its source). Stop only ends a turn.
func listen(agent string, t told, r Repo) Call {
	in := t.in
	c := Call{Agent: agent, Event: t.name, Session: in.text("session_id"), Subagent: in.text("agent_id"), Cwd: in.text("cwd"), Deaf: t.deaf}
	s := &scene{repo: r, place: newPlace(r, t.folder()), agent: agent, session: c.Session, subagent: c.Subagent,
		turn: in.text("prompt_id", "turn_id"), at: t.when(r.now())}
	switch t.event {
	case "UserPromptSubmit":
		text := in.text("prompt")
		c.Events, c.Query = s.prompt(text, promptID(s.turn, c.Session, text, s.at))
		if c.Query != nil {
			c.Kind = HintPrompt
		}
		c.Asked = s.asked(text, c.Events)
	case "PreToolUse":
		c.Next = s.changes(in)
		if c.Query = s.next(in); c.Query != nil {
			c.Kind = HintNext
		}
	case "PostToolUse", "PostToolUseFailure", "PermissionDenied":
		call := toolCallOf(in, t.event)
		c.Events = s.tool(call)
		c.Steps = s.steps(call, c.Events)
		if t.event == "PostToolUse" && !Speaks(agent, "PreToolUse") && Speaks(agent, t.name) {
			// The model of this agent can be told something only now.
			if c.Query = s.next(in); c.Query != nil {
				c.Kind = HintNext
			}
		}
	case "PostToolBatch":
		c.Events = s.toolBatch(in.list("tool_calls"))
	case "SessionStart":
		c.Events = s.border(event.KindStart, in.text("source"))
		c.Asked = s.resumed(in.text("source"), c.Events)
	case "SessionEnd":
		c.Events, c.Over = s.border(event.KindEnd, in.text("reason")), "session"
	case "Stop":
		c.Over, c.Again = "turn", in.flag("stop_hook_active")
	}
	return c
}

// when is the time that the payload tells, if it can be right.
func (t told) when(now time.Time) time.Time {
	if d := now.Sub(t.at); t.at.IsZero() || d > 2*time.Minute || d < -2*time.Minute {
		return now
	}
	return t.at
}

// next is the question when a file is opened: which one comes after it?
func (s *scene) next(in object) *event.Query {
	input := in.object("tool_input")
	p, ok := event.Path(""), false
	switch name := in.text("tool_name"); name {
	case "Read", "Edit", "Write", "MultiEdit", "NotebookEdit":
		p, ok = s.place.file(input.text("file_path", "notebook_path"), "")
	case "apply_patch", "Bash":
		if s.agent == "claude" {
			return nil // it has tools for single files, and is asked there
		}
		p, ok = s.opened(toolCall{name: name, id: "next", input: input})
	}
	if !ok {
		return nil
	}
	return &event.Query{Task: event.TaskNext, Session: s.session, Subagent: s.subagent, Current: p}
}

// opened is the first known file that a command or a patch opens.
func (s *scene) opened(c toolCall) (event.Path, bool) {
	for _, e := range s.tool(c) {
		if e.Kind.Open() && len(e.Paths) > 0 && s.has(e.Paths[0]) {
			return e.Paths[0], true
		}
	}
	return "", false
}

// border is the beginning or the end of a session. Agents give these no id and tell them twice when they are
// installed twice: within ten seconds it is the same one.
func (s *scene) border(kind event.Kind, source string) []event.Event {
	if s.session == "" {
		return nil
	}
	at := s.at.Truncate(10 * time.Second).Unix()
	e := s.event(strings.Join([]string{string(kind), s.session, s.subagent, source, strconv.FormatInt(at, 10)}, ":"), kind)
	e.Tool, e.OK = source, true
	return []event.Event{e}
}

// toolCallOf reads the call that a tool event is about.
func toolCallOf(in object, ev string) toolCall {
	c := toolCall{name: in.text("tool_name"), id: in.text("tool_use_id"), input: in.object("tool_input"), response: in["tool_response"]}
	switch ev {
	case "PostToolUse":
		if text, plain := stringOf(c.response); plain && c.name == "Bash" && onlyMissing(text) {
			c.failed, c.problem = true, text // Codex tells what a command printed, not how it ended
		}
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
func (s *scene) toolBatch(calls []json.RawMessage) []event.Event {
	var out []event.Event
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
