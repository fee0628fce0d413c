package cold

import (
	"context"
	"math"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// A file keeps its history when it is renamed. Events stay as they were delivered and name a file as it was called
// then, so that replay and uncommit are exact. Renames of all branches are kept with their times, and questions follow
// them to a name that the checkout has: History counts for the new name also what the old one had before the rename,
// but not what a later file of the old name has. The order in which history is delivered does not matter: it comes
// newest first.

// renames are the renames by the id of the old name, each list by time.
type renames map[int64][]renameTo

type renameTo struct{ at, became int64 }

const selectRenames = "SELECT was, time, became FROM renames ORDER BY was, time"

func (h renames) scan(row Row) error {
	var was int64
	var to renameTo
	if err := row.Scan(&was, &to.at, &to.became); err != nil {
		return err
	}
	h[was] = append(h[was], to)
	return nil
}

// now returns the id of the present name of what was called id at that time. Every further rename must be later than
// the one before, so that names which were swapped do not chase each other.
func (h renames) now(id, at int64) int64 {
	for first := true; ; first = false {
		list := h[id]
		i := slices.IndexFunc(list, func(x renameTo) bool { return x.at > at || first && x.at == at })
		if i < 0 {
			return id
		}
		id, at = list[i].became, list[i].at
	}
}

// present returns the files, called so at that time, under their present names, each once.
func (h renames) present(files []int64, at int64) []int64 {
	for i, id := range files {
		files[i] = h.now(id, at)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// names finds what files are called in one checkout.
type names struct {
	renames
	has   func(id int64) bool
	links map[int64][]int64 // name → those that it became or was before, on any branch
	known map[int64]int64   // see alive
}

func newNames(h renames, has func(int64) bool) *names {
	n := &names{h, has, map[int64][]int64{}, map[int64]int64{}}
	for was, list := range h {
		for _, to := range list {
			n.links[was], n.links[to.became] = append(n.links[was], to.became), append(n.links[to.became], was)
		}
	}
	return n
}

// here returns the id of the name that a file has in the checkout which was called id at that time: the name that the
// renames after it lead to, where it exists; else that one itself, or another name of the file that exists.
func (n *names) here(id, at int64) int64 {
	if now := n.now(id, at); now != id && n.has(now) {
		return now
	}
	if len(n.links[id]) == 0 || n.has(id) {
		return id
	}
	now, known := n.known[id]
	if !known {
		now = n.alive(id)
		n.known[id] = now
	}
	return now
}

// alive is the nearest name that exists of a file that is called id on some branch, id itself if none does.
func (n *names) alive(id int64) int64 {
	seen := []int64{id}
	for i := 0; i < len(seen) && i < maxRenames; i++ {
		for _, next := range n.links[seen[i]] {
			if n.has(next) {
				return next
			}
			if !slices.Contains(seen, next) {
				seen = append(seen, next)
			}
		}
	}
	return id
}

// recordRename keeps each pair of a rename.
func recordRename(tx *Tx, at int64, r event.Rename, id func(event.Path) int64) error {
	for i := range min(len(r.From), len(r.To)) {
		from, to := id(r.From[i]), id(r.To[i])
		if from == to {
			continue
		}
		err := tx.run([]any{from, at, to},
			"INSERT INTO renames (was, time, became) VALUES (?1, ?2, ?3) ON CONFLICT (was, time) DO UPDATE SET became = ?3")
		if err != nil {
			return err
		}
	}
	return nil
}

// alias is a name that a file had after and until these times (unix ms).
type alias struct{ file, after, until int64 }

// aliases knows the names that every renamed file had.
type aliases struct {
	version int64 // of DB.renamed
	renames renames
	names   map[int64][]alias // present name → earlier names and the time of the present one
}

// namesOf returns the names of a file; a file that had only one is found under it at any time.
func (l *aliases) namesOf(id int64) []alias {
	if names, ok := l.names[id]; ok {
		return names
	}
	return []alias{{id, math.MinInt64, math.MaxInt64}}
}

func (h renames) aliases(version int64) *aliases {
	l := &aliases{version: version, renames: h, names: map[int64][]alias{}}
	for was, list := range h { // was keeps its name on the branches that did not rename it
		after := int64(math.MinInt64)
		for _, to := range list {
			now := h.now(was, to.at)
			l.names[now] = append(l.names[now], alias{was, after, to.at})
			after = to.at
		}
		l.names[was] = append(l.names[was], alias{was, math.MinInt64, math.MaxInt64}) // other branches have it
	}
	for now := range l.names {
		if _, renamed := h[now]; !renamed {
			l.names[now] = append(l.names[now], alias{now, math.MinInt64, math.MaxInt64})
		}
	}
	return l
}

// aliases returns the names of renamed files, read again after every batch with renames.
func (d *DB) aliases(ctx context.Context) (*aliases, error) {
	version := d.renamed.Load() // before reading: a rename in between makes what is read stale, not the reverse
	if l := d.names.Load(); l != nil && l.version == version {
		return l, nil
	}
	h := renames{}
	if err := d.Each(ctx, selectRenames, nil, h.scan); err != nil {
		return nil, err
	}
	l := h.aliases(version)
	d.names.Store(l)
	return l, nil
}

// maxRenames bounds a chain of renames: two files that swapped names point at each other.
const maxRenames = 16

// Renamed returns the first later name that exists of a file that had that name, by the renames that were logged. ok is
// false when there is none.
func (d *DB) Renamed(ctx context.Context, p event.Path, exists func(event.Path) bool) (now event.Path, ok bool,
	err error) {
	first, known, err := d.fileID(ctx, p)
	if err != nil || !known {
		return "", false, err
	}
	id := first
	for range maxRenames {
		found, err := d.Scan(ctx, "SELECT became FROM renames WHERE was = ? ORDER BY time DESC LIMIT 1", []any{id}, &id)
		if err != nil {
			return "", false, err
		}
		if !found || id == first {
			break
		}
		if now, err = d.pathsOf(ctx, d.reader)(id); err != nil || exists(now) {
			return now, err == nil, err
		}
	}
	return "", false, nil
}
