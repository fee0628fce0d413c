package index

import (
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// pathLists holds lists of paths by key: a file name, a folder. A list that was handed out never changes, so a removal
// would have to copy it, and to empty a folder would take the square of its files. Instead, a path that leaves a long
// list is marked. The list is copied without its marked paths when it is read next, or when half of its paths are
// marked.
type pathLists struct {
	lists   map[string][]event.Path
	removed map[string]map[event.Path]bool // key → marked paths of its list
}

// longList is the number of paths from which on a list is not copied for each removal.
const longList = 64

func newPathLists(n int) pathLists {
	return pathLists{lists: make(map[string][]event.Path, n), removed: map[string]map[event.Path]bool{}}
}

// add appends the one path of a slice to a list that does not have it. The slice itself becomes the list of a new key.
func (l *pathLists) add(key string, one []event.Path) {
	if marked := l.removed[key]; marked[one[0]] {
		if delete(marked, one[0]); len(marked) == 0 {
			delete(l.removed, key)
		}
		return
	}
	if list := l.lists[key]; list != nil {
		one = append(list, one...)
	}
	l.lists[key] = one
}

// remove takes a path off a list that has it.
func (l *pathLists) remove(key string, p event.Path) {
	list, marked := l.lists[key], l.removed[key]
	if len(list) <= longList && marked == nil {
		l.set(key, withoutPath(list, p))
		return
	}
	if marked == nil {
		marked = map[event.Path]bool{}
		l.removed[key] = marked
	}
	if marked[p] = true; len(marked) > len(list)/2 {
		l.compact(key)
	}
}

// compact takes the marked paths off a list.
func (l *pathLists) compact(key string) {
	marked := l.removed[key]
	if marked == nil {
		return
	}
	kept := make([]event.Path, 0, len(l.lists[key])-len(marked))
	for _, p := range l.lists[key] {
		if !marked[p] {
			kept = append(kept, p)
		}
	}
	l.set(key, kept)
	delete(l.removed, key)
}

func (l *pathLists) set(key string, list []event.Path) {
	if len(list) == 0 {
		delete(l.lists, key)
	} else {
		l.lists[key] = list
	}
}

// withoutPath returns a copy of a list without a path, the list itself if it does not have the path.
func withoutPath(list []event.Path, p event.Path) []event.Path {
	i := slices.Index(list, p)
	if i < 0 {
		return list
	}
	return slices.Concat(list[:i], list[i+1:])
}
