package cold

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// A file keeps its history when it is renamed. Events stay as they were delivered and name a file as it was called
// then, so that replay and uncommit are exact. Renames are kept with their times, and questions follow them:
// Together(new, x) also counts what old had with x before the rename, but not what a later file of the old name has.
// The order in which history is delivered does not matter: it comes newest first. Only the totals move: a rename adds
// those of the old name to the new one's.

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

// loadRenames reads the renames once; later writers keep them up to date.
func (d *DB) loadRenames(tx *Tx) (renames, error) {
	if d.renames != nil {
		return d.renames, nil
	}
	h := renames{}
	err := tx.Each(selectRenames, nil, h.scan)
	if err == nil {
		d.renames = h
	}
	return h, err
}

// add enters a rename.
func (h renames) add(was int64, to renameTo) {
	i, found := slices.BinarySearchFunc(h[was], to, func(x, y renameTo) int { return cmp.Compare(x.at, y.at) })
	if found {
		h[was][i] = to
		return
	}
	h[was] = slices.Insert(h[was], i, to)
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

// record keeps each pair of a rename and moves its totals.
func (h renames) record(tx *Tx, at int64, r event.Rename, id func(event.Path) int64) error {
	n := min(len(r.From), len(r.To))
	for i := range n {
		from, to := id(r.From[i]), id(r.To[i])
		if from == to {
			continue
		}
		h.add(from, renameTo{at, to})
		err := tx.run([]any{from, at, to},
			"INSERT INTO renames (was, time, became) VALUES (?1, ?2, ?3) ON CONFLICT (was, time) DO UPDATE SET became = ?3")
		if err != nil {
			return err
		}
	}
	for i := range n {
		from, to := id(r.From[i]), id(r.To[i])
		if from == to {
			continue
		}
		if err := moveTotals(tx, from, to); err != nil {
			return err
		}
	}
	return nil
}

// moveTotals adds the totals of one file to those of another and clears them.
func moveTotals(tx *Tx, from, to int64) error {
	var n, first, last int64
	found, err := tx.Scan("SELECT total_accesses, first_access, last_access FROM file_stats WHERE id = ?", []any{from}, &n,
		&first, &last)
	if err != nil || !found || n == 0 {
		return err // most renames come out of the history, of files that nobody has opened yet
	}
	err = tx.run([]any{from}, "UPDATE file_stats SET total_accesses = 0, first_access = 0, last_access = 0 WHERE id = ?")
	if err != nil {
		return err
	}
	return tx.run([]any{to, n, first, last}, `UPDATE file_stats SET
  total_accesses = total_accesses + ?2, last_access = max(last_access, ?4),
  first_access = CASE WHEN first_access = 0 THEN ?3 WHEN ?3 = 0 THEN first_access ELSE min(first_access, ?3) END WHERE id = ?1`)
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
	for was, list := range h {
		after := int64(math.MinInt64)
		for _, to := range list {
			now := h.now(was, to.at)
			l.names[now] = append(l.names[now], alias{was, after, to.at})
			after = to.at
		}
		l.names[was] = append(l.names[was], alias{was, after, math.MaxInt64}) // another file may have it since
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

// Renamed returns the present name of a file that had that name, by the renames that were logged. ok is false
// when it was never renamed.
func (d *DB) Renamed(ctx context.Context, p event.Path) (now event.Path, ok bool, err error) {
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
	}
	if id == first {
		return "", false, nil
	}
	now, err = d.pathsOf(ctx, d.reader)(id)
	return now, err == nil, err
}
