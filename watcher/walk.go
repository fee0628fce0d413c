package watcher

import (
	"container/heap"
	"math"

	"github.com/go-git/go-git/v5/plumbing"
)

// walk is the state of one visit: a queue of commits by date, newest first, those of one date in the order
// they were met, as git has it.
type walk struct {
	*objects
	seen   map[plumbing.Hash]*visited
	queue  []*visited
	met    int
	wanted int   // queued and not unwanted
	oldest int64 // date of the oldest commit found
}

// slack is how long the walk goes on looking for reasons against what it found, in seconds of commit dates:
// parents younger than their children come from clocks that are wrong.
const slack = 24 * 3600

func (w *walk) more(border bool) bool {
	if len(w.queue) == 0 {
		return false
	}
	if !border || w.wanted > 0 {
		return true
	}
	return w.oldest != math.MaxInt64 && w.queue[0].raw.time >= w.oldest-slack
}

// push queues a commit when it is met first, and carries the mark "unwanted" to all it reaches.
func (w *walk) push(id plumbing.Hash, unwant bool) error {
	if w.met == 0 {
		w.oldest = math.MaxInt64
	}
	at, ok := w.seen[id]
	if !ok {
		raw, err := w.commit(id)
		if err != nil {
			return err
		}
		at = &visited{id: id, raw: raw, unwant: unwant, queued: true, seq: w.met}
		w.met++
		w.seen[id] = at
		heap.Push(w, at)
		if !unwant {
			w.wanted++
		}
		return nil
	}
	if unwant {
		w.mark(at)
	}
	return nil
}

// mark spreads "unwanted" over the part of the graph that was seen already.
func (w *walk) mark(at *visited) {
	stack := []*visited{at}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if at.unwant {
			continue
		}
		at.unwant = true
		if at.queued {
			w.wanted--
		}
		for _, p := range at.raw.parents {
			if next := w.seen[p]; next != nil {
				stack = append(stack, next)
			}
		}
	}
}

// give hands a commit on with its first parent's tree, and lets go of what nobody needs of it any more.
func (w *walk) give(at *visited, yield func(*visited, plumbing.Hash) error) error {
	var parent plumbing.Hash
	if len(at.raw.parents) > 0 {
		parent = w.seen[at.raw.parents[0]].raw.tree
	}
	err := yield(at, parent)
	at.raw.subject = ""
	return err
}

// Len, Less, Swap, Push and Pop make walk a heap.
func (w *walk) Len() int { return len(w.queue) }

// Less orders by date, newest first.
func (w *walk) Less(i, j int) bool {
	a, b := w.queue[i], w.queue[j]
	if a.raw.time != b.raw.time {
		return a.raw.time > b.raw.time
	}
	return a.seq < b.seq
}

// Swap swaps two places of the queue.
func (w *walk) Swap(i, j int) { w.queue[i], w.queue[j] = w.queue[j], w.queue[i] }

// Push is for container/heap only.
func (w *walk) Push(x any) { w.queue = append(w.queue, x.(*visited)) }

// Pop is for container/heap only.
func (w *walk) Pop() any {
	last := len(w.queue) - 1
	at := w.queue[last]
	w.queue[last], w.queue = nil, w.queue[:last]
	return at
}
