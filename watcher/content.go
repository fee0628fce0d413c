package watcher

import (
	"hash/maphash"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// contents remembers the content of each file at its last save. Writing the same content again is
// not a save: pre-commit and lint-staged, for example, remove unstaged changes and write them back
// later, without taking git's lock.
type contents struct {
	seed maphash.Seed
	of   map[event.Path]uint64
}

// maxContents is the number of files that are remembered. When it is exceeded all are forgotten,
// and the next write of a file counts as a save even if its content is the same.
const maxContents = 20_000

func newContents() contents { return contents{maphash.MakeSeed(), map[event.Path]uint64{}} }

// renew stores the hash of a file's content and reports whether it differs from the previous one. A
// file that cannot be read, or is larger than index.MaxEdited, always counts as changed.
func (c *contents) renew(root event.Root, p event.Path) bool {
	text, err := regularfile.Read(root.Abs(p), regularfile.NoLinks, index.MaxEdited)
	if err != nil {
		delete(c.of, p)
		return true
	}
	sum := maphash.Bytes(c.seed, text)
	before, known := c.of[p]
	if known && before == sum {
		return false
	}
	if len(c.of) >= maxContents {
		clear(c.of)
	}
	c.of[p] = sum
	return true
}

// forget forgets the content of a file, so that its next write counts as a save.
func (c *contents) forget(p event.Path) { delete(c.of, p) }

// rename moves the remembered content of a file to its new name.
func (c *contents) rename(from, to event.Path) {
	if sum, known := c.of[from]; known {
		c.of[to] = sum
	}
	delete(c.of, from)
}
