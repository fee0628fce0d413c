package session

import (
	"cmp"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Label tells when a predicted file counts as used, and when it is too late. Labels are stored in
// the event log (event.Hint).
type Label string

// The labels.
const (
	LabelOpen Label = "open" // opened within the conversation's next Horizon file events
	// The next file that the conversation opens for the first time, or one that is requested
	// together with it.
	LabelNext   Label = "next"
	LabelTurn   Label = "turn"   // a list with a file that is opened before the session's next prompt
	LabelChange Label = "change" // edited by the session, or committed together with a file of the change
)

// Horizon is the number of file events within which a predicted file has to be opened.
const Horizon = 10

// Words in the event log about hints, as package prefetch writes them.
const (
	Shown  = "shown"  // Hint.Status: the text of the hint was shown
	Shadow = "shadow" // Hint.Status: the file was not probable enough
	Reload = "reload" // Hint.Name: the only kind whose text does not name the predicted files
)

// Prediction is the event of a hint whose outcome is not known yet.
type Prediction struct {
	ID     string
	Kind   string // Hint.Name
	Status string // Hint.Status
	By     string // the conversation: a subagent, "" for the agent itself
	// Left is the number of file events until it is decided whether the files were used. For labels
	// other than LabelOpen it is 1 until then.
	Left  int
	Files []Predicted

	Label Label
	Opens bool         // a file has been opened for the first time since
	Led   int          // an open within this many further file events is still attributed to the hint
	Batch string       // LabelNext: the calls, requested together, that decide it
	With  []event.Path // LabelChange: the files of the change
	At    time.Time
}

// Predicted is one file of a prediction.
type Predicted struct {
	Path     event.Path
	P        float64 // its probability, in [0,1]
	Used     bool
	Resolved bool // it is known whether the file was used in time
}

// NewPrediction returns the prediction in the event of a hint.
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

// Concerns reports whether an event of the session can resolve the prediction. A turn and a change
// belong to the agent and all its subagents; what is opened next concerns only the conversation
// that got the hint.
func (p *Prediction) Concerns(e event.Event) bool {
	return e.Subagent == p.By || p.Label == LabelTurn || p.Label == LabelChange
}

// Opened applies an event with files. first is true if it opened a file that the session had not
// opened before.
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
		if p.Batch != "" && p.Batch != batch { // the step that had begun is over
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

// Committed applies a commit. A commit with a file of the change resolves the prediction.
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

// Ended applies the end of the session. A change may be committed after it, so predictions about
// changes stay open.
func (p *Prediction) Ended() {
	if p.Label != LabelChange {
		p.Left = 0
	}
	p.Led = 0
}

// waits reports whether it is still undecided for some file whether it was used.
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
