package cold

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// maxIDs is the number of file ids that are kept in memory, enough for the files that people work
// on.
const maxIDs = 4096

// touchedBy returns the files that an event acted upon. The event can later be found by these
// files.
func touchedBy(e event.Event) []event.Path {
	var more []event.Path
	switch b := e.Body.(type) {
	case event.Commit:
		more = b.Gone
	case event.Uncommit:
		more = b.Gone
	case event.Rename:
		more = b.From
	case event.Hint:
		more = b.Change
	}
	return slices.Concat(e.Paths(), more)
}

// fileIDs returns the ids of all files that this clone's events touch. Files without an id get one.
func (d *DB) fileIDs(tx *Tx, events []event.Event) (map[event.Path]int64, error) {
	ids := map[event.Path]int64{}
	var missing []any
	for _, e := range events {
		if e.Origin != "" {
			continue
		}
		for _, p := range touchedBy(e) {
			if _, ok := ids[p]; ok {
				continue
			}
			if ids[p] = d.ids[p]; ids[p] == 0 {
				missing = append(missing, string(p))
			}
		}
	}
	found := func(row Row) error {
		var id int64
		var p string
		err := row.Scan(&id, &p)
		ids[event.Path(p)] = id
		return err
	}
	if err := tx.many("SELECT id, file FROM files WHERE file IN (VALUES %s)", 1, missing, found); err != nil {
		return nil, err
	}
	fresh := slices.DeleteFunc(slices.Clone(missing), func(p any) bool { return ids[event.Path(p.(string))] != 0 })
	if err := tx.many("INSERT INTO files (file) VALUES %s RETURNING id, file", 1, fresh, found); err != nil {
		return nil, err
	}
	if d.ids == nil || len(d.ids) >= maxIDs {
		d.ids = map[event.Path]int64{}
	}
	for _, p := range missing[:min(len(missing), maxIDs)] {
		p := event.Path(strings.Clone(p.(string))) // the string may be part of a much larger one
		d.ids[p] = ids[p]
	}
	return ids, nil
}

// paths returns the paths of all files by their ids.
func (d *DB) paths(ctx context.Context) (map[int64]event.Path, error) {
	return pairs[int64, event.Path](ctx, d.File, "SELECT id, file FROM files")
}

// fileID returns the id of a path. ok is false if it has none.
func (d *DB) fileID(ctx context.Context, p event.Path) (id int64, ok bool, err error) {
	ok, err = d.Scan(ctx, "SELECT id FROM files WHERE file = ?", []any{string(p)}, &id)
	return id, ok, err
}

// named returns the ids of a file, or of all files below a folder that ends in '/'.
func (d *DB) named(ctx context.Context, db querier, p event.Path) (ids []int64, err error) {
	return column[int64](ctx, d.File, db,
		"SELECT id FROM files WHERE file = ?1 OR substr(?1, -1) = '/' AND substr(file, 1, length(?1)) = ?1", string(p))
}

// Knows reports whether an event acted upon a file, or upon any file below a folder if p ends in
// '/'.
func (d *DB) Knows(ctx context.Context, p event.Path) (bool, error) {
	ids, err := d.named(ctx, d.reader, p)
	return len(ids) > 0, d.explain("search for a file", err)
}

// touch is a row of the table touches.
type touch struct{ file, counted, event int64 }

// maxChange is the largest number of files in a commit that still tells which files belong
// together. A larger commit is a sweep.
const maxChange = 100

// touchesOf returns the rows by which an event can be found by its files. Sweeps get none, because
// they do not tell which files belong together.
func touchesOf(r *row, e event.Event, ids map[event.Path]int64) (out []touch) {
	if c, ok := e.Body.(event.Commit); ok && c.Sweep() || e.Origin != "" {
		return nil
	}
	for _, p := range touchedBy(e) {
		out = append(out, touch{ids[p], r.counted.Int64, r.id})
	}
	slices.SortFunc(out, touch.compare)
	out = slices.Compact(out)
	if r.counted.Valid && (r.counted.Int64 == 0 || len(out) > maxChange) {
		return nil
	}
	return out
}

func (t touch) compare(o touch) int {
	return cmp.Or(cmp.Compare(t.file, o.file), cmp.Compare(t.counted, o.counted), cmp.Compare(t.event, o.event))
}

// insertTouches writes rows in the order of the table, so that it grows leaf by leaf. In any other
// order each row would need a search.
func insertTouches(tx *Tx, touches []touch) error {
	slices.SortFunc(touches, touch.compare)
	args := make([]any, 0, 3*len(touches))
	for _, t := range touches {
		args = append(args, t.file, t.counted, t.event)
	}
	return tx.many("INSERT OR IGNORE INTO touches (file, counted, event) VALUES %s", 3, args, nil)
}
