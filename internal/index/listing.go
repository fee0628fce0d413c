package index

import (
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// listing holds lists of files by a key: a name, a folder. A list that was given out never changes. So a removal would
// copy the list, and to empty a folder would take the square of its files. A file that leaves a long list is marked
// instead, and the list is copied without all marked files when it is read next, or when half of its files are marked.
type listing struct {
	lists map[string][]event.Path
	gone  map[string]map[event.Path]bool // key → files still in its list that were removed
}

// longList is the number of files from which on a list is not copied for each removal.
const longList = 64

func newListing(n int) listing {
	return listing{lists: make(map[string][]event.Path, n), gone: map[string]map[event.Path]bool{}}
}

// add enters the one path of the slice, which serves as the list as long as it is alone. The path is not in the list.
func (l *listing) add(key string, one []event.Path) {
	if l.gone[key][one[0]] { // its place is still there
		l.unmark(key, one[0])
		return
	}
	list := l.lists[key]
	if list == nil {
		l.lists[key] = one
		return
	}
	l.lists[key] = append(list, one...)
}

func (l *listing) unmark(key string, p event.Path) {
	delete(l.gone[key], p)
	if len(l.gone[key]) == 0 {
		delete(l.gone, key)
	}
}

// remove takes a path out of a list that has it.
func (l *listing) remove(key string, p event.Path) {
	list := l.lists[key]
	if len(list) <= longList && l.gone[key] == nil {
		l.keep(key, without(list, p))
		return
	}
	marked := l.gone[key]
	if marked == nil {
		marked = map[event.Path]bool{}
		l.gone[key] = marked
	}
	if marked[p] = true; len(marked) > len(list)/2 {
		l.clean(key)
	}
}

// clean takes the marked files out of a list.
func (l *listing) clean(key string) {
	marked := l.gone[key]
	if marked == nil {
		return
	}
	kept := make([]event.Path, 0, len(l.lists[key])-len(marked))
	for _, p := range l.lists[key] {
		if !marked[p] {
			kept = append(kept, p)
		}
	}
	l.keep(key, kept)
	delete(l.gone, key)
}

func (l *listing) keep(key string, list []event.Path) {
	if len(list) == 0 {
		delete(l.lists, key)
	} else {
		l.lists[key] = list
	}
}

// without is a copy of a list without a path, the list itself if it does not have the path.
func without(list []event.Path, p event.Path) []event.Path {
	i := slices.Index(list, p)
	if i < 0 {
		return list
	}
	kept := make([]event.Path, 0, len(list)-1)
	return append(append(kept, list[:i]...), list[i+1:]...)
}
