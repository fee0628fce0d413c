package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// ErrAgent says that no agent has that name.
var ErrAgent = errors.New("unknown agent")

// ErrPayload says that a payload is not a JSON object.
var ErrPayload = errors.New("not a JSON object")

// Repo has what decoding needs to know of the repository. The zero value knows no file; nil
// functions and a nil Tree are allowed.
type Repo struct {
	Root    event.Root            // the worktree of the daemon, symlinks resolved
	Roots   []event.Root          // further worktrees: a path in any of them is the same event.Path
	Tree    *index.Tree           // the files that may be named
	Now     func() time.Time      // time of events that do not carry their own
	Ignored func(event.Path) bool // files that must not enter the log
	Tags    TagRules              // the user's own tags
	// Written returns those of the files whose content on disk git does not have, now; nil: no file
	// is known to be such
	Written func([]event.Path) []event.Path
}

// Locator finds the files of the repository for calls made in a working folder.
func (r Repo) Locator(cwd string) *index.Locator {
	return index.NewLocator(r.Tree, r.Ignored, cwd, append([]event.Root{r.Root}, r.Roots...)...)
}

func (r Repo) now() time.Time {
	if r.Now == nil {
		return time.Time{}
	}
	return r.Now()
}

// Call is one delivery of a hook: what happened (Events) and the question that goes with it
// (Query).
type Call struct {
	Agent    string        // that called: as given to Decode, or the one that runs its settings
	Event    string        // the agent's name of the event, "" if it has none
	Session  string        // the agent's session id; state is kept per Session and Subagent
	Subagent string        // set only inside a subagent
	Events   []event.Event // to be logged, in order; may be empty
	Query    *event.Query  // nil: nothing to answer
	Kind     string        // the kind of hint that Query asks for: "prompt" or "next"

	Next    event.Path `json:",omitempty"` // the file that a call is about to change
	Dropped bool       `json:",omitempty"` // the agent drops what is answered here, though the event takes text
}

// Start is how a session begins with this call: "startup", "resume", "clear", "compact", "fork", or
// what else the agent calls it; ok is false when none begins.
func (c Call) Start() (how string, ok bool) {
	for _, e := range c.Events {
		if s, ok := e.Body.(event.Start); ok {
			return s.Source, true
		}
	}
	return "", false
}

// TakesText reports whether text given now reaches the agent's model for no more than its tokens.
// Where it does not, the text may wait for the next event that does.
func (c Call) TakesText() bool {
	e := agents.EventOf(c.Agent, c.Event)
	return e.Context != agents.None && !c.Dropped
}

// Decode reads one payload of an agent's hook: a JSON object, which may be cut at its end; what
// follows it is not read. env is what is known of the caller's environment (see caller): Copilot
// and Cursor run hooks that were installed for Claude Code, and Call.Agent is the agent that really
// called, whose form an answer needs. Unknown events and fields give a Call without events. The
// error wraps ErrAgent or ErrPayload; it is for the log: a hook itself never fails.
func Decode(agent string, env map[string]string, payload []byte, r Repo) (Call, error) {
	if _, known := agents.Find(agent); !known {
		return Call{Agent: agent}, fmt.Errorf("decode hook payload: %w %q", ErrAgent, agent)
	}
	var raw rawPayload
	if err := decodeFirst(payload, &raw); err != nil {
		return Call{Agent: agent}, fmt.Errorf("decode %s hook payload of %d bytes: %w: %w", agent, len(payload), ErrPayload,
			err)
	}
	p := canonical(caller(agent, &raw, env), &raw)
	return p.call(r), nil
}

// decodeFirst reads the JSON object at the start of data: stdin of a hook is not always closed, and
// some callers write a line break or a second value after it. A field of the wrong type is left
// empty: agents change the types of their payloads without notice, and one surprising field must
// not cost the other twenty.
func decodeFirst(data []byte, into any) error {
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		return errors.New("it does not begin with a brace")
	}
	err := json.NewDecoder(bytes.NewReader(data)).Decode(into)
	if errors.Is(err, io.ErrUnexpectedEOF) { // the hook client cuts what is long
		if whole := wholeMembers(data); len(whole) > len("{}") {
			err = json.Unmarshal(whole, into)
		}
	}
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return nil
	}
	return err
}

// call makes events, and at most one question, of a payload. What is not listed in the switch says
// nothing that learning could use: CwdChanged and the worktree events (every payload has its own
// cwd), FileChanged (the watcher sees saves), and the compactions (SessionStart follows with its
// source).
func (p *payload) call(r Repo) Call {
	c := Call{Agent: p.agent, Event: p.name, Session: p.session, Subagent: p.subagent, Dropped: p.dropped}
	s := &CallContext{Repo: r, Files: r.Locator(p.folder()), Agent: p.agent, Session: p.session, Subagent: p.subagent,
		Turn: p.turn,
		Time: p.when(r.now())}
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
			c.Query = s.next(p.tool) // the model of this agent can get text only now
		}
	case "PostToolBatch":
		c.Events = s.batch(p.calls)
	case "SessionStart":
		c.Events = s.border(p.source, event.Start{Source: p.source})
	case "SessionEnd":
		c.Events = s.border(p.reason, event.End{Reason: p.reason})
	case "Stop":
		if s.Session != "" && s.Subagent == "" {
			c.Events = []event.Event{s.event(fmt.Sprintf("stop:%s:%d", s.Session, s.Time.UnixMilli()), redact.Said(p.said))}
		}
	}
	if c.Query != nil {
		if c.Kind = HintNext; c.Query.Task == event.TaskPrompt {
			c.Kind = HintPrompt
		}
	}
	return c
}

// border is the beginning or the end of a session. Agents give these no id and deliver them twice
// when they are installed twice: within ten seconds it is the same one.
func (s *CallContext) border(source string, b event.Body) []event.Event {
	if s.Session == "" {
		return nil
	}
	at := s.Time.Truncate(10 * time.Second).Unix()
	id := strings.Join([]string{string(b.Kind()), s.Session, s.Subagent, source, fmt.Sprint(at)}, ":")
	return []event.Event{s.event(id, b)}
}
