package history

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Past is what a question about a change is answered by. The zero value knows nothing.
type Past struct {
	Commits *Commits                    // of the repository; nil: none
	Diffs   map[event.Path]index.Sketch // what the files of the change change now, of those of which it is known
}

// Weights are those that fit what is known: where commits have sketches and the change has diffs, those that count both.
func (p Past) Weights() *Weights {
	if len(p.Diffs) > 0 && p.Commits.Sketched() {
		return ShippedSketched()
	}
	return Shipped()
}
