package hooks

import (
	"errors"
	"fmt"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Bounds of what is looked at. Longer input is cut, never refused.
const (
	maxCommand = 64 << 10 // bytes of a shell command that are parsed
	maxOutput  = 30 << 10 // bytes of a tool's output that are searched for paths
	maxPrompt  = 64 << 10 // bytes of a prompt that are looked at
	maxBatch   = 256      // calls of one batch that are decoded
)

// ErrAgent says that no decoder speaks this agent's language.
var ErrAgent = errors.New("unknown agent")

// ErrPayload says that a payload is not a JSON object.
var ErrPayload = errors.New("not a JSON object")

// Repo is what decoding needs to know of the repository. The zero value knows no file; nil functions and a
// nil Tree are allowed.
type Repo struct {
	Root    event.Root            // the worktree of the daemon, symlinks resolved
	Roots   []event.Root          // further worktrees: a path in any of them is the same event.Path
	Tree    *index.Tree           // the files that may be named
	Now     func() time.Time      // time of events that do not carry their own
	Ignored func(event.Path) bool // files that must not enter the log
	Tags    TagRules              // the user's own tags
}

// Call is one delivery of a hook: what it tells (Events) and what it asks (Query).
type Call struct {
	Agent    string        // that called: as given to Decode, or the one that runs its settings
	Event    string        // the agent's name of the event, "" if it has none
	Session  string        // the agent's session id; state is kept per Session and Subagent
	Subagent string        // set only inside a subagent
	Cwd      string        // as the agent sent it
	Events   []event.Event // to be logged, in order; may be empty
	Query    *event.Query  // nil: nothing to answer
	Kind     string        // the kind of hint that Query asks for: "prompt" or "next"

	Asked *event.Asked `json:",omitempty"` // what begins a turn: a prompt, or a session that goes on
	Steps []event.Step `json:",omitempty"` // the calls told of, with what it takes to do them again
	Next  event.Path   `json:",omitempty"` // the file that a call is about to change
	Over  string       `json:",omitempty"` // what ended: "turn" or "session"; "" if nothing did
	Deaf  bool         `json:",omitempty"` // what is answered here is dropped, though the event has a channel
	Again bool         `json:",omitempty"` // the turn that ends went on only because of a hook
}

// Start is how a session begins with this call: "startup", "resume", "clear", "compact", "fork", or another word of the agent;
// ok is false when none begins.
func (c Call) Start() (how string, ok bool) {
	for _, e := range c.Events {
		if e.Kind == event.KindStart {
			return e.Tool, true
		}
	}
	return "", false
}

// Decode reads one payload of an agent's hook: a JSON object, or from "git" the words of the hook (see GitHook).
// Unknown events and fields give a Call without events. The error wraps ErrAgent or ErrPayload; it is for the log:
// a hook itself never fails. Only the first JSON value of payload is read.
func Decode(agent string, payload []byte, r Repo) (Call, error) {
	return DecodeFrom(agent, nil, payload, r)
}

// DecodeFrom is Decode for a caller whose environment is known in part (see caller): Copilot and Cursor run hooks
// that were entered for Claude Code. Call.Agent is the agent that really called, and whose form an answer needs.
func DecodeFrom(agent string, env map[string]string, payload []byte, r Repo) (Call, error) {
	if agent == "git" {
		return decodeGit(payload)
	}
	if translators[agent] == nil {
		return Call{Agent: agent}, fmt.Errorf("decode hook payload: %w %q", ErrAgent, agent)
	}
	in, err := first(payload)
	if err != nil {
		return Call{Agent: agent}, fmt.Errorf("decode %s hook payload of %d bytes: %w: %w", agent, len(payload), ErrPayload, err)
	}
	agent = caller(agent, in, env)
	return listen(agent, translators[agent](in), r), nil
}

// scene is where and when a tool call happened: everything about it that is not the call itself.
type scene struct {
	repo     Repo
	place    *place
	agent    string
	session  string
	subagent string
	turn     string
	batch    string
	past     bool // told by a transcript: the tree of today is not that of the call
	at       time.Time
}

func (r Repo) now() time.Time {
	if r.Now == nil {
		return time.Time{}
	}
	return r.Now()
}

// event is a new event of this scene. IDs repeat when the same happening is told twice: by PostToolUse and
// PostToolBatch, by settings and a plugin, by the hook and later by the transcript.
func (s *scene) event(id string, kind event.Kind) event.Event {
	return event.Event{ID: id, Time: s.at, Kind: kind, Agent: s.agent, Session: s.session,
		Subagent: s.subagent, Turn: s.turn, Batch: s.batch}
}

// keep drops what must not be stored: ignored files, doubles, and what exceeds n.
func (s *scene) keep(ps []event.Path, n int) []event.Path {
	var out []event.Path
	seen := make(map[event.Path]bool, len(ps))
	for _, p := range ps {
		if p == "" || seen[p] || len(out) >= n || s.ignored(p) {
			continue
		}
		seen[p] = true
		out = append(out, p)
	}
	return out
}

func (s *scene) ignored(p event.Path) bool { return s.repo.Ignored != nil && s.repo.Ignored(p) }

func (s *scene) has(p event.Path) bool { return s.repo.Tree != nil && s.repo.Tree.Has(p) }
