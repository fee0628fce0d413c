package history

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Past is what a question about a change is answered from. The zero value knows nothing.
type Past struct {
	Commits *Commits                    // of the repository; nil: none
	Diffs   map[event.Path]index.Sketch // what the files of the change change now, of those of which it is known
	Pending bool                        // what the commits changed is still being read
	Text    func(event.Path) []byte     // a file as it is now, nil if it cannot be read; nil: no Place is known
	Links   func(event.Path) Links      // what links other files with one; nil: not known
}

// Companions returns the companions of a change from what is known, see Commits.Companions. weights
// replace the shipped ones unless nil. It also returns the weights that it used.
func (p Past) Companions(weights *Weights, change []event.Path, has func(event.Path) bool, most int) ([]Companion, *Weights) {
	var links Links
	if len(change) == 1 && len(p.Diffs) == 0 && p.Links != nil {
		links = p.Links(change[0])
	}
	switch {
	case weights != nil:
	case links != nil:
		weights = ShippedAlone()
	// Where commits have sketches and the change has diffs, weights that count both fit.
	case len(p.Diffs) > 0 && p.Commits.Sketched():
		weights = ShippedSketched()
	default:
		weights = Shipped()
	}
	return p.Commits.Companions(weights, change, p.Diffs, links, has, most), weights
}

// Place is where the precedents of x changed its file, if the file still has that. It reads the
// file.
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
