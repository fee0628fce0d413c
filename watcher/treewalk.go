package watcher

import (
	"container/list"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
)

// maxDepth bounds the folders inside one another; a longer path could not be kept anyway.
const maxDepth = 1024

// treeDiff compares trees entry by entry. Both sides are sorted, so that one pass over them suffices, and a
// folder with the same id on both sides is not looked into.
type treeDiff struct {
	load  func(plumbing.Hash) ([]treeEntry, error)
	names *names
	out   []entry
}

// compare appends to out what changed from tree a to tree b; the zero id is the empty tree.
func (d *treeDiff) compare(a, b plumbing.Hash, prefix string, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%w: folders %d deep", errObject, depth)
	}
	left, err := d.load(a)
	if err != nil {
		return err
	}
	right, err := d.load(b)
	if err != nil {
		return err
	}
	for len(left) > 0 || len(right) > 0 {
		var order int
		switch {
		case len(left) == 0:
			order = 1
		case len(right) == 0:
			order = -1
		default:
			order = compareEntries(&left[0], &right[0])
		}
		switch {
		case order < 0:
			err = d.pair(&left[0], nil, prefix, depth)
			left = left[1:]
		case order > 0:
			err = d.pair(nil, &right[0], prefix, depth)
			right = right[1:]
		default:
			err = d.pair(&left[0], &right[0], prefix, depth)
			left, right = left[1:], right[1:]
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pair compares what one name stands for on both sides (nil: nothing).
func (d *treeDiff) pair(old, new *treeEntry, prefix string, depth int) error {
	if old != nil && new != nil && old.id == new.id && old.mode == new.mode {
		return nil
	}
	var from, to plumbing.Hash
	e := old
	if new != nil {
		e = new
	}
	if e.mode == modeTree {
		if old != nil {
			from = old.id
		}
		if new != nil {
			to = new.id
		}
		return d.compare(from, to, prefix+e.name+"/", depth+1)
	}
	var was, is uint32
	status := byte('M')
	if old != nil {
		was = old.mode
	} else {
		status = 'A'
	}
	if new != nil {
		is = new.mode
	} else {
		status = 'D'
	}
	if status == 'M' && was&modeType != is&modeType {
		status = 'T'
	}
	out, ok := makeEntry(was, is, status)
	if !ok {
		return nil
	}
	switch {
	case out.status == 'D':
		out.blob = old.id.String()
	case out.status == 'A':
		out.blob = new.id.String()
	}
	if out.path = d.names.path([]byte(prefix + e.name)); out.path != "" {
		d.out = append(d.out, out)
	}
	return nil
}

// compareEntries is git's order of names in a tree: a folder sorts as if its name ended in a slash.
func compareEntries(a, b *treeEntry) int {
	n := min(len(a.name), len(b.name))
	for i := range n {
		if a.name[i] != b.name[i] {
			return int(a.name[i]) - int(b.name[i])
		}
	}
	return int(after(a, n)) - int(after(b, n))
}

func after(e *treeEntry, n int) byte {
	switch {
	case n < len(e.name):
		return e.name[n]
	case e.mode == modeTree:
		return '/'
	}
	return 0
}

// treeCache keeps the trees used last. It is bounded by their entries: a bound on the number of trees lets a
// repository with huge folders fill the memory.
type treeCache struct {
	max, held int
	order     list.List // of *cachedTree, newest first
	byID      map[plumbing.Hash]*list.Element
}

type cachedTree struct {
	id      plumbing.Hash
	entries []treeEntry
}

func newTreeCache(max int) *treeCache {
	return &treeCache{max: max, byID: map[plumbing.Hash]*list.Element{}}
}

func (c *treeCache) get(id plumbing.Hash) ([]treeEntry, bool) {
	el, ok := c.byID[id]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(el)
	return el.Value.(*cachedTree).entries, true
}

func (c *treeCache) put(id plumbing.Hash, entries []treeEntry) {
	c.byID[id] = c.order.PushFront(&cachedTree{id, entries})
	for c.held += len(entries) + 1; c.held > c.max; {
		last := c.order.Back()
		t := c.order.Remove(last).(*cachedTree)
		delete(c.byID, t.id)
		c.held -= len(t.entries) + 1
	}
}
