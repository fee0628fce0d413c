package prefetch

import (
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Label says what a prediction is about: when a file counts as used, and when it is too late. Labels are stored in the event log
// (Event.Label).
type Label string

// The labels.
const (
	LabelOpen   Label = "open"   // opened within the conversation's next Horizon file events
	LabelNext   Label = "next"   // the next file that the conversation opens for the first time, or one requested together with it
	LabelTurn   Label = "turn"   // opened before the session's next prompt
	LabelChange Label = "change" // edited by the session, or committed together with a file of the change
)

// labelOf is what the outcomes of a kind mean.
func labelOf(k Kind) Label { return traits[k].label }

// measures reports whether an outcome event has the label of its kind.
func measures(e event.Event) bool { return Label(e.Label) == labelOf(Kind(e.Tool)) }

// openPrediction is a suggestion event that waits for its outcome.
type openPrediction struct {
	ID    string `json:"id"`
	Kind  Kind   `json:"kind"`
	Arm   Arm    `json:"fate"`
	By    string `json:"by,omitempty"` // conversation: a subagent, "" for the agent
	Left  int    `json:"left"`         // file events until the horizon; of other labels 1 until it is decided
	Files []file `json:"files"`

	Label Label        `json:"label,omitempty"`
	Opens bool         `json:"opens,omitempty"` // a file was opened for the first time since
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

// newPrediction is what a suggestion event predicts.
func newPrediction(e event.Event) openPrediction {
	p := openPrediction{ID: e.ID, Kind: Kind(e.Tool), Arm: Arm(e.Why), By: e.Subagent, Left: Horizon, Label: labelOf(Kind(e.Tool))}
	if p.Label != LabelOpen {
		p.Left = 1
	}
	if p.Label == LabelChange {
		p.With, p.At = e.From, e.Time.UnixMilli()
	}
	if p.Arm == Shown {
		p.Led = Horizon
	}
	for i, f := range e.Paths {
		score := 0.0
		if i < len(e.Scores) && e.Scores[i] >= 0 && e.Scores[i] <= 1 {
			score = e.Scores[i]
		}
		p.Files = append(p.Files, file{Path: f, P: score})
	}
	return p
}

// concerns reports whether an event of the session can decide the prediction. A turn and a change are those of the agent and its
// subagents; what is opened next is a matter of the conversation that was notified.
func (p *openPrediction) concerns(e event.Event) bool {
	return e.Subagent == p.By || p.Label == LabelTurn || p.Label == LabelChange
}

// opened takes in a file event. first is true if it opened a file that the session had not opened before.
func (p *openPrediction) opened(e event.Event, first bool) {
	if !p.concerns(e) {
		return
	}
	p.Led = max(p.Led-1, 0)
	p.Opens = p.Opens || first && p.Left > 0
	if p.Left == 0 {
		return
	}
	switch p.Label {
	case LabelTurn:
	case LabelChange:
		if e.Kind == event.KindRead {
			return
		}
	case LabelNext:
		if !first {
			return
		}
		if p.Batch != "" && p.Batch != e.Batch { // the step that has begun is over
			p.Left, p.Batch = 0, ""
			return
		}
		if p.Batch = e.Batch; p.Batch == "" {
			p.Left = 0
		}
	default:
		p.Left--
	}
	p.use(e.Paths)
}

func (p *openPrediction) use(paths []event.Path) {
	for i := range p.Files {
		p.Files[i].Used = p.Files[i].Used || slices.Contains(paths, p.Files[i].Path)
	}
}

// committed takes in a commit: one with a file of the change ends it.
func (p *openPrediction) committed(e event.Event) {
	in := func(f event.Path) bool { return slices.Contains(e.Paths, f) }
	if p.Label != LabelChange || p.Left == 0 || e.Time.UnixMilli() < p.At || !slices.ContainsFunc(p.With, in) {
		return
	}
	p.use(e.Paths)
	p.Left = 0
}

// prompted ends a turn.
func (p *openPrediction) prompted() {
	if p.Label == LabelTurn {
		p.Left = 0
	}
}

// ended takes in the end of the session.
func (p *openPrediction) ended() {
	if p.Label != LabelChange {
		p.Left = 0
	}
	p.Led = 0
}

// waits reports whether a file is not settled.
func (p openPrediction) waits() bool {
	return slices.ContainsFunc(p.Files, func(f file) bool { return !f.Settled })
}

// names reports whether the file is one of the prediction.
func (p openPrediction) names(f event.Path) bool {
	return slices.ContainsFunc(p.Files, func(x file) bool { return x.Path == f })
}

// used counts the files that were used.
func (p openPrediction) used() (n int) {
	for _, f := range p.Files {
		if f.Used {
			n++
		}
	}
	return n
}
