package cold

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Changes returns the newest commits that touched a file, under its present and its earlier names, the newest first, at most most: those
// that Together counts. The files of a commit are those that it changed or deleted, under their present names. The cost is a search
// and a row per commit of the file, some 10 µs each.
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
	for _, name := range l.of(id) {
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
				c.Time, c.files = time.UnixMilli(at), l.renames.present(c.files, at)
				rows = append(rows, c)
				return err
			})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(b.ID, a.ID)) })
	rows = slices.CompactFunc(rows, func(a, b row) bool { return a.ID == b.ID }) // the commit that renames has both names
	path := d.paths(ctx)
	out := make([]event.ChangeSet, min(len(rows), most))
	for i := range out {
		out[i] = rows[i].ChangeSet
		for _, file := range rows[i].files {
			p, err := path(file)
			if errors.Is(err, ErrRow) {
				continue // a file without a name belongs to a row that cannot be right
			}
			if err != nil {
				return nil, err
			}
			out[i].Files = append(out[i].Files, p)
		}
	}
	return out, nil
}
