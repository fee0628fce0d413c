package prefetch

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Horizon is how many of a session's next file events a predicted file has to be opened in.
const Horizon = 10

const (
	hintEvery   = 30 * time.Second // hints of one session, unless a prompt comes between
	idleEnd     = 2 * time.Hour    // after this long without a file event a session's predictions are settled
	maxOpen     = 32               // predictions of a session that wait at once; the oldest is settled early
	maxPast     = 512              // (kind, file) pairs of a session remembered as predicted
	maxOffset   = Ceiling - Floor
	sessionForm = 1 // version of the stored form
)

// session is what is remembered of a session between its events. It is kept in one field of the session in the
// hot store, goes when the session goes, and changes in Fold only.
type session struct {
	Form    int              `json:"v"`
	Open    []openPrediction `json:"open,omitempty"`    // not yet settled, oldest first
	Past    []string         `json:"past,omitempty"`    // key(kind, file) of what was predicted, oldest first
	HintAt  int64            `json:"hint,omitempty"`    // unix ms of the last hint since the last prompt
	Ignored int              `json:"ignored,omitempty"` // shown suggestions in a row of which nothing was used
	Offset  float64          `json:"offset,omitempty"`  // what people's feedback adds to the thresholds
	Tokens  int              `json:"tokens,omitempty"`  // spent on what was shown to this session
	Last    int64            `json:"last,omitempty"`    // unix ms of the last event that changed this
}

// openPrediction is a suggestion event that waits for its outcome.
type openPrediction struct {
	ID    string `json:"id"`
	Kind  Kind   `json:"kind"`
	Arm   Arm    `json:"fate"`
	Left  int    `json:"left"` // file events until the horizon; of other labels 1 until it is decided
	Files []file `json:"files"`

	Label Label        `json:"label,omitempty"`
	Opens bool         `json:"opens,omitempty"` // the session has opened a file for the first time since
	Led   int          `json:"led,omitempty"`   // file events in which an open counts as caused by it
	Batch string       `json:"batch,omitempty"` // LabelNext: the calls requested together that it is decided by
	With  []event.Path `json:"with,omitempty"`  // LabelChange: files of the change
	At    int64        `json:"at,omitempty"`    // LabelChange: unix ms
}

// file is one file of a prediction.
type file struct {
	Path    event.Path `json:"path"`
	P       float64    `json:"p"`
	Used    bool       `json:"used,omitempty"`
	Settled bool       `json:"settled,omitempty"` // its outcome is in the log
}

// decodeSession reads the stored form. What cannot be read is an empty session: predictions that nobody can
// read are predictions that nobody can settle.
func decodeSession(data string) session {
	var s session
	if data == "" || json.Unmarshal([]byte(data), &s) != nil || s.Form != sessionForm {
		return session{}
	}
	if !(s.Offset >= -maxOffset && s.Offset <= maxOffset) || s.Ignored < 0 {
		s.Offset, s.Ignored = 0, 0
	}
	if n := len(s.Open); n > maxOpen {
		s.Open = s.Open[n-maxOpen:]
	}
	if n := len(s.Past); n > maxPast {
		s.Past = s.Past[n-maxPast:]
	}
	for i := range s.Open {
		s.Open[i].Left = min(max(s.Open[i].Left, 0), Horizon)
		s.Open[i].Led = min(max(s.Open[i].Led, 0), Horizon)
	}
	return s
}

// encode is the stored form, "" for a session with nothing to remember.
func (s session) encode() string {
	if len(s.Open) == 0 && len(s.Past) == 0 && s.HintAt == 0 && s.Ignored == 0 && s.Offset == 0 && s.Tokens == 0 {
		return ""
	}
	s.Form = sessionForm
	data, err := json.Marshal(s)
	if err != nil {
		return "" // only numbers that are none fail, and decode never lets one in
	}
	return string(data)
}

func key(kind Kind, f event.Path) string { return string(kind) + "\x00" + string(f) }

// inShadow is the key of what was predicted and not files: it may be said yet.
func inShadow(kind Kind, f event.Path) string { return key(kind, f) + "\x00" + string(Shadow) }

// predicted reports whether the file was shown to the session under that kind, or withheld.
func (s session) predicted(kind Kind, f event.Path) bool {
	return slices.Contains(s.Past, key(kind, f))
}

// drawn reports whether it was, under any kind.
func (s session) drawn(f event.Path) bool {
	return slices.ContainsFunc(Kinds(), func(k Kind) bool { return s.predicted(k, f) })
}

// shadowed reports whether it was predicted below the threshold.
func (s session) shadowed(kind Kind, f event.Path) bool {
	return slices.Contains(s.Past, inShadow(kind, f))
}

// suggest takes in a suggestion event.
func (s *session) suggest(e event.Event) {
	p := openPrediction{ID: e.ID, Kind: Kind(e.Tool), Arm: Arm(e.Why), Left: Horizon, Label: labelOf(Kind(e.Tool))}
	if p.Label != LabelOpen {
		p.Left = 1
	}
	if p.Label == LabelChange {
		p.With, p.At = e.From, e.Time.UnixMilli()
	}
	if p.Arm == Shown {
		p.Led = Horizon
	}
	s.Tokens += max(e.Tokens, 0)
	if len(e.Paths) == 0 {
		return // a text that predicts nothing (see Account)
	}
	for i, f := range e.Paths {
		score := 0.0
		if i < len(e.Scores) && e.Scores[i] >= 0 && e.Scores[i] <= 1 {
			score = e.Scores[i]
		}
		p.Files = append(p.Files, file{Path: f, P: score})
		k := key(p.Kind, f)
		if p.Arm == Shadow {
			k = inShadow(p.Kind, f)
		}
		if !slices.Contains(s.Past, k) {
			s.Past = append(s.Past, k)
		}
	}
	if n := len(s.Past) - maxPast; n > 0 {
		s.Past = slices.Clone(s.Past[n:])
	}
	s.Open = append(s.Open, p)
	for i := range len(s.Open) - maxOpen {
		s.Open[i].Left, s.Open[i].Led = 0, 0
	}
	if tr := traits[p.Kind]; (tr.hint || tr.list) && p.Arm != Shadow {
		s.HintAt = e.Time.UnixMilli()
	}
}

// opened counts a file event against all that waits. first is true if it opened a file that the session had not opened before.
func (s *session) opened(e event.Event, first bool) {
	for i := range s.Open {
		s.Open[i].opened(e, first)
	}
}

// committed takes in a commit.
func (s *session) committed(e event.Event) {
	for i := range s.Open {
		s.Open[i].committed(e)
	}
}

// prompted ends the turn.
func (s *session) prompted() {
	s.HintAt = 0
	for i := range s.Open {
		if s.Open[i].Label == LabelTurn {
			s.Open[i].Left = 0
		}
	}
}

// ended ends every horizon. A change may be committed after the session.
func (s *session) ended() {
	for i := range s.Open {
		if s.Open[i].Label != LabelChange {
			s.Open[i].Left = 0
		}
		s.Open[i].Led = 0
	}
}

// expire ends every horizon, and every change.
func (s *session) expire() {
	s.ended()
	for i := range s.Open {
		s.Open[i].Left = 0
	}
}

// settle takes in an outcome event and returns the prediction it settles a file of. found is false for one that does not wait, so that
// no outcome counts twice. decided is true for the one outcome that decides on the prediction as a whole: the first use of a file, or
// the last file that was not used.
func (s *session) settle(e event.Event) (p openPrediction, found, decided bool) {
	i := slices.IndexFunc(s.Open, func(p openPrediction) bool { return p.ID == e.Cause })
	if i < 0 {
		return openPrediction{}, false, false
	}
	through, used, before := true, false, false
	for j := range s.Open[i].Files {
		f := &s.Open[i].Files[j]
		before = before || f.Settled && f.Used
		if slices.Contains(e.Paths, f.Path) && !f.Settled {
			f.Settled, f.Used, found = true, e.OK, true
			if !e.OK {
				s.Open[i].Left = 0 // a miss is only known when the horizon is over
			}
		}
		through, used = through && f.Settled, used || f.Used
	}
	p = s.Open[i]
	switch {
	case !found || p.Arm != Shown:
	case used:
		s.Ignored = 0
	case through && (p.Opens || !traits[p.Kind].list):
		s.Ignored++
	}
	return p, found, found && (used && !before || through && !used)
}

// waits reports whether any prediction has files that are not settled.
func (s session) waits() bool {
	waits := false
	for _, p := range s.Open {
		waits = waits || slices.ContainsFunc(p.Files, func(f file) bool { return !f.Settled })
	}
	return waits
}

// sweep drops predictions whose horizon is over, whose files are all settled, and that nothing more can be caused by.
func (s *session) sweep() {
	s.Open = slices.DeleteFunc(s.Open, func(p openPrediction) bool {
		return p.Left == 0 && p.Led == 0 && !slices.ContainsFunc(p.Files, func(f file) bool { return !f.Settled })
	})
}

// due lists what can be settled now: files that were used, and all files of a prediction past its horizon.
func (s session) due(each func(openPrediction, file)) {
	for _, p := range s.Open {
		for _, f := range p.Files {
			if !f.Settled && (f.Used || p.Left == 0) {
				each(p, f)
			}
		}
	}
}

// cause is the ID of the shown suggestion that named the file within the horizon, "" if none did.
func (s session) cause(f event.Path) string {
	for _, p := range s.Open {
		if p.Arm != Shown || p.Left == 0 && p.Led == 0 {
			continue
		}
		for _, g := range p.Files {
			if g.Path == f {
				return p.ID
			}
		}
	}
	return ""
}
