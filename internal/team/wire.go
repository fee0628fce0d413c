package team

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/aoa-dev/aoa/internal/event"
)

// wireVersion is the version of entry. Entries of other versions are refused.
const wireVersion = 1

// Limits of an entry.
const (
	maxEntry = 64 << 10 // bytes
	maxName  = 256      // bytes of an ID, a session or a word
	maxPaths = 1000
	maxAhead = 2 * time.Minute // how much later than its entry in the stream an event may be dated
)

// entry is the data of one stream entry: an event, or a filter of events that its origin wants to
// have forgotten.
type entry struct {
	Version int             `json:"v"`
	Origin  string          `json:"origin"`
	ID      string          `json:"id"` // the event's ID, or a random one
	Event   json.RawMessage `json:"event,omitempty"`
	Forget  *Filter         `json:"forget,omitempty"`
}

// travels lists the kinds of events that are exchanged. Every clone gets commits and renames from
// git. Saves, ticks, settings and branches do not concern other clones.
var travels = map[event.Kind]bool{event.KindPrompt: true, event.KindRead: true, event.KindEdit: true,
	event.KindWrite:  true,
	event.KindSearch: true, event.KindRun: true, event.KindFailed: true, event.KindHint: true,
	event.KindFeedback: true}

// encode makes an entry from an own event. It returns false if the event is not exchanged. If words
// is true, the words of prompts and search patterns are included; those of commands never are.
func encode(e event.Event, origin string, words bool) ([]byte, bool) {
	if e.Origin != "" || e.ID == "" || !travels[e.Kind()] {
		return nil, false
	}
	raw, err := json.Marshal(event.Event{Time: e.Time, Agent: e.Agent, Session: e.Session, Subagent: e.Subagent,
		Body: shared(e, words)})
	if err == nil {
		raw, err = json.Marshal(entry{Version: wireVersion, Origin: origin, ID: e.ID, Event: raw})
	}
	return raw, err == nil && len(raw) <= maxEntry
}

// shared returns the part of an event's body that other clones get.
func shared(e event.Event, words bool) event.Body {
	var terms []string
	if k := e.Kind(); words && (k == event.KindPrompt || k == event.KindSearch) {
		terms = readable(e.Terms())
	}
	switch b := e.Body.(type) {
	case event.Prompt:
		return event.Prompt{Tags: b.Tags, Terms: terms}
	case event.Call:
		c := event.NewBody(e.Kind()).(event.Call)
		c.Paths, c.Tags, c.Terms, c.Batch = readablePaths(b.Paths), b.Tags, terms, b.Batch
		if !b.OK() && c.Failure == "" {
			c.Failure = event.FailStatus
		}
		return c
	case event.Hint:
		h := event.Hint{Name: b.Name, Status: b.Status, Label: b.Label, Change: readablePaths(b.Change)}
		// otherwise the scores would belong to other files
		if h.Paths = readablePaths(b.Paths); len(h.Paths) == len(b.Paths) {
			h.Scores = b.Scores
		}
		return h
	case event.Feedback:
		return event.Feedback{Name: b.Name, Paths: readablePaths(b.Paths), Helped: b.Helped}
	}
	return nil
}

// readablePaths returns the paths that are valid UTF-8, which JSON needs, at most maxPaths.
func readablePaths(paths []event.Path) (out []event.Path) {
	for _, p := range paths {
		if utf8.ValidString(string(p)) && len(out) < maxPaths {
			out = append(out, p)
		}
	}
	return out
}

// readable returns the words that are not hashed. Hashed words mean nothing to other stores, which
// have other keys.
func readable(terms []string) []string {
	return slices.DeleteFunc(slices.Clone(terms), func(t string) bool { return strings.HasPrefix(t, event.HashedWord) })
}

// encodeForget makes an entry from a filter.
func encodeForget(origin, id string, f Filter) ([]byte, error) {
	return json.Marshal(entry{Version: wireVersion, Origin: origin, ID: id, Forget: &f})
}

var errEntry = errors.New("it is not an entry of this version")

// decode reads an entry that was appended to the stream at the given time. It puts the origin
// before the event's ID and its session, so that they cannot equal an ID or a session of this clone
// or of another origin. The origin is returned with an error, too, if it is known.
func decode(raw string, at time.Time) (e event.Event, forget *Filter, origin string, err error) {
	var w entry
	if len(raw) > maxEntry {
		return e, nil, "", fmt.Errorf("it has %d bytes, more than %d", len(raw), maxEntry)
	}
	if json.Unmarshal([]byte(raw), &w) != nil || !event.IsOrigin(w.Origin) {
		return e, nil, "", errEntry
	}
	if w.Version != wireVersion || w.ID == "" {
		return e, nil, w.Origin, errEntry
	}
	if w.Forget != nil {
		return e, w.Forget, w.Origin, nil
	}
	var sent event.Event
	if err := json.Unmarshal(w.Event, &sent); err != nil {
		return e, nil, w.Origin, fmt.Errorf("its event cannot be read: %w", err)
	}
	sent.ID = w.ID
	if err := check(&sent); err != nil {
		return e, nil, w.Origin, err
	}
	e = event.Event{ID: w.Origin + ":" + w.ID, Time: sent.Time.UTC(), Origin: w.Origin, Agent: sent.Agent,
		Subagent: sent.Subagent, Body: shared(sent, true)}
	if e.Time.After(at.Add(maxAhead)) {
		e.Time = at.UTC()
	}
	if sent.Session != "" {
		e.Session = event.ForeignSession(w.Origin, sent.Session)
	}
	return e, nil, w.Origin, nil
}

// check returns an error for an event that no daemon would send.
func check(e *event.Event) error {
	if !travels[e.Kind()] {
		return fmt.Errorf("clones do not send events of kind %.20q", string(e.Kind()))
	}
	if ms := e.Time.UnixMilli(); ms < 0 || ms > 1<<53 {
		return errors.New("its time is before 1970 or too far in the future")
	}
	var wrong error
	e.ChangePaths(func(list *[]event.Path) {
		if len(*list) > maxPaths {
			wrong = errors.New("it names too many files")
		}
		for i, text := range *list {
			p, err := event.NewPath(string(text))
			if (*list)[i] = p; err != nil {
				wrong = fmt.Errorf("a path is not valid: %w", err)
			}
		}
	})
	texts := slices.Concat([]string{e.ID, e.Agent, e.Session, e.Subagent, e.Call().Batch}, e.Tags(), e.Terms())
	switch b := e.Body.(type) {
	case event.Hint:
		texts = append(texts, b.Name, b.Status, b.Label)
		if slices.ContainsFunc(b.Scores, func(s float64) bool { return !(s >= 0 && s <= 1) }) || len(b.Scores) > maxPaths {
			wrong = errors.New("its scores are not probabilities")
		}
	case event.Feedback:
		texts = append(texts, b.Name)
	}
	if len(e.Tags()) > event.MaxTerms || len(e.Terms()) > event.MaxTerms {
		wrong = errors.New("it has too many words or tags")
	}
	for _, s := range texts {
		if len(s) > maxName || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
			wrong = errors.New("one of its texts is too long or not valid")
		}
	}
	return wrong
}

// Filter describes events of one origin that are to be forgotten: those of a path, those of a
// session, or those since a time. Paths and sessions are digests, because the server must not keep
// the names of what is to be forgotten.
type Filter struct {
	Path    string `json:"path,omitempty"`    // digest of a file or folder
	Session string `json:"session,omitempty"` // digest of a session's id
	Since   int64  `json:"since,omitempty"`   // unix milliseconds
	Until   int64  `json:"until"`             // unix milliseconds; later events are kept
}

// NewFilter returns the filter for one of three things: a path (a file, or a folder with everything
// below it), a session, or everything since a time. The other two arguments are zero.
func NewFilter(p event.Path, session string, since, until time.Time) Filter {
	f := Filter{Until: until.UnixMilli()}
	switch {
	case p != "":
		f.Path = digest(string(p))
	case session != "":
		f.Session = digest(session)
	default:
		f.Since = since.UnixMilli()
	}
	return f
}

func digest(s string) string {
	sum := sha256.Sum256([]byte("aoa forgets " + s))
	return hex.EncodeToString(sum[:16])
}

// means reports whether the filter matches an event of the same origin.
func (f Filter) means(e event.Event) bool {
	at := e.Time.UnixMilli()
	switch {
	case at > f.Until:
		return false
	case f.Session != "":
		return e.Session != "" && f.Session == digest(e.Session[len(e.Origin)+1:])
	case f.Path != "":
		for _, p := range e.Paths() {
			for dir := string(p); dir != "." && dir != "/"; dir = path.Dir(dir) {
				if f.Path == digest(dir) {
					return true
				}
			}
		}
		return false
	}
	return f.Since > 0 && at >= f.Since
}

func anyMeans(filters []Filter, e event.Event) bool {
	return slices.ContainsFunc(filters, func(f Filter) bool { return f.means(e) })
}
