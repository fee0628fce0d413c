package history

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Past has what is needed to answer a question about a change. The zero value knows nothing.
type Past struct {
	Commits *Commits                    // the commits of the repository; nil if none exist
	Diffs   map[event.Path]index.Sketch // what the change does to its files, as far as that is known
	Pending bool                        // the commits' diffs are still being read
	// Returns the present content of a file, nil if it cannot be read. If Text is nil, no Place is
	// known.
	Text func(event.Path) []byte
	// Returns how other files are linked with a file. If Links is nil, that is not known.
	Links func(event.Path) Links
	Memo  *Memo // set for several questions about one change; nil otherwise
}

// Alone reports whether a change is a single file of whose change nothing is known, but whose links to
// other files are.
func (p Past) Alone(change []event.Path) bool {
	return len(change) == 1 && len(p.Diffs) == 0 && p.Links != nil
}

// Companions returns the companions of a change from what is known; see Commits.Companions. weights
// replace the shipped ones unless nil. It also returns the weights that it used.
func (p Past) Companions(weights *Weights, change []event.Path, has func(event.Path) bool,
	most int) ([]Companion, *Weights) {
	var links Links
	if p.Alone(change) {
		links = p.Links(change[0])
	}
	switch {
	case weights != nil:
	case links != nil:
		weights = ShippedAlone()
	// If commits have sketches and the change has diffs, the weights for both apply.
	case len(p.Diffs) > 0 && p.Commits.Sketched():
		weights = ShippedSketched()
	default:
		weights = Shipped()
	}
	return p.Commits.Companions(p.Memo, weights, change, p.Diffs, links, has, most), weights
}

// Place returns the place in x's file that the precedents of x changed, if the file still has it.
// It reads the file.
func (p Past) Place(x *Companion) event.Place {
	if p.Text == nil {
		return event.Place{}
	}
	weights := p.Commits.places(x)
	if len(weights) == 0 {
		return event.Place{}
	}
	return index.PlaceOf(x.File, p.Text(x.File), weights)
}
