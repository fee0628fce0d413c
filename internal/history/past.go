package history

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Past is what a question about a change is answered by. The zero value knows nothing.
type Past struct {
	Commits *Commits                    // of the repository; nil: none
	Diffs   map[event.Path]index.Sketch // what the files of the change change now, of those of which it is known
	Pending bool                        // what the commits changed is still being read
	Text    func(event.Path) []byte     // a file as it is now, nil if it cannot be read; nil: no Place is known
}

// Place is where the precedents of x changed its file, if the file still has that. It reads the file.
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

// Weights are those that fit what is known: where commits have sketches and the change has diffs, those that count both.
func (p Past) Weights() *Weights {
	if len(p.Diffs) > 0 && p.Commits.Sketched() {
		return ShippedSketched()
	}
	return Shipped()
}
