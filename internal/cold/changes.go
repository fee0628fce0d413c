package cold

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Changes returns the newest commits that changed a file, under its present and its earlier names, the newest first,
// at most most: those that Together counts, without one that deleted it. The files of a commit are those that it
// changed or deleted, under their present names. The cost is a search and a row per commit of the file, some 10 µs
// each.
func (d *DB) Changes(ctx context.Context, f event.Path, most int) ([]event.ChangeSet, error) {
	out, err := d.changes(ctx, f, most)
	return out, d.explain("list the commits of a file", err)
}

func (d *DB) changes(ctx context.Context, f event.Path, most int) ([]event.ChangeSet, error) {
	id, known, err := d.fileID(ctx, f)
	if err != nil || !known {
		return nil, err
	}
	l, err := d.aliases(ctx)
	if err != nil {
		return nil, err
	}
	type row struct {
		event.ChangeSet
		files []int64
	}
	var rows []row
	for _, name := range l.namesOf(id) {
		err := d.Each(ctx, `SELECT id, time, body FROM touches CROSS JOIN events ON id = event
WHERE file = ?1 AND touches.counted = 1 AND time > ?2 AND time <= ?3 ORDER BY time DESC, id DESC LIMIT ?4`,
			[]any{name.file, name.after, name.until, most}, func(r Row) error {
				var c row
				var at int64
				var body sql.RawBytes
				err := r.Scan(&c.ID, &at, &body)
				if err == nil {
					c.files, err = filesOf(body)
				}
				if err != nil || deletes(body, name.file) {
					return err
				}
				c.Time, c.files = time.UnixMilli(at), l.renames.present(c.files, at)
				rows = append(rows, c)
				return nil
			})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(b.ID, a.ID)) })
	rows = slices.CompactFunc(rows, func(a, b row) bool { return a.ID == b.ID }) // the commit that renames has both names
	rows = rows[:min(len(rows), most)]
	ids := map[int64]bool{}
	for _, r := range rows {
		for _, file := range r.files {
			ids[file] = true
		}
	}
	paths, err := d.pathsOfAll(ctx, slices.Collect(maps.Keys(ids)))
	if err != nil {
		return nil, err
	}
	out := make([]event.ChangeSet, len(rows))
	for i, r := range rows {
		out[i] = r.ChangeSet
		for _, file := range r.files {
			if p, named := paths[file]; named { // a file without a name belongs to a damaged row
				out[i].Files = append(out[i].Files, p)
			}
		}
	}
	return out, nil
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

// deletes reports whether the body of a commit deletes a file.
func deletes(body []byte, file int64) bool {
	for n, value := range bodyParts(body) {
		if n == fieldGone {
			ids, err := decodeIDs(value)
			return err == nil && slices.Contains(ids, file)
		}
	}
	return false
}
