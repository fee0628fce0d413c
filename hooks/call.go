package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/redact"
)

// Limits of the input. Longer input is cut, never refused.
const (
	maxCommand = 64 << 10 // bytes of a command or a pattern
	maxOutput  = 30 << 10 // bytes of a tool's output that are searched for paths
	maxPrompt  = 64 << 10 // bytes of a prompt
	maxBatch   = 256      // calls of one batch that are decoded
)

// ErrAgent means that there is no agent with this name.
var ErrAgent = errors.New("unknown agent")

// ErrPayload means that a payload is not a JSON object.
var ErrPayload = errors.New("not a JSON object")

// Repo has what decoding needs to know about the repository. Functions other than Now, and Tree, may be
// nil.
type Repo struct {
	Root    event.Root            // the daemon's worktree, with symlinks resolved
	Roots   []event.Root          // further worktrees; a path below any of them is the same event.Path
	Tree    *index.Tree           // the files that may be named
	Now     func() time.Time      // the time of events that do not carry their own
	Ignored func(event.Path) bool // reports files that must not enter the log
	Tags    TagRules              // the user's own rules for tags
	// Written returns those of the files whose present content git does not have. If nil, none are
	// known.
	Written func([]event.Path) []event.Path
}

// Locator returns a Locator for calls that were made in a working folder.
func (r Repo) Locator(cwd string) *index.Locator {
	return index.NewLocator(r.Tree, r.Ignored, cwd, append([]event.Root{r.Root}, r.Roots...)...)
}

// Call is one call of a hook: what happened (Events), and the question that goes with it (Query).
type Call struct {
	Agent    string        // the agent that called; it may run settings that were made for the one given to Decode
	Event    string        // the agent's name of the event, "" if none exists
	Session  string        // the agent's session id; state is kept per Session and Subagent
	Subagent string        // set only inside a subagent
	Events   []event.Event // events to log, in order; may be empty
	Query    *event.Query  // nil if there is nothing to answer

	Next    event.Path `json:",omitempty"` // the file that the call is about to change
	Dropped bool       `json:",omitempty"` // the agent drops the answer, although the event takes text
}

// Start returns how a session begins with this call: "startup", "resume", "clear", "compact",
// "fork", or another word of the agent. ok is false if no session begins.
func (c Call) Start() (how string, ok bool) {
	for _, e := range c.Events {
		if s, ok := e.Body.(event.Start); ok {
			return s.Source, true
		}
	}
	return "", false
}

// TakesText reports whether text given now reaches the agent's model and costs nothing but its
// tokens; at some events it would cost a further request. If it is false, the text may wait for the
// next event at which it is true.
func (c Call) TakesText() bool {
	e := agents.EventOf(c.Agent, c.Event)
	return e.Context != agents.None && !c.Dropped
}

// Decode reads the payload of an agent's hook: a JSON object, which may be cut at its end. Anything
// after the object is ignored. env has variables of the caller's environment (see caller), because
// Copilot and Cursor run hooks that were installed for Claude Code. Call.Agent is the agent that
// really called; the answer has to be in its form. Unknown events and fields give a Call without
// events. The error wraps ErrAgent or ErrPayload. It is only for the log, because a hook itself
// never fails.
func Decode(agent string, env map[string]string, payload []byte, r Repo) (Call, error) {
	if _, known := agents.Find(agent); !known {
		return Call{Agent: agent}, fmt.Errorf("decode hook payload: %w %q", ErrAgent, agent)
	}
	var raw members
	if err := decodeFirst(payload, &raw); err != nil {
		return Call{Agent: agent}, fmt.Errorf("decode %s hook payload of %d bytes: %w: %w", agent, len(payload), ErrPayload,
			err)
	}
	p := canonical(caller(agent, raw, env), raw)
	return p.call(r), nil
}

// decodeFirst reads the JSON object at the beginning of data. More may follow it, because the stdin
// of a hook is not always closed, and some callers write a line break or a second value. A number that
// is too large for its type does not spoil the other members.
func decodeFirst(data []byte, into *members) error {
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		return errors.New("it does not begin with a brace")
	}
	err := json.NewDecoder(bytes.NewReader(data)).Decode(into)
	if errors.Is(err, io.ErrUnexpectedEOF) { // the hook client cuts long payloads
		if whole := wholeMembers(data); len(whole) > len("{}") {
			err = json.Unmarshal(whole, into)
		}
	}
	if _, large := errors.AsType[*json.UnmarshalTypeError](err); large {
		return nil
	}
	return err
}

// call turns a payload into events and at most one question. Events that the switch does not list
// have nothing that learning could use: CwdChanged and the worktree events (every payload has its
// own cwd), FileChanged (the watcher sees saves), and the compactions (SessionStart follows with
// its source).
func (p *payload) call(r Repo) Call {
	s := &CallContext{Repo: r, Files: r.Locator(p.folder()), Agent: p.agent, Subagent: p.raw.text("agent_id"),
		Session: p.raw.text("conversation_id", "session_id", "sessionId", "conversationId"),
		Turn:    p.raw.text("prompt_id", "generation_id", "turn_id"), Time: p.when(r.Now())}
	c := Call{Agent: p.agent, Event: p.name, Session: s.Session, Subagent: s.Subagent, Dropped: p.dropped}
	switch p.event {
	case "UserPromptSubmit":
		c.Events, c.Query = s.Prompt(p.prompt)
	case "PreToolUse":
		c.Next = s.changes(p.tool)
		c.Query = s.next(p.tool)
	case "PostToolUse", "PostToolUseFailure":
		c.Events = s.Tool(p.tool)
		if p.event == "PostToolUse" && agents.EventOf(p.agent, "PreToolUse").Context == agents.None && agents.EventOf(p.agent,
			p.name).Context != agents.None {
			c.Query = s.next(p.tool) // this agent takes text for the model only now
		}
	case "PostToolBatch":
		calls, _ := p.raw["tool_calls"].([]any)
		c.Events = s.batch(calls)
	case "SessionStart":
		c.Events = s.border(p.source, event.Start{Source: p.source})
	case "SessionEnd":
		reason := problemText(p.raw["reason"])
		c.Events = s.border(reason, event.End{Reason: reason})
	case "Stop":
		if s.Session != "" && s.Subagent == "" {
			said := redact.Said(p.raw.text("last_assistant_message"))
			c.Events = []event.Event{s.event(fmt.Sprintf("stop:%s:%d", s.Session, s.Time.UnixMilli()), said)}
		}
	}
	return c
}

// border returns the event for the beginning or the end of a session. Agents give these no id, and
// deliver them twice if hooks are installed twice. Two within ten seconds get the same ID, so they
// count once.
func (s *CallContext) border(source string, b event.Body) []event.Event {
	if s.Session == "" {
		return nil
	}
	at := s.Time.Truncate(10 * time.Second).Unix()
	id := strings.Join([]string{string(b.Kind()), s.Session, s.Subagent, source, fmt.Sprint(at)}, ":")
	return []event.Event{s.event(id, b)}
}

// CallContext tells where and when calls were made: everything about them except the calls
// themselves.
type CallContext struct {
	Repo     Repo
	Files    *index.Locator // for the folder in which the calls were made
	Agent    string
	Session  string
	Subagent string
	Turn     string // the agent's id of the prompt
	Batch    string // the id of the first of several calls that were made together
	Past     bool   // read from a transcript, so today's files are not those of the call
	Time     time.Time
}

// event returns a new event of these calls. The same call may be delivered twice, by PostToolUse
// and PostToolBatch, by settings and a plugin, or by the hook and later by the transcript; its
// events then get the same IDs.
func (s *CallContext) event(id string, b event.Body) event.Event {
	return event.Event{ID: id, Time: s.Time, Agent: s.Agent, Session: s.Session, Subagent: s.Subagent, Turn: s.Turn,
		Body: redact.Identify(b)}
}

// Compacted returns the event for a session that continues after its conversation was summarized.
// id is the agent's.
func (s *CallContext) Compacted(id string) event.Event {
	return s.event("start:"+id, event.Start{Source: "compact"})
}

// mentions returns the files that a text names.
func (s *CallContext) mentions(text string, listing bool, dirs ...string) []event.Path {
	return s.Files.Mentions(event.Clip(text, maxOutput), listing, dirs...)
}

// store prepares a text for storing. It redacts before it cuts, so that no part of a cut secret
// remains. Every text leaves this package through it.
func store(s string, max int) string {
	return event.Clip(redact.Text(event.Clip(s, 4*max)), max)
}

// wholeMembers returns the complete members of a JSON object whose end was cut off, as an object.
func wholeMembers(data []byte) []byte {
	in := json.NewDecoder(bytes.NewReader(data))
	var open []byte   // the missing closing brackets, the outermost first
	whole := int64(0) // data[:whole] plus the missing brackets is an object
	for isKey := false; ; isKey = len(open) > 0 && open[len(open)-1] == '}' {
		token, err := in.Token()
		bracket, _ := token.(json.Delim)
		if isKey && err == nil && bracket == 0 { // without its value a key is not whole
			token, err = in.Token()
			bracket, _ = token.(json.Delim)
		}
		_, number := token.(float64)
		switch {
		case err != nil, number && in.InputOffset() == int64(len(data)): // a number may have had more digits
			slices.Reverse(open)
			return append(slices.Clone(data[:whole]), open...)
		case bracket == '{' || bracket == '[':
			open = append(open, byte(bracket)+2) // '}' and ']' follow two after '{' and '['
		case bracket != 0:
			open = open[:len(open)-1]
		}
		if whole = in.InputOffset(); len(open) == 0 {
			return data[:whole]
		}
	}
}
