package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// State of a session.
type State string

const (
	Active    State = "active"
	Paused    State = "paused" // it ended, or was paused: it can be resumed
	Completed State = "completed"
	Failed    State = "failed"
	Archived  State = "archived"
)

// Known reports whether there is such a state.
func (s State) Known() bool {
	switch s {
	case Active, Paused, Completed, Failed, Archived:
		return true
	}
	return false
}

// Bounds of a snapshot.
const (
	version      = 1
	recentKept   = 3 // commands
	filesKept    = 8 // files opened, and as many edited
	commandFiles = 4 // files of one command
	callsKept    = 16
)

// Snapshot is what is needed to resume a session. It has names of files and tools, counts and times, no text.
type Snapshot struct {
	ID       string       `json:"id"`
	Agent    string       `json:"agent,omitempty"`
	State    State        `json:"state"`
	Started  time.Time    `json:"started"`
	Last     time.Time    `json:"last"`             // of its newest event
	Turns    int          `json:"turns"`            // prompts
	Commands int          `json:"commands"`         // prompts, tool calls and stages
	Resumed  int          `json:"resumed"`          // how often it was resumed
	Tokens   int64        `json:"tokens"`           // of pipelines and hints
	Recent   []Command    `json:"recent,omitempty"` // the last three, the newest last
	Files    []event.Path `json:"files,omitempty"`  // opened last, the newest first
	Edited   []event.Path `json:"edited,omitempty"` // changed last, the newest first
	Calls    []string     `json:"calls,omitempty"`  // ids of the last calls that changed it, the newest last
	Version  int          `json:"version"`
}

// Command is one prompt or tool call, without its text.
type Command struct {
	At    time.Time    `json:"at"`
	Kind  event.Kind   `json:"kind"`
	Tool  string       `json:"tool,omitempty"`
	Files []event.Path `json:"files,omitempty"`
	OK    bool         `json:"ok"`
}

// command reports whether an event counts as a command.
func command(k event.Kind) bool {
	switch k {
	case event.KindPrompt, event.KindRead, event.KindEdit, event.KindWrite, event.KindSearch, event.KindRun, event.KindFailed:
		return true
	}
	return false
}

// fold folds one event of the session in.
func (s *Snapshot) fold(e event.Event) {
	if s.Started.IsZero() || e.Time.Before(s.Started) {
		s.Started = e.Time
	}
	if e.Time.After(s.Last) {
		s.Last = e.Time
	}
	if s.Agent == "" {
		s.Agent = e.Agent
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
		if b.Arm == "shown" {
			s.Tokens += int64(b.Tokens)
		}
	case event.Prompt, event.Call:
		s.addCommand(e)
	}
}

func (s *Snapshot) addCommand(e event.Event) {
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
		s.Files = newest(s.Files, e.Paths())
	}
	if e.Edits() {
		s.Edited = newest(s.Edited, e.Paths())
	}
}

// newest puts paths in front of a list, each once.
func newest(list, paths []event.Path) []event.Path {
	out := slices.Clone(paths[:min(len(paths), filesKept)])
	slices.Reverse(out)
	for _, p := range list {
		if len(out) < filesKept && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

func (s *Snapshot) clone() Snapshot {
	out := *s
	out.Recent, out.Files, out.Edited = slices.Clone(s.Recent), slices.Clone(s.Files), slices.Clone(s.Edited)
	out.Calls = slices.Clone(s.Calls)
	return out
}

// repeated notes a call, and reports whether it was noted before: a repeated call changes nothing. Calls without an
// id are never repeated.
func (s *Snapshot) repeated(call string) bool {
	if call == "" {
		return false
	}
	if slices.Contains(s.Calls, call) {
		return true
	}
	s.Calls = append(s.Calls, call)
	s.Calls = s.Calls[max(0, len(s.Calls)-callsKept):]
	return false
}

func (s *Snapshot) encode() (string, error) {
	s.Version = version
	b, err := json.Marshal(s)
	return string(b), err
}

func decode(id, text string) (Snapshot, error) {
	var s Snapshot
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return s, fmt.Errorf("%w: snapshot of %s: %w", cold.ErrRow, id, err)
	}
	if s.Version != version || !s.State.Known() {
		return s, fmt.Errorf("%w: snapshot of %s: version %d, state %.20q", cold.ErrRow, id, s.Version, s.State)
	}
	s.ID = id
	return s, nil
}

// put writes snapshots, and where they are in the log.
func (s *Store) put(ctx context.Context, all []Snapshot, at place) error {
	var packed []cold.Packed
	for _, snap := range all {
		text, err := snap.encode()
		if err != nil {
			return err
		}
		packed = append(packed, s.snapshots.Pack(cold.Blob{Key: snap.ID, Session: snap.ID, Used: snap.Last,
			Meta: []byte(text)}))
	}
	text, err := json.Marshal(at)
	if err != nil {
		return err
	}
	packed = append(packed, s.snapshots.Pack(cold.Blob{Meta: text}))
	_, err = s.snapshots.Write(ctx, "keep snapshots", func(tx *cold.BlobTx) error {
		for _, p := range packed {
			if err := tx.Put(p); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// loadSnapshot reads a stored snapshot. One that cannot be read is ErrRow.
func (s *Store) loadSnapshot(ctx context.Context, id string) (snap Snapshot, err error) {
	if id == "" {
		return snap, ErrUnknown
	}
	v, found, err := s.snapshots.Get(ctx, id)
	switch {
	case errors.Is(err, cold.ErrLostKey):
		return snap, fmt.Errorf("%w: %w", cold.ErrRow, err)
	case err != nil:
		return snap, err
	case !found:
		return snap, ErrUnknown
	}
	return decode(id, string(v.Meta))
}

// names reports whether a stored snapshot names a path.
func names(v cold.Blob, path string) bool {
	name, err := json.Marshal(path)
	return err != nil || v.Key != "" && bytes.Contains(v.Meta, name[1:len(name)-1]) // as it is written there
}
