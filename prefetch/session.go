package prefetch

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Horizon is how many next file events a predicted file has to be opened in.
const Horizon = 10

const (
	hintEvery   = 30 * time.Second // hints of one conversation, unless a prompt comes between
	idleEnd     = 2 * time.Hour    // after this long without a file event a session's predictions are settled
	maxOpen     = 32               // predictions of a session that wait at once; the oldest is settled early
	maxPast     = 512              // marks of a session (see mark)
	maxOffset   = Ceiling - Floor
	sessionForm = 1 // version of the stored form
)

// session is what is remembered of a session between its events. It is kept in one field of the session in the
// hot store, goes when the session goes, and changes in Fold only. A session has several conversations: that of the agent and one of each
// subagent. None knows what another was shown.
type session struct {
	Form    int              `json:"v"`
	Open    []openPrediction `json:"open,omitempty"`    // not yet settled, oldest first
	Past    []string         `json:"marks,omitempty"`   // marks of what was predicted, oldest first
	HintAt  map[string]int64 `json:"hints,omitempty"`   // conversation → unix ms of its last hint since the last prompt
	Ignored int              `json:"ignored,omitempty"` // shown suggestions in a row of which nothing was used
	Offset  float64          `json:"offset,omitempty"`  // what people's feedback adds to the thresholds
	Tokens  int              `json:"tokens,omitempty"`  // spent on what was shown to this session
	Last    int64            `json:"last,omitempty"`    // unix ms of the last event that changed this

	Seeks    bool `json:"seeks,omitempty"`    // the turn was shown no list, and has opened no file that is new to the session
	Searches int  `json:"searches,omitempty"` // of that turn
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
	s.Open = s.Open[max(0, len(s.Open)-maxOpen):]
	s.Past = s.Past[max(0, len(s.Past)-maxPast):]
	for i := range s.Open {
		s.Open[i].Left = min(max(s.Open[i].Left, 0), Horizon)
		s.Open[i].Led = min(max(s.Open[i].Led, 0), Horizon)
	}
	return s
}

// encode is the stored form, "" for a session with nothing to remember.
func (s session) encode() string {
	if len(s.Open) == 0 && len(s.Past) == 0 && len(s.HintAt) == 0 && s.Ignored == 0 && s.Offset == 0 && s.Tokens == 0 && !s.Seeks {
		return ""
	}
	s.Form = sessionForm
	data, err := json.Marshal(s)
	if err != nil {
		return "" // only numbers that are none fail, and decode never lets one in
	}
	return string(data)
}

// mark says that a kind predicted a file to a conversation, and in which arm.
func mark(conversation string, kind Kind, arm Arm, f event.Path) string {
	return strings.Join([]string{conversation, string(kind), string(arm), string(f)}, "\x00")
}

// notified is what one conversation was notified of, or was to be.
type notified struct {
	arms  map[event.Path]Arm           // shown or withheld, under whatever kind
	kinds map[Kind]map[event.Path]bool // predicted under that kind, in any arm
}

func (t notified) add(kind Kind, arm Arm, f event.Path) {
	if t.kinds[kind] == nil {
		t.kinds[kind] = map[event.Path]bool{}
	}
	t.kinds[kind][f] = true
	if arm != Shadow && t.arms[f] != Shown {
		t.arms[f] = arm
	}
}

// notified is that of a conversation.
func (s session) notified(conversation string) notified {
	t := notified{map[event.Path]Arm{}, map[Kind]map[event.Path]bool{}}
	for _, m := range s.Past {
		if parts := strings.SplitN(m, "\x00", 4); len(parts) == 4 && parts[0] == conversation {
			t.add(Kind(parts[1]), Arm(parts[2]), event.Path(parts[3]))
		}
	}
	return t
}

// suggest takes in a suggestion event.
func (s *session) suggest(e event.Event) {
	s.Tokens += max(e.Tokens, 0)
	kind, arm := Kind(e.Tool), Arm(e.Why)
	s.Seeks = s.Seeks && !(arm == Shown && traits[kind].list)
	files := e.Paths
	if traits[kind].text {
		files = nil // the text names none
	}
	if arm == Shown {
		files = slices.Concat(files, e.Named)
	}
	for _, f := range files {
		if m := mark(e.Subagent, kind, arm, f); !slices.Contains(s.Past, m) {
			s.Past = append(s.Past, m)
		}
	}
	if n := len(s.Past) - maxPast; n > 0 {
		s.Past = slices.Clone(s.Past[n:])
	}
	if len(e.Paths) == 0 {
		return // a text that predicts nothing
	}
	s.Open = append(s.Open, newPrediction(e))
	for i := range len(s.Open) - maxOpen {
		s.Open[i].Left, s.Open[i].Led = 0, 0
	}
	if tr := traits[kind]; (tr.hint || tr.list) && arm != Shadow {
		if s.HintAt == nil {
			s.HintAt = map[string]int64{}
		}
		s.HintAt[e.Subagent] = e.Time.UnixMilli()
	}
}

// compacted forgets what a conversation was notified of, because its agent has.
func (s *session) compacted(conversation string) {
	s.Past = slices.DeleteFunc(s.Past, func(m string) bool { return strings.HasPrefix(m, conversation+"\x00") })
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
	s.HintAt, s.Seeks, s.Searches = nil, true, 0
	for i := range s.Open {
		s.Open[i].prompted()
	}
}

// ended ends every horizon. A change may be committed after the session.
func (s *session) ended() {
	for i := range s.Open {
		s.Open[i].ended()
	}
}

// expire ends every horizon, and every change.
func (s *session) expire() {
	for i := range s.Open {
		s.Open[i].Left, s.Open[i].Led = 0, 0
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
	return slices.ContainsFunc(s.Open, openPrediction.waits)
}

// sweep drops predictions whose horizon is over, whose files are all settled, and that nothing more can be caused by.
func (s *session) sweep() {
	s.Open = slices.DeleteFunc(s.Open, func(p openPrediction) bool { return p.Left == 0 && p.Led == 0 && !p.waits() })
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

// cause is the ID of the shown suggestion that named one of the files of an event within the horizon, "" if none did.
func (s session) cause(e event.Event, f event.Path) string {
	for _, p := range s.Open {
		if p.Arm == Shown && (p.Left > 0 || p.Led > 0) && p.concerns(e) && p.names(f) {
			return p.ID
		}
	}
	return ""
}
