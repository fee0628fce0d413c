package team

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/aoa-dev/aoa/internal/event"
)

// wireVersion is the version of entry. Entries of other versions are refused.
const wireVersion = 1

// Bounds of an entry.
const (
	maxEntry = 64 << 10 // bytes
	maxName  = 256      // bytes of an id, a session, a word
	maxPaths = 1000
	maxAhead = 2 * time.Minute // of an event's time before that of its entry in the stream
)

// entry is what one field of the stream holds: an event, or what its origin wants to be forgotten.
type entry struct {
	Version  int       `json:"v"`
	Origin   string    `json:"origin"`
	ID       string    `json:"id"`
	At       int64     `json:"at"` // unix milliseconds
	Kind     string    `json:"kind"`
	Agent    string    `json:"agent,omitempty"`
	Session  string    `json:"session,omitempty"`
	Subagent string    `json:"subagent,omitempty"`
	Batch    string    `json:"batch,omitempty"` // calls that were requested together
	Paths    []string  `json:"paths,omitempty"`
	From     []string  `json:"from,omitempty"` // suggest: the change that lacks paths
	Tags     []string  `json:"tags,omitempty"`
	Words    []string  `json:"words,omitempty"`
	Hint     string    `json:"hint,omitempty"`   // suggest, feedback: the kind of hint
	Arm      string    `json:"arm,omitempty"`    // suggest
	Label    string    `json:"label,omitempty"`  // suggest
	Scores   []float64 `json:"scores,omitempty"` // suggest: of paths
	OK       bool      `json:"ok,omitempty"`
	Forget   *Filter   `json:"forget,omitempty"`
}

// kindForget is the kind of an entry that says what to forget.
const kindForget = "forget"

// travels says which kinds are exchanged. Commits and renames come from git, and nobody's saves, ticks, settings and
// branches concern another clone.
var travels = map[event.Kind]bool{event.KindPrompt: true, event.KindRead: true, event.KindEdit: true,
	event.KindWrite:  true,
	event.KindSearch: true, event.KindRun: true, event.KindFailed: true, event.KindSuggest: true,
	event.KindFeedback: true}

// encode turns an own event into an entry; false if it does not travel. Words travel only where they were allowed to:
// those of a prompt and of a pattern, never those of a command.
func encode(e event.Event, origin string, words bool) ([]byte, bool) {
	if !travels[e.Kind()] || e.Origin != "" || e.ID == "" {
		return nil, false
	}
	w := entry{Version: wireVersion, Origin: origin, ID: e.ID, At: e.Time.UnixMilli(), Kind: string(e.Kind()),
		Agent: e.Agent, Session: e.Session, Subagent: e.Subagent, Paths: texts(e.Paths()), Tags: e.Tags()}
	switch b := e.Body.(type) {
	case event.Prompt:
		if words {
			w.Words = readable(b.Terms)
		}
	case event.Call:
		w.Batch, w.OK = b.Batch, b.OK()
		if words && e.Kind() == event.KindSearch {
			w.Words = readable(b.Terms)
		}
	case event.Hint:
		w.From, w.Hint, w.Arm, w.Label, w.Scores = texts(b.Change), b.Name, b.Arm, b.Label, b.Scores
	case event.Feedback:
		w.Hint, w.OK = b.Name, b.Helped
	}
	if len(w.Scores) > 0 && len(w.Paths) != len(e.Paths()) {
		return nil, false // its scores would be of other files
	}
	raw, err := json.Marshal(w)
	return raw, err == nil && len(raw) <= maxEntry
}

// texts are the paths that JSON has names for.
func texts(paths []event.Path) (out []string) {
	for _, p := range paths {
		if utf8.ValidString(string(p)) && len(out) < maxPaths {
			out = append(out, string(p))
		}
	}
	return out
}

// encodeForget turns a filter into an entry.
func encodeForget(origin, id string, f Filter) ([]byte, error) {
	return json.Marshal(entry{Version: wireVersion, Origin: origin, ID: id, At: f.Until, Kind: kindForget, Forget: &f})
}

var errEntry = errors.New("it is no entry of this version")

// decode reads an entry that was appended to the stream at a time. The event has its origin before its ID and its
// session: it is no event, session or hint of this clone, and of no other origin. The origin is
// returned with an error, too, if it is known.
func decode(raw string, at time.Time) (e event.Event, forget *Filter, origin string, err error) {
	var w entry
	if len(raw) > maxEntry {
		return e, nil, "", fmt.Errorf("it has %d bytes, more than %d", len(raw), maxEntry)
	}
	if json.Unmarshal([]byte(raw), &w) != nil || !event.IsOrigin(w.Origin) {
		return e, nil, "", errEntry
	}
	if w.Version != wireVersion {
		return e, nil, w.Origin, errEntry
	}
	if err := w.check(); err != nil {
		return e, nil, w.Origin, err
	}
	if w.Kind == kindForget {
		return e, w.Forget, w.Origin, nil
	}
	e = event.Event{ID: w.Origin + ":" + w.ID, Time: time.UnixMilli(w.At).UTC(), Origin: w.Origin, Agent: w.Agent,
		Subagent: w.Subagent}
	if e.Time.After(at.Add(maxAhead)) {
		e.Time = at.UTC()
	}
	if w.Session != "" {
		e.Session = event.ForeignSession(w.Origin, w.Session)
	}
	e.Body, err = w.body()
	return e, nil, w.Origin, err
}

// body is what the entry says that happened.
func (w *entry) body() (event.Body, error) {
	paths, err := pathsOf(w.Paths)
	if err != nil {
		return nil, err
	}
	change, err := pathsOf(w.From)
	if err != nil {
		return nil, err
	}
	switch b := event.NewBody(event.Kind(w.Kind)).(type) {
	case event.Prompt:
		b.Tags, b.Terms = w.Tags, w.Words
		return b, nil
	case event.Call:
		b.Paths, b.Tags, b.Terms, b.Batch = paths, w.Tags, w.Words, w.Batch
		if !w.OK && b.Failure == "" {
			b.Failure = event.FailStatus
		}
		return b, nil
	case event.Hint:
		b.Name, b.Arm, b.Label, b.Paths, b.Scores, b.Change = w.Hint, w.Arm, w.Label, paths, w.Scores, change
		return b, nil
	case event.Feedback:
		b.Name, b.Paths, b.Helped = w.Hint, paths, w.OK
		return b, nil
	}
	return nil, errEntry
}

// pathsOf refuses what is no path inside a repository.
func pathsOf(texts []string) (out []event.Path, err error) {
	for _, text := range texts {
		p, err := event.NewPath(text)
		if err != nil {
			return nil, fmt.Errorf("a path is none: %w", err)
		}
		out = append(out, p)
	}
	return out, nil
}

// check refuses what no daemon sends.
func (w *entry) check() error {
	switch {
	case w.Kind == kindForget && w.Forget == nil, w.Kind != kindForget && !travels[event.Kind(w.Kind)]:
		return fmt.Errorf("nobody sends its kind %.20q", w.Kind)
	case w.ID == "" || len(w.Paths) > maxPaths || len(w.From) > maxPaths || len(w.Tags) > event.MaxTerms ||
		len(w.Words) > event.MaxTerms || len(w.Scores) > maxPaths:
		return errors.New("it has no id, or too long lists")
	case w.At < 0 || w.At > 1<<53:
		return errors.New("its time is impossible")
	}
	for _, s := range w.Scores {
		if !(s >= 0 && s <= 1) {
			return errors.New("its score is no probability")
		}
	}
	texts := append([]string{w.ID, w.Agent, w.Session, w.Subagent, w.Batch, w.Hint, w.Arm, w.Label}, w.Tags...)
	for _, s := range append(texts, w.Words...) {
		if len(s) > maxName || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
			return errors.New("one of its texts is too long, or no text")
		}
	}
	return nil
}

// readable are the terms that are not hashed: no other store has the key.
func readable(terms []string) []string {
	return slices.DeleteFunc(slices.Clone(terms), func(t string) bool { return strings.HasPrefix(t, event.HashedWord) })
}
