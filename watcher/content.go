package watcher

import (
	"hash/maphash"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// contents remembers what files held when they were last saved. Writing the same content again is
// not a save: the hooks of pre-commit and lint-staged put away what is not staged and write it back
// later, without git's lock.
type contents struct {
	seed maphash.Seed
	of   map[event.Path]uint64
}

// maxContents is how many files are remembered. Beyond it all are forgotten: what is written back
// then counts as a save.
const maxContents = 20_000

func newContents() contents { return contents{maphash.MakeSeed(), map[event.Path]uint64{}} }

// renew stores the hash of the file's content, and reports whether it differs from the one before.
// A file that cannot be read, or is larger than index.MaxEdited, always counts as changed.
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

// forget lets the next save of a file count, whatever it holds.
func (c *contents) forget(p event.Path) { delete(c.of, p) }

// rename takes what is remembered to the new name of a file.
func (c *contents) rename(from, to event.Path) {
	if sum, known := c.of[from]; known {
		c.of[to] = sum
	}
	delete(c.of, from)
}
