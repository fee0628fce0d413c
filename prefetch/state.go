package prefetch

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session/live"
)

// State is what is known of the predictions of all sessions: a fold of the event log, and of nothing else. What concerns
// one session is kept by package live. It is safe for concurrent use.
type State struct {
	mu sync.Mutex // guards what follows
	folded
	pending  map[string][]pending // session → decisions whose events were not folded yet, oldest first
	reserved int                  // decisions so far whose words were made
}

// folded is what a snapshot has.
type folded struct {
	Base      float64          // the threshold that drifts were learned under, 0 if none is set
	Drift     map[Kind]float64 // how far the threshold of a kind has moved
	Arms      map[Kind]map[Arm]arm
	Retired   map[Kind]bool
	Searching Searching
	Refit     Refit
	Outcomes  []Outcome // the newest, the newest last
}

// arm counts predicted files of one arm, of a kind that shows lists the lists. Evidence that fades is no whole number.
type arm struct{ Predicted, Resolved, Used, Tokens float64 }

// Outcome is what came of one predicted file.
type Outcome struct {
	At      time.Time  `json:"at"`
	Session string     `json:"session_id"`
	Kind    Kind       `json:"hint"`
	Arm     Arm        `json:"arm"`
	File    event.Path `json:"file"`
	Class   Class      `json:"class,omitempty"` // "": its kind's files have no probability, and nothing is learned from them
	P       float64    `json:"p"`               // its probability as shipped, before the repository's own calibration
	Used    bool       `json:"used"`
}

// NewState is the state before the first event.
func NewState() *State {
	s := &State{pending: map[string][]pending{}}
	s.fill()
	return s
}

// fill makes the maps that are missing.
func (f *folded) fill() {
	if f.Drift == nil {
		f.Drift = map[Kind]float64{}
	}
	if f.Arms == nil {
		f.Arms = map[Kind]map[Arm]arm{}
	}
	if f.Retired == nil {
		f.Retired = map[Kind]bool{}
	}
}

// ErrSnapshot means that a snapshot is damaged, or of another version.
var ErrSnapshot = errors.New("damaged snapshot of predictions")

// snapshotVersion is the first byte of a snapshot. What follows is as encoding/gob writes it.
const snapshotVersion = 1

// Snapshot encodes the state.
func (s *State) Snapshot() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := bytes.NewBuffer([]byte{snapshotVersion})
	err := gob.NewEncoder(b).Encode(&s.folded)
	return b.Bytes(), err
}

// Restore loads a snapshot. After an error the state is to be thrown away.
func (s *State) Restore(data []byte) error {
	if len(data) == 0 || data[0] != snapshotVersion {
		return fmt.Errorf("%w: version", ErrSnapshot)
	}
	var f folded
	if err := gob.NewDecoder(bytes.NewReader(data[1:])).Decode(&f); err != nil {
		return fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	if f.Base != f.Base || !f.Refit.Now.usable() || !f.Refit.Last.usable() || len(f.Outcomes) > mostFit {
		return fmt.Errorf("%w: content", ErrSnapshot)
	}
	f.fill()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folded = f
	return nil
}

// Apply folds an event. Of other clones it folds feedback, and what came of their predictions for the calibration:
// their hints are decided there.
func (s *State) Apply(e event.Event, _ *live.Session, d live.Delta) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range d.Resolved {
		s.resolved(e.Time, &d.Resolved[i])
	}
	if e.Origin != "" && e.Kind() != event.KindFeedback {
		return
	}
	if d.Sought != nil {
		s.Searching.Turns++
		s.Searching.Before += int64(d.Sought.Searches)
	}
	switch b := e.Body.(type) {
	case event.Call:
		if e.Kind() == event.KindSearch && e.Session != "" && b.Tokens > 0 {
			s.Searching.Searches++
			s.Searching.Tokens += int64(b.Tokens)
		}
	case event.Hint:
		if e.Session != "" {
			s.hint(b)
			s.folds(e.Session, e.ID)
		}
	case event.Feedback:
		s.feedback(b)
	case event.Setting:
		s.setting(b)
	case event.Tick:
		if b.Job == "decay" { // once a day
			s.refit(e.Time)
		}
	}
}

// hint counts what was predicted.
func (s *State) hint(h event.Hint) {
	kind, n := Kind(h.Name), len(h.Paths)
	if traits[kind].list {
		n = min(n, 1)
	}
	s.count(kind, Arm(h.Arm), arm{Predicted: float64(n), Tokens: float64(max(h.Tokens, 0))})
}

// count adds to the counts of a kind's arm.
func (s *State) count(k Kind, a Arm, by arm) {
	if by == (arm{}) {
		return
	}
	if s.Arms[k] == nil {
		s.Arms[k] = map[Arm]arm{}
	}
	n := s.Arms[k][a]
	s.Arms[k][a] = arm{n.Predicted + by.Predicted, n.Resolved + by.Resolved, n.Used + by.Used, n.Tokens + by.Tokens}
}

// resolved counts what came of a file of a prediction.
func (s *State) resolved(at time.Time, made *live.Resolved) {
	kind, used := Kind(made.Kind), made.File.Used
	if made.Label != labelOf(kind) {
		return
	}
	s.Outcomes = append(s.Outcomes, Outcome{At: at, Session: made.Session, Kind: kind, Arm: Arm(made.Arm),
		File: made.File.Path, Class: classOfKind[kind], P: made.File.P, Used: used})
	s.Outcomes = s.Outcomes[max(0, len(s.Outcomes)-mostFit):]
	switch {
	case event.Foreign(made.Session):
		return
	case traits[kind].list && (!made.Decides || !used && !made.Opens):
		return // a list counts once, and not where the turn opened nothing
	}
	if s.Retired[kind] {
		s.weaken(kind, fade)
	}
	s.count(kind, Arm(made.Arm), arm{Resolved: 1, Used: truth(used)})
	if s.record(kind).verdict() {
		s.Retired[kind] = true
	} else {
		delete(s.Retired, kind)
	}
	if Arm(made.Arm) == Shown {
		s.move(kind, used)
	}
}

// weaken leaves so much of the evidence about a kind, which has silenced it.
func (s *State) weaken(k Kind, by float64) {
	for _, a := range []Arm{Shown, Withheld} {
		if n, known := s.Arms[k][a]; known {
			n.Resolved, n.Used = n.Resolved*by, n.Used*by
			s.Arms[k][a] = n
		}
	}
}

// feedback takes a person's word: it counts as one outcome of the kind it is about, or of every hint when it does not
// say.
func (s *State) feedback(f event.Feedback) {
	_, known := traits[Kind(f.Name)]
	for _, k := range Kinds() {
		if k == Kind(f.Name) || !known && (traits[k].hint || traits[k].list) && !traits[k].fact {
			s.move(k, f.Helped)
		}
	}
}

// move steps a kind's drift.
func (s *State) move(k Kind, used bool) {
	base := s.base()
	s.Drift[k] = drift(s.Drift[k], step(used, traits[k].target()), traits[k].start(base))
}

// base is where thresholds start.
func (s *State) base() float64 { return cmp.Or(s.Base, Balanced) }

// refit fits the calibration to what came of the predictions of the last 90 days, of other clones, too: people and
// agents change, and so do repositories.
func (s *State) refit(at time.Time) {
	known := slices.DeleteFunc(slices.Clone(s.Outcomes), func(o Outcome) bool {
		return o.Class == "" || !(o.P > 0 && o.P < 1) || at.Sub(o.At) > refitAge
	})
	slices.SortStableFunc(known, func(a, b Outcome) int { return a.At.Compare(b.At) })
	if r := s.Refit.Next(known, at); r.Verdict != Waited {
		s.Refit = r
	}
}

// refitAge is how old an outcome may be that is learned from.
const refitAge = 90 * 24 * time.Hour

// classOfKind is what a kind's files are: hints are of files that nothing has named.
var classOfKind = map[Kind]Class{Next: OpenUnseen, Prompt: PromptOther, Partner: OfChange}

// Came returns what came of the newest predicted files, at most most of them, the newest last. Those of other clones
// are left out.
func (s *State) Came(most int) []Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := slices.DeleteFunc(slices.Clone(s.Outcomes), func(o Outcome) bool { return event.Foreign(o.Session) })
	return own[max(0, len(own)-most):]
}

// LastRefit is the newest refit; its Verdict is "" if there was none.
func (s *State) LastRefit() Refit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Refit
}

// Seeks is what searches have cost so far.
func (s *State) Seeks() Searching {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Searching
}

// Records returns the record of every kind that has predicted anything, in the order of Kinds.
func (s *State) Records() (out []Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range Kinds() {
		if r := s.record(k); r != (Record{Kind: k}) {
			out = append(out, r)
		}
	}
	return out
}

func (s *State) record(k Kind) Record {
	tally := func(a Arm) Tally {
		n := s.Arms[k][a]
		return Tally{int64(math.Round(n.Predicted)), int64(math.Round(n.Resolved)), int64(math.Round(n.Used))}
	}
	return Record{k, tally(Shown), tally(Withheld), tally(Shadow), int64(math.Round(s.Arms[k][Shown].Tokens)), s.Retired[k]}
}
