package session

import (
	"cmp"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Label says what a prediction is about: when a file counts as used, and when it is too late.
// Labels are stored in the event log (event.Hint).
type Label string

// The labels.
const (
	LabelOpen   Label = "open"   // opened within the conversation's next Horizon file events
	LabelNext   Label = "next"   // the next file that the conversation opens for the first time, or one asked for with it
	LabelTurn   Label = "turn"   // a list, one file of which is opened before the session's next prompt
	LabelChange Label = "change" // edited by the session, or committed together with a file of the change
)

// Horizon is how many next file events a predicted file has to be opened in.
const Horizon = 10

// Words of the event log about hints, as package prefetch writes them.
const (
	Shown  = "shown"  // Hint.Status: the words of the hint were said
	Shadow = "shadow" // Hint.Status: it was not likely enough
	Reload = "reload" // Hint.Name: the one kind whose words do not name the files that it predicts
)

// Prediction is a hint event whose outcome is not known yet.
type Prediction struct {
	ID     string
	Kind   string // Hint.Name
	Status string // Hint.Status
	By     string // conversation: a subagent, "" for the agent
	Left   int    // file events until the horizon; of other labels than LabelOpen 1 until it is decided
	Files  []Predicted

	Label Label
	Opens bool         // a file was opened for the first time since
	Led   int          // file events in which an open counts as caused by it
	Batch string       // LabelNext: the calls requested together that it is decided by
	With  []event.Path // LabelChange: files of the change
	At    time.Time
}

// Predicted is one file of a prediction.
type Predicted struct {
	Path     event.Path
	P        float64 // its probability, in [0,1]
	Used     bool
	Resolved bool // it is known whether it was used in time
}

// NewPrediction returns the prediction that a hint event makes.
func NewPrediction(e event.Event) Prediction {
	h, _ := e.Body.(event.Hint)
	p := Prediction{ID: e.ID, Kind: h.Name, Status: h.Status, By: e.Subagent, Left: Horizon, At: e.Time,
		Label: cmp.Or(Label(h.Label), LabelOpen)}
	if p.Label != LabelOpen {
		p.Left = 1
	}
	if p.Label == LabelChange {
		p.With = h.Change
	}
	if p.Status == Shown {
		p.Led = Horizon
	}
	for i, f := range h.Paths {
		score := 0.0
		if i < len(h.Scores) && h.Scores[i] >= 0 && h.Scores[i] <= 1 {
			score = h.Scores[i]
		}
		p.Files = append(p.Files, Predicted{Path: f, P: score})
	}
	return p
}

// Concerns reports whether an event of the session can decide the prediction. A turn and a change
// are those of the agent and its subagents; what is opened next is a matter of the conversation
// that was notified.
func (p *Prediction) Concerns(e event.Event) bool {
	return e.Subagent == p.By || p.Label == LabelTurn || p.Label == LabelChange
}

// Opened takes in a file event. first is true if it opened a file that the session had not opened
// before.
func (p *Prediction) Opened(e event.Event, first bool) {
	if !p.Concerns(e) {
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
		if e.Kind() == event.KindRead {
			return
		}
	case LabelNext:
		if !first {
			return
		}
		batch := e.Call().Batch
		if p.Batch != "" && p.Batch != batch { // the step that has begun is over
			p.Left, p.Batch = 0, ""
			return
		}
		if p.Batch = batch; p.Batch == "" {
			p.Left = 0
		}
	default:
		p.Left--
	}
	p.use(e.Paths())
}

func (p *Prediction) use(paths []event.Path) {
	for i := range p.Files {
		p.Files[i].Used = p.Files[i].Used || slices.Contains(paths, p.Files[i].Path)
	}
}

// Committed takes in a commit: one with a file of the change ends it.
func (p *Prediction) Committed(e event.Event) {
	in := func(f event.Path) bool { return slices.Contains(e.Paths(), f) }
	if p.Label != LabelChange || p.Left == 0 || e.Time.Before(p.At) || !slices.ContainsFunc(p.With, in) {
		return
	}
	p.use(e.Paths())
	p.Left = 0
}

// Prompted ends a turn.
func (p *Prediction) Prompted() {
	if p.Label == LabelTurn {
		p.Left = 0
	}
}

// Ended takes in the end of the session. A change may be committed after it.
func (p *Prediction) Ended() {
	if p.Label != LabelChange {
		p.Left = 0
	}
	p.Led = 0
}

// waits reports whether a file is not resolved.
func (p *Prediction) waits() bool {
	return slices.ContainsFunc(p.Files, func(f Predicted) bool { return !f.Resolved })
}

// Names reports whether the file is one of the prediction.
func (p *Prediction) Names(f event.Path) bool {
	return slices.ContainsFunc(p.Files, func(x Predicted) bool { return x.Path == f })
}

// UsedFiles counts the files that were used.
func (p *Prediction) UsedFiles() (n int) {
	for _, f := range p.Files {
		if f.Used {
			n++
		}
	}
	return n
}
