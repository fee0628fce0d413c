package rank

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Values are the file's signals, as they entered its score.
func (s Scored) Values() Values { return s.c.values }

// NamedIn finds the files that a text names, at most 60, in the order of the text. Only tokens that look like a name
// (with a dot or a slash) are tried.
func NamedIn(text string, tree *index.Tree) []event.Path { return namedIn(text, tree) }
