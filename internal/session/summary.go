package session

import (
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Limits of a summary.
const (
	recentKept   = 3 // commands
	filesKept    = 8 // files opened, and the same number of files edited
	commandFiles = 4 // files of one command
)

// Summary is what remains of a session after it is over: what people see in lists, and what is
// needed to resume it. It has names of files and tools, counts and times, but no text.
type Summary struct {
	ID       string       `json:"id"`
	Agent    string       `json:"agent,omitempty"`
	State    State        `json:"state"`
	Started  time.Time    `json:"started"`
	Last     time.Time    `json:"last"`             // time of its newest event
	Turns    int          `json:"turns"`            // number of prompts
	Commands int          `json:"commands"`         // number of prompts, tool calls and stages
	Resumed  int          `json:"resumed"`          // how often it was resumed
	Tokens   int64        `json:"tokens"`           // tokens of its pipelines and hints
	Recent   []Command    `json:"recent,omitempty"` // the last three, the newest last
	Files    []event.Path `json:"files,omitempty"`  // the files opened last, the newest first
	Edited   []event.Path `json:"edited,omitempty"` // the files changed last, the newest first
	SetBy    string       `json:"-" cbor:"set_by"`  // id of the event that set its state last
}

// Command is one prompt or tool call, without its text.
type Command struct {
	At    time.Time    `json:"at"`
	Kind  event.Kind   `json:"kind"`
	Tool  string       `json:"tool,omitempty"`
	Files []event.Path `json:"files,omitempty"`
	OK    bool         `json:"ok"`
}

// summarized reports whether events of the kind change a summary.
func summarized(k event.Kind) bool {
	switch k {
	case event.KindPrompt, event.KindRead, event.KindEdit, event.KindWrite, event.KindSearch, event.KindRun,
		event.KindFailed, event.KindStart, event.KindEnd, event.KindHint, event.KindState:
		return true
	}
	return false
}

// add applies one event of the session.
func (s *Summary) add(e event.Event) {
	fresh := s.Started.IsZero()
	if fresh || e.Time.Before(s.Started) {
		s.Started = e.Time
	}
	if e.Time.After(s.Last) {
		s.Last = e.Time
	}
	switch b := e.Body.(type) {
	case event.Start:
		if s.Commands > 0 && b.Source != "compact" && b.Source != "clear" {
			s.Resumed++
		}
		s.State = Active
	case event.End:
		s.State = Paused
	case event.Hint:
		if b.Status == Shown {
			s.Tokens += int64(b.Tokens)
		}
	case event.State:
		s.Tokens += int64(max(b.Tokens, 0))
		if b.Name == "" {
			return
		}
		if s.State, s.SetBy = State(b.Name), e.ID; s.State == Active && !fresh {
			s.Resumed++
		}
	case event.Prompt, event.Call:
		s.addCommand(e)
	}
}

func (s *Summary) addCommand(e event.Event) {
	s.Commands++
	if e.Kind() == event.KindPrompt {
		s.Turns++
	}
	if s.State != Active {
		s.State, s.Resumed = Active, s.Resumed+1 // it continues, whatever its state was
	}
	c := Command{At: e.Time, Kind: e.Kind(), Tool: e.Call().Tool, OK: e.Call().OK(),
		Files: slices.Clone(e.Paths()[:min(len(e.Paths()), commandFiles)])}
	s.Recent = append(s.Recent, c)
	s.Recent = s.Recent[max(0, len(s.Recent)-recentKept):]
	if e.Opens() {
		s.Files = newestFirst(s.Files, e.Paths())
	}
	if e.Edits() {
		s.Edited = newestFirst(s.Edited, e.Paths())
	}
}

// newestFirst puts paths in front of a list, with each path once.
func newestFirst(list, paths []event.Path) []event.Path {
	out := slices.Clone(paths[:min(len(paths), filesKept)])
	slices.Reverse(out)
	for _, p := range list {
		if len(out) < filesKept && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

func (s *Summary) clone() Summary {
	out := *s
	out.Recent, out.Files, out.Edited = slices.Clone(s.Recent), slices.Clone(s.Files), slices.Clone(s.Edited)
	return out
}
