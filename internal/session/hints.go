package session

import (
	"maps"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

const (
	maxOpen  = 32  // predictions that may be open at once; older ones are resolved early
	maxMarks = 512 // marks of a session
	// The most that feedback can move a threshold: the whole length of its range.
	maxOffset = .5
	offsetBy  = .05 // amount that one feedback moves
)

// IdleEnd is the time without an event after which all predictions of a session are resolved.
const IdleEnd = 2 * time.Hour

// Hints records which hints a session got, or would have got, and what they cost. A session has
// several conversations: that of the agent, and one for each subagent. None of them knows what
// another one was shown.
type Hints struct {
	Open     []Prediction         // predictions that are not resolved yet, oldest first
	Marks    []Mark               // what was predicted, oldest first
	HintAt   map[string]time.Time // for each conversation, the time of its last hint since the last prompt
	Ignored  int                  // number of hints in a row that were shown and not used
	Offset   float64              // amount that feedback of people adds to the thresholds, in [-0.5, 0.5]
	Tokens   int                  // tokens of everything that was shown to this session
	Shown    int                  // files that were shown
	Resolved int                  // how many of Shown are resolved
	Used     int                  // how many of Resolved were used
	Last     time.Time            // time of the newest event that changed Hints
}

// Mark records that a kind of hint predicted a file to a conversation, and with which status.
type Mark struct {
	By, Kind, Status string
	File             event.Path
}

// Resolved is a file of a prediction for which an event has decided whether it was used in time.
type Resolved struct {
	Session string
	Prediction
	File Predicted
	// It decides the prediction as a whole: the first used file, or the last file that was not
	// used.
	Decides bool
}

func (h *Hints) clone() Hints {
	c := *h
	c.Open, c.Marks, c.HintAt = slices.Clone(h.Open), slices.Clip(h.Marks), maps.Clone(h.HintAt)
	for i := range c.Open {
		c.Open[i].Files = slices.Clone(c.Open[i].Files)
	}
	return c
}

// rename gives a file its new name. It reports whether the file had been predicted.
func (h *Hints) rename(from, to event.Path) (hit bool) {
	for i := range h.Open {
		p := &h.Open[i]
		hit = renamed(&p.With, from, to) || hit
		for j := range p.Files {
			if p.Files[j].Path == from {
				p.Files[j].Path, hit = to, true
			}
		}
	}
	if slices.ContainsFunc(h.Marks, func(m Mark) bool { return m.File == from }) {
		h.Marks, hit = slices.Clone(h.Marks), true
		for i := range h.Marks {
			if h.Marks[i].File == from {
				h.Marks[i].File = to
			}
		}
	}
	return hit
}

// at records the time of an event.
func (h *Hints) at(t time.Time) {
	if t.After(h.Last) {
		h.Last = t
	}
	h.sweep()
}

// sweep drops predictions that are finished: their horizon is over, it is known of all of their
// files whether they were used, and no further open can be attributed to them.
func (h *Hints) sweep() {
	h.Open = remaining(h.Open, func(p Prediction) bool { return p.Left == 0 && p.Led == 0 && !p.waits() })
}

// suggest applies the event of a hint.
func (h *Hints) suggest(e event.Event) {
	made, p := e.Body.(event.Hint), NewPrediction(e)
	h.Tokens += max(made.Tokens, 0)
	list := p.Label == LabelTurn
	files := made.Paths
	if p.Kind == Reload {
		files = nil
	}
	if p.Status == Shown {
		files = slices.Concat(files, made.Named)
		h.Shown += len(made.Paths)
	}
	for _, f := range files {
		if m := (Mark{e.Subagent, p.Kind, p.Status, f}); !slices.Contains(h.Marks, m) {
			h.Marks = append(h.Marks, m)
		}
	}
	if n := len(h.Marks) - maxMarks; n > 0 {
		h.Marks = slices.Clone(h.Marks[n:])
	}
	if len(p.Files) == 0 {
		return // a text that predicts nothing
	}
	h.Open = append(h.Open, p)
	for i := range len(h.Open) - maxOpen {
		h.Open[i].Left, h.Open[i].Led = 0, 0
	}
	if p.Status != Shadow && (list || p.Label == LabelNext) {
		if h.HintAt == nil {
			h.HintAt = map[string]time.Time{}
		}
		h.HintAt[e.Subagent] = e.Time
	}
}

// remaining returns a list without the elements for which drop is true. It returns nil instead of
// an empty list, because a list that is read from a snapshot has that form.
func remaining[V any](list []V, drop func(V) bool) []V {
	if list = slices.DeleteFunc(list, drop); len(list) > 0 {
		return list
	}
	return nil
}

// committed applies a commit.
func (h *Hints) committed(e event.Event) {
	for i := range h.Open {
		h.Open[i].Committed(e)
	}
	h.sweep()
}

// leads reports whether an event opens a file that a shown hint named not long ago: the prediction
// is still open, or an open can still be attributed to it.
func (h *Hints) leads(e event.Event) bool {
	return slices.ContainsFunc(h.Open, func(p Prediction) bool {
		return p.Status == Shown && (p.Left > 0 || p.Led > 0) && p.Concerns(e) && slices.ContainsFunc(e.Paths(), p.Names)
	})
}

// event applies an event of the session. first is true if the event opened a file that the session
// had not opened before.
func (h *Hints) event(e event.Event, first bool) {
	switch {
	case e.Kind() == event.KindRun || e.Kind() == event.KindFailed:
		return
	case e.Opens():
		for i := range h.Open {
			h.Open[i].Opened(e, first)
		}
	case e.Kind() == event.KindPrompt && e.Subagent == "":
		h.HintAt = nil
		for i := range h.Open {
			h.Open[i].Prompted()
		}
	case e.Kind() == event.KindEnd:
		for i := range h.Open {
			h.Open[i].Ended()
		}
	case emptied(e): // the agent no longer knows what it was shown
		h.Marks = remaining(slices.Clone(h.Marks), func(m Mark) bool { return m.By == e.Subagent })
	}
	h.at(e.Time)
}

// emptied reports whether the agent's context was emptied.
func emptied(e event.Event) bool {
	s, _ := e.Body.(event.Start)
	return s.Source == "compact" || s.Source == "clear"
}

// resolve decides the files that were used, and those whose horizon is over; idle ends every
// horizon. id is the session's.
func (h *Hints) resolve(id string, idle bool) (out []Resolved) {
	for i := range h.Open {
		p := &h.Open[i]
		if idle {
			p.Left = 0
		}
		for j := range p.Files {
			f := &p.Files[j]
			if f.Resolved || !f.Used && p.Left > 0 {
				continue
			}
			before := slices.ContainsFunc(p.Files, func(x Predicted) bool { return x.Resolved && x.Used })
			f.Resolved = true
			used, all := p.UsedFiles() > 0, !p.waits()
			if p.Status == Shown {
				h.count(p, *f, used, all)
			}
			out = append(out, Resolved{id, *p, *f, used && !before || all && !used})
		}
	}
	h.sweep()
	return out
}

// count counts a resolved file that was shown. used means that some file of the prediction was
// used, all that none is open.
func (h *Hints) count(p *Prediction, f Predicted, used, all bool) {
	h.Resolved++
	if f.Used {
		h.Used++
	}
	switch {
	case used:
		h.Ignored = 0
	case all && (p.Opens || p.Label != LabelTurn):
		h.Ignored++
	}
}

// feedback applies a person's judgement of hints.
func (h *Hints) feedback(f event.Feedback) {
	by := offsetBy
	if f.Helped {
		by, h.Ignored = -offsetBy, 0
	}
	h.Offset = min(max(h.Offset+by, -maxOffset), maxOffset)
}

// waits reports whether it is still undecided for some predicted file whether it was used.
func (h *Hints) waits() bool {
	return slices.ContainsFunc(h.Open, func(p Prediction) bool { return p.waits() })
}
