package cold

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// A file keeps its history when it is renamed. What is told stays as it was told: events, commits and the table
// changes name a file as it was called then, so that replay and uncommit are exact. Renames are remembered with
// their times, and questions follow them: Together(new, x) also counts what old had with x before the rename,
// but not what a later file of the old name has. The order in which history is told does not matter, and it
// is told newest first. Only the statistics move: a rename adds those of the old name to the new one's.

// hop is one rename of a file.
type hop struct{ at, became int64 }

// hops are the renames by the short name of the old file, each list by time.
type hops map[int64][]hop

// loadHops reads the renames once; later writers keep them up to date.
func (w writing) loadHops() (hops, error) {
	if w.d.hops != nil {
		return w.d.hops, nil
	}
	s, err := w.stmt("renames")
	if err != nil {
		return nil, err
	}
	found, err := s.QueryContext(background)
	if err != nil {
		return nil, err
	}
	h, err := scanHops(found)
	w.d.hops = h
	return h, err
}

// readHops is loadHops for a reader, who sees the renames of its own moment.
func (d *DB) readHops(ctx context.Context, tx *sql.Tx) (hops, error) {
	found, err := tx.QueryContext(ctx, d.query("renames"))
	if err != nil {
		return nil, err
	}
	return scanHops(found)
}

func scanHops(found *sql.Rows) (hops, error) {
	defer found.Close()
	h := hops{}
	for found.Next() {
		var was int64
		var to hop
		if err := found.Scan(&was, &to.at, &to.became); err != nil {
			return nil, err
		}
		h[was] = append(h[was], to)
	}
	return h, found.Err()
}

// add enters a rename.
func (h hops) add(was int64, to hop) {
	i, found := slices.BinarySearchFunc(h[was], to, func(x, y hop) int { return cmp.Compare(x.at, y.at) })
	if found {
		h[was][i] = to
		return
	}
	h[was] = slices.Insert(h[was], i, to)
}

// now returns the present name of what was called id at that time. Every further hop must be later than the
// one before, so that names which were swapped do not chase each other.
func (h hops) now(id, at int64) int64 {
	for first := true; ; first = false {
		list := h[id]
		i := slices.IndexFunc(list, func(x hop) bool { return x.at > at || first && x.at == at })
		if i < 0 {
			return id
		}
		id, at = list[i].became, list[i].at
	}
}

// present returns the files, called so at that time, under their present names, each once.
func (h hops) present(files []int64, at int64) []int64 {
	for i, id := range files {
		files[i] = h.now(id, at)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// changed returns the files that the commit touched, each once, none if it is too large to say what belongs together.
func (r *commitRow) changed() ([]int64, error) {
	p, err := unpack(r.files)
	if err != nil {
		return nil, r.bad(err)
	}
	files := slices.Concat(p.files, p.gone)
	slices.Sort(files)
	if files = slices.Compact(files); len(files) > maxChange {
		return nil, nil
	}
	return files, nil
}

// alias is a name that a file bore in commits later than after and not later than until.
type alias struct{ name, after, until int64 }

// lineage knows the names that every renamed file had.
type lineage struct {
	version int64             // of DB.renamed
	names   map[int64][]alias // present name → earlier names and the time of the present one
}

// of returns the names of a file; a file that had only one is found under it at any time.
func (l *lineage) of(id int64) []alias {
	if names, ok := l.names[id]; ok {
		return names
	}
	return []alias{{id, math.MinInt64, math.MaxInt64}}
}

// lineage turns the renames round.
func (h hops) lineage(version int64) *lineage {
	l := &lineage{version: version, names: map[int64][]alias{}}
	for was, list := range h {
		after := int64(math.MinInt64)
		for _, to := range list {
			now := h.now(was, to.at)
			l.names[now] = append(l.names[now], alias{was, after, to.at})
			after = to.at
		}
		l.names[was] = append(l.names[was], alias{was, after, math.MaxInt64}) // another file may bear it since
	}
	for now := range l.names {
		if _, renamed := h[now]; !renamed {
			l.names[now] = append(l.names[now], alias{now, math.MinInt64, math.MaxInt64})
		}
	}
	return l
}

// lineage returns the names of renamed files, read again after every batch with renames.
func (d *DB) lineage(ctx context.Context) (*lineage, error) {
	version := d.renamed.Load() // before reading: a rename in between makes what is read stale, not the reverse
	if l := d.lines.Load(); l != nil && l.version == version {
		return l, nil
	}
	found, err := d.rows(ctx, "renames")
	if err != nil {
		return nil, err
	}
	h, err := scanHops(found)
	if err != nil {
		return nil, err
	}
	l := h.lineage(version)
	d.lines.Store(l)
	return l, nil
}

// rename remembers each pair of the event and carries its statistics over.
func (b *batch) rename(e event.Event) error {
	from, err := b.names.ids(e.From)
	if err != nil {
		return err
	}
	to, err := b.names.ids(e.Paths)
	if err != nil {
		return err
	}
	at := e.Time.UnixMilli()
	n := min(len(from), len(to))
	for i := range n {
		if from[i] == to[i] {
			continue
		}
		b.hops.add(from[i], hop{at, to[i]})
		if err := b.run("insert_rename", from[i], at, to[i]); err != nil {
			return err
		}
	}
	for i := range n {
		if from[i] == to[i] {
			continue
		}
		if err := b.carry(from[i], to[i]); err != nil {
			return err
		}
	}
	return nil
}

// carry adds the statistics of one file to those of another and clears them.
func (w writing) carry(from, to int64) error {
	var accesses int64
	found, err := w.Scan("accesses_of", []any{from}, &accesses)
	if err != nil || !found || accesses == 0 {
		return err // most renames come out of the history, of files that nobody has opened yet
	}
	for _, step := range []struct {
		name string
		args []any
	}{
		{"carry_stats", []any{from, to}},
		{"clear_stats", []any{from}},
		{"carry_session_files", []any{from, to}},
		{"drop_session_files", []any{from}},
		{"recount_file_sessions", []any{to}},
		{"carry_tag_files", []any{from, to}},
		{"forget_tag_files", []any{from}},
	} {
		if err := w.run(step.name, step.args...); err != nil {
			return err
		}
	}
	return nil
}
