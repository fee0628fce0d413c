package cold

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// fileIDs are the ids of paths in the table files.
type fileIDs map[event.Path]int64

func (ids fileIDs) id(p event.Path) int64 { return ids[p] }

// maxIDs bounds the ids that are kept in memory: those of the files that one works on.
const maxIDs = 4096

// fileIDs returns the ids of all paths of the events, giving one to each that has none.
func (d *DB) fileIDs(tx *Tx, events []event.Event) (fileIDs, error) {
	ids := fileIDs{}
	var missing []any
	for i := range events {
		events[i].ChangePaths(func(list *[]event.Path) {
			for _, p := range *list {
				if _, ok := ids[p]; ok {
					continue
				}
				if ids[p] = d.ids[p]; ids[p] == 0 {
					missing = append(missing, string(p))
				}
			}
		})
	}
	known := map[any]bool{} // a damaged row may have the id 0
	found := func(row Row) error {
		var id int64
		var p string
		err := row.Scan(&id, &p)
		ids[event.Path(p)], known[p] = id, true
		return err
	}
	if err := tx.many("SELECT id, file FROM files WHERE file IN (VALUES %s)", 1, missing, found); err != nil {
		return nil, err
	}
	fresh := slices.DeleteFunc(slices.Clone(missing), func(p any) bool { return known[p] })
	if err := tx.many("INSERT INTO files (file) VALUES %s RETURNING id, file", 1, fresh, found); err != nil {
		return nil, err
	}
	if d.ids == nil || len(d.ids) >= maxIDs {
		d.ids = fileIDs{}
	}
	for _, p := range missing[:min(len(missing), maxIDs)] {
		p := event.Path(strings.Clone(p.(string))) // it may be a part of something large
		d.ids[p] = ids[p]
	}
	return ids, nil
}

// pathsOf returns a function that finds the path of an id, with one query per file. A file that has no name is
// ErrRow, and counted.
func (f *File) pathsOf(ctx context.Context, db querier) func(id int64) (event.Path, error) {
	known := map[int64]event.Path{}
	return func(id int64) (event.Path, error) {
		if p, ok := known[id]; ok {
			return p, nil
		}
		var p event.Path
		found, err := f.scan(ctx, db, "SELECT file FROM files WHERE id = ?", []any{id}, []any{(*string)(&p)})
		if err == nil && !found {
			err = fmt.Errorf("%w: file %d has no name", ErrRow, id)
			f.bad.skip(err)
		}
		if err != nil {
			return "", err
		}
		known[id] = p
		return p, nil
	}
}

// paths is pathsOf for a transaction that writes.
func (tx *Tx) paths() func(id int64) (event.Path, error) { return tx.f.pathsOf(background, tx) }

// fileID is the id of a path, if it has one.
func (d *DB) fileID(ctx context.Context, p event.Path) (id int64, ok bool, err error) {
	ok, err = d.Scan(ctx, "SELECT id FROM files WHERE file = ?", []any{string(p)}, &id)
	return id, ok, err
}

// named returns the ids of a file, or of all files below a folder that ends in '/'.
func (d *DB) named(ctx context.Context, p event.Path) (ids []int64, err error) {
	err = d.Each(ctx, `SELECT id FROM files
WHERE file = ?1 OR substr(?1, -1) = '/' AND substr(file, 1, length(?1)) = ?1`, []any{string(p)},
		func(row Row) error {
			var id int64
			err := row.Scan(&id)
			ids = append(ids, id)
			return err
		})
	return ids, err
}

// Knows reports whether the log knows a file, or any file below a folder that ends in '/'.
func (d *DB) Knows(ctx context.Context, p event.Path) (bool, error) {
	ids, err := d.named(ctx, p)
	return len(ids) > 0, d.explain("search for a file", err)
}

// touch is a row of the table touches.
type touch struct{ file, counted, event int64 }

// maxChange is the most files of a commit that says which files belong together; a larger one is a sweep.
const maxChange = 100

// touchesOf are the rows by which an event is found by its files.
func touchesOf(r *row, e event.Event, id func(event.Path) int64) (out []touch) {
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
	for _, p := range slices.Concat(e.Paths(), more) {
		out = append(out, touch{id(p), r.counted.Int64, r.id})
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

// insertTouches writes rows in the order of the table: so it grows leaf by leaf, where every row would be a search.
func insertTouches(tx *Tx, touches []touch) error {
	slices.SortFunc(touches, touch.compare)
	args := make([]any, 0, 3*len(touches))
	for _, t := range touches {
		args = append(args, t.file, t.counted, t.event)
	}
	return tx.many("INSERT OR IGNORE INTO touches (file, counted, event) VALUES %s", 3, args, nil)
}

// cut takes what follows its own length off the front.
func cut(data *[]byte) (part []byte, ok bool) {
	n, used := binary.Uvarint(*data)
	if used <= 0 || n > uint64(len(*data)-used) {
		return nil, false
	}
	end := used + int(n)
	part, *data = (*data)[used:end:end], (*data)[end:]
	return part, true
}

// pathsOfAll finds the paths of many files at once.
func (d *DB) pathsOfAll(ctx context.Context, ids []int64) (map[int64]event.Path, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	out := make(map[int64]event.Path, len(ids))
	err = d.Each(ctx, "SELECT id, file FROM files WHERE id IN (SELECT value FROM json_each(?))", []any{string(list)},
		func(row Row) error {
			var id int64
			var p string
			err := row.Scan(&id, &p)
			out[id] = event.Path(p)
			return err
		})
	return out, err
}
