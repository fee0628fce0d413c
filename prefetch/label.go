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
	LabelOpen   Label = "open"   // opened within the session's next Horizon file events
	LabelNext   Label = "next"   // the next file that the session opens for the first time, or one requested together with it
	LabelTurn   Label = "turn"   // opened before the session's next prompt
	LabelChange Label = "change" // edited by the session, or committed together with a file of the change
)

// labelOf is what the outcomes of a kind mean.
func labelOf(k Kind) Label { return traits[k].label }

// measures reports whether an outcome event has the label of its kind. Before outcomes had labels, all of them were about opens.
func measures(e event.Event) bool {
	label := Label(e.Label)
	if label == "" {
		label = LabelOpen
	}
	return label == labelOf(Kind(e.Tool))
}

// opened takes in a file event. first is true if it opened a file that the session had not opened before.
func (p *openPrediction) opened(e event.Event, first bool) {
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
