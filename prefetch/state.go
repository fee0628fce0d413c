package prefetch

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
)

// State is what is known about the predictions of all sessions, computed from the event log alone.
// What concerns one session is in package session. It is safe for concurrent use.
type State struct {
	mu sync.Mutex // guards the fields below
	folded
	// for each session, the decisions whose events have not come back from the log, oldest first
	pending   map[string][]pending
	decisions int // number of decisions so far
}

// folded is the part of State that snapshots store.
type folded struct {
	Base       float64              // the threshold under which the drifts were learned, 0 if none is set
	Drift      map[HintKind]float64 // how far the threshold of each kind has moved
	Counts     map[HintKind]Record
	Intercepts Intercepts
	Outcomes   []Outcome // the newest outcomes, at most mostOutcomes, the newest last
}

// Outcome is the outcome of one predicted file.
type Outcome struct {
	At      time.Time  `json:"at"`
	Session string     `json:"session_id"`
	Kind    HintKind   `json:"kind"`
	Status  Status     `json:"status"`
	File    event.Path `json:"file"`
	P       float64    `json:"p"` // the probability by the shipped weights
	Used    bool       `json:"used"`
}

// mostOutcomes is the number of outcomes that are kept.
const mostOutcomes = 5000

// NewState returns the state before the first event.
func NewState() *State { return &State{pending: map[string][]pending{}, folded: newFolded()} }

func newFolded() folded {
	return folded{Drift: map[HintKind]float64{}, Counts: map[HintKind]Record{}, Intercepts: Intercepts{}}
}

// ErrSnapshot means that a snapshot is damaged, or of another version.
var ErrSnapshot = errors.New("damaged snapshot of predictions")

// Snapshot encodes the state.
func (s *State) Snapshot() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return codec.Encode(&s.folded)
}

// Restore replaces the state by a snapshot; nil empties it. After an error the state is unchanged.
func (s *State) Restore(data []byte) error {
	f := newFolded()
	if data != nil {
		if err := codec.Decode(data, &f); err != nil {
			return fmt.Errorf("%w: %w", ErrSnapshot, err)
		}
	}
	usable := f.Base == f.Base && len(f.Outcomes) <= mostOutcomes && f.Drift != nil && f.Counts != nil && f.Intercepts != nil
	for _, i := range f.Intercepts {
		usable = usable && i.usable()
	}
	if !usable {
		return fmt.Errorf("%w: content", ErrSnapshot)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folded = f
	return nil
}

// Apply updates the state by an event. Of events from other clones it uses feedback, and, for the
// intercepts, the outcomes of their predictions. Hints of other clones are counted there.
func (s *State) Apply(e event.Event, _ *session.Session, d session.Delta) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range d.Resolved {
		s.resolved(e.Time, &d.Resolved[i])
	}
	if e.Origin != "" && e.Kind() != event.KindFeedback {
		return
	}
	switch b := e.Body.(type) {
	case event.Hint:
		if e.Session != "" {
			s.hint(b)
			s.folds(e.Session, e.ID)
		}
	case event.Feedback:
		s.feedback(b)
	case event.Setting:
		s.setting(b)
	}
}

// hint counts what a hint's event decided.
func (s *State) hint(h event.Hint) {
	n := len(h.Paths)
	if traits[HintKind(h.Name)].list {
		n = min(n, 1)
	}
	s.count(HintKind(h.Name), func(r *Record) {
		r.status(Status(h.Status)).Decided += int64(n)
		if Status(h.Status) == Shown {
			r.Tokens += int64(max(h.Tokens, 0))
		}
	})
}

// count updates the record of a kind.
func (s *State) count(k HintKind, by func(*Record)) {
	r := s.Counts[k]
	r.Kind = k
	by(&r)
	s.Counts[k] = r
}

// resolved counts the outcome of one file of a prediction.
func (s *State) resolved(at time.Time, made *session.Resolved) {
	kind, used := HintKind(made.Kind), made.File.Used
	if made.Label != labelOf(kind) {
		return
	}
	s.Outcomes = append(s.Outcomes, Outcome{At: at, Session: made.Session, Kind: kind, Status: Status(made.Status),
		File: made.File.Path, P: made.File.P, Used: used})
	s.Outcomes = s.Outcomes[max(0, len(s.Outcomes)-mostOutcomes):]
	s.Intercepts.Learn(kind, made.File.P, used)
	switch {
	case event.Foreign(made.Session):
		return
	case traits[kind].list && (!made.Decides || !used && !made.Opens):
		return // a list counts once, and not at all if the turn opened no file
	}
	s.count(kind, func(r *Record) {
		t := r.status(Status(made.Status))
		t.Resolved++
		if used {
			t.Right++
		}
	})
	if Status(made.Status) == Shown {
		s.move(kind, used)
	}
}

// feedback counts a person's judgement as one outcome of the kind that it is about, or of every
// kind of hint if it does not say.
func (s *State) feedback(f event.Feedback) {
	_, known := traits[HintKind(f.Name)]
	for _, k := range Kinds() {
		if k == HintKind(f.Name) || !known && (traits[k].hint || traits[k].list) && !traits[k].fact {
			s.move(k, f.Helped)
		}
	}
}

// move moves the drift of a kind by one step.
func (s *State) move(k HintKind, used bool) {
	if k == Partner {
		return // aoa check has a threshold of its own, which outcomes do not move
	}
	base := s.base()
	s.Drift[k] = drift(s.Drift[k], step(used, traits[k].target()), traits[k].start(base))
}

// base returns where thresholds start.
func (s *State) base() float64 { return cmp.Or(s.Base, Balanced) }

// Came returns the outcomes of the newest predicted files, at most most of them, the newest last.
// Outcomes from other clones are left out.
func (s *State) Came(most int) []Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := slices.DeleteFunc(slices.Clone(s.Outcomes), func(o Outcome) bool { return event.Foreign(o.Session) })
	return own[max(0, len(own)-most):]
}

// Learned returns a copy of the present intercepts.
func (s *State) Learned() Intercepts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.Intercepts)
}

// Records returns the record of every kind that has decided anything, in the order of Kinds.
func (s *State) Records() (out []Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range Kinds() {
		if r, known := s.Counts[k]; known {
			out = append(out, r)
		}
	}
	return out
}

// settingThreshold is the name of the setting that State reads from the log: the value of
// Options.Threshold.
const settingThreshold = "threshold"

// setting applies a threshold that a person has set. State takes it from the log and not from the
// settings file, so that a replay under other settings gives the same result.
func (s *State) setting(b event.Setting) {
	if v, err := strconv.ParseFloat(b.Value, 64); b.Name == settingThreshold && err == nil && clamp(v) != s.Base {
		s.Base = clamp(v)
		clear(s.Drift) // it was learned under another threshold
	}
}

// SetThreshold returns the event that records a new value of Options.Threshold; false if the log
// already has this value.
func (s *State) SetThreshold(value float64, at time.Time) (event.Event, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return event.Event{ID: fmt.Sprintf("setting:%s:%d", settingThreshold, at.UnixNano()), Time: at, Agent: "cli",
		Body: event.Setting{Name: settingThreshold, Value: strconv.FormatFloat(value, 'g', -1, 64)}}, clamp(value) != s.Base
}

// Record counts the outcomes of the hints of one kind. A random tenth of the hints is withheld;
// their outcomes show what happens without a hint.
type Record struct {
	Kind     HintKind `json:"kind"`
	Shown    Tally    `json:"shown"`
	Withheld Tally    `json:"withheld"`
	Shadow   Tally    `json:"shadow"` // not probable enough to be shown
	Tokens   int64    `json:"tokens"` // estimated tokens of the texts that were shown
}

// Tally counts files with one status, or lists if the kind shows lists.
type Tally struct {
	Decided int64 `json:"decided"`
	// Those of Decided whose outcome is known. A list whose turn opened no file has no outcome.
	Resolved int64 `json:"resolved"`
	// Those of Resolved that were used in time. A list counts if one of its files was.
	Right int64 `json:"right"`
}

// Plus returns the sum of two tallies.
func (t Tally) Plus(o Tally) Tally {
	return Tally{t.Decided + o.Decided, t.Resolved + o.Resolved, t.Right + o.Right}
}

// status returns the tally of a status.
func (r *Record) status(a Status) *Tally {
	switch a {
	case Shown:
		return &r.Shown
	case Withheld:
		return &r.Withheld
	}
	return &r.Shadow
}
