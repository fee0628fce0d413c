package eval

import (
	"context"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// archive counts commits as the daemon's event log does: without sweeps and commits of more than 100 files, and renamed
// files keep theirs.
type archive struct {
	ids     map[event.Path]int // of the files by their present names
	names   []event.Path       // the present or last names
	of      [][]int            // commits of each file, rising
	commits []archived
}

type archived struct {
	at    time.Time
	files []int
}

func newArchive() *archive { return &archive{ids: map[event.Path]int{}} }

func (a *archive) id(p event.Path) int {
	id, known := a.ids[p]
	if !known {
		id = len(a.names)
		a.ids[p], a.names, a.of = id, append(a.names, p), append(a.of, nil)
	}
	return id
}

func (a *archive) learn(e event.Event) {
	switch b := e.Body.(type) {
	case event.Rename:
		for i, from := range b.From {
			id := a.id(from)
			delete(a.ids, from)
			a.ids[b.To[i]], a.names[id] = id, b.To[i]
		}
	case event.Commit:
		if len(b.Paths)+len(b.Gone) > mostPairs || b.Sweep() {
			return
		}
		c := archived{at: e.Time}
		for _, p := range slices.Concat(b.Paths, b.Gone) {
			c.files = append(c.files, a.id(p))
		}
		slices.Sort(c.files)
		c.files = slices.Compact(c.files)
		for _, f := range c.files {
			a.of[f] = append(a.of[f], len(a.commits))
		}
		a.commits = append(a.commits, c)
	}
}

// together counts the commits of both files, and of a.
func (a *archive) together(_ context.Context, x, y event.Path) (both, of int, err error) {
	i, known := a.ids[x]
	if !known {
		return 0, 0, nil
	}
	if j, known := a.ids[y]; known {
		for _, c := range a.of[i] {
			if _, found := slices.BinarySearch(a.of[j], c); found {
				both++
			}
		}
	}
	return both, len(a.of[i]), nil
}

// changes returns the newest commits of a file.
func (a *archive) changes(_ context.Context, f event.Path, most int) (out []event.ChangeSet, err error) {
	id, known := a.ids[f]
	if !known {
		return nil, nil
	}
	for _, c := range slices.Backward(a.of[id]) {
		if len(out) == most {
			break
		}
		set := event.ChangeSet{ID: int64(c), Time: a.commits[c].at}
		for _, g := range a.commits[c].files {
			set.Files = append(set.Files, a.names[g])
		}
		out = append(out, set)
	}
	return out, nil
}
