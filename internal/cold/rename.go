package cold

import (
	"context"
	"math"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// A file keeps its history when it is renamed. Logged events keep the name that the file had at the
// time, so that replay and uncommit are exact. The renames of all branches are stored with their
// times, and questions follow them to a name that exists in the checkout. A new name also gets the
// history of the old name before the rename, but not the history of a later file with the old name.
// The order in which history is delivered does not matter; in fact the newest comes first.

// renames has the renames of each file by the id of its old name, ordered by time.
type renames map[int64][]renameTo

type renameTo struct{ at, became int64 }

func (h renames) scan(row Row) error {
	var was int64
	var to renameTo
	if err := row.Scan(&was, &to.at, &to.became); err != nil {
		return err
	}
	h[was] = append(h[was], to)
	return nil
}

// now returns the id of the present name of the file that had a name at a time. Each further rename
// in the chain must be later than the one before, so that swapped names do not lead in circles.
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

// names finds the names that files have in one checkout.
type names struct {
	renames
	has   func(id int64) bool
	links map[int64][]int64 // for each name, the names that the file had before or after it, on any branch
	known map[int64]int64   // cache of alive
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

// here returns the id of the present name of the file that had a name at a time. That is the name
// to which later renames lead, if it exists in the checkout; else the old name, or another name of
// the file that exists.
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

// alive returns the nearest name that exists of a file that has the name id on some branch, or id
// itself if none exists.
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

// recordRename stores the pairs of names in a rename.
func recordRename(tx *Tx, at int64, r event.Rename, ids map[event.Path]int64) error {
	for i := range min(len(r.From), len(r.To)) {
		from, to := ids[r.From[i]], ids[r.To[i]]
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

// renames reads all renames.
func (d *DB) renames(ctx context.Context) (renames, error) {
	h := renames{}
	err := d.Each(ctx, "SELECT was, time, became FROM renames ORDER BY was, time", nil, h.scan)
	return h, err
}

// alias is a name that a file had from after to until (unix ms).
type alias struct{ file, after, until int64 }

// aliases returns the names of files, including those that they had before their present names.
func (h renames) aliases(ids []int64) (out []alias) {
	for _, id := range ids { // on other branches the file may have this name at any time
		out = append(out, alias{id, math.MinInt64, math.MaxInt64})
	}
	for was, list := range h {
		after := int64(math.MinInt64)
		for _, to := range list {
			if slices.Contains(ids, h.now(was, to.at)) {
				out = append(out, alias{was, after, to.at})
			}
			after = to.at
		}
	}
	return out
}

// maxRenames is the longest chain of renames that is followed, because two files that swapped names
// lead to each other.
const maxRenames = 16

// Renamed follows the logged renames of a file and returns the first later name for which exists is
// true. ok is false if none exists.
func (d *DB) Renamed(ctx context.Context, p event.Path, exists func(event.Path) bool) (now event.Path, ok bool,
	err error) {
	first, known, err := d.fileID(ctx, p)
	if err != nil || !known {
		return "", false, err
	}
	id := first
	for range maxRenames {
		found, err := d.Scan(ctx, `SELECT became, file FROM renames JOIN files ON files.id = became
WHERE was = ? ORDER BY time DESC LIMIT 1`, []any{id}, &id, (*string)(&now))
		if err != nil || !found || id == first {
			return "", false, err
		}
		if exists(now) {
			return now, true, nil
		}
	}
	return "", false, nil
}
