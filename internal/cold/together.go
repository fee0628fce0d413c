package cold

import (
	"context"
	"encoding/hex"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
)

// HistoryCommits is how many commits History has at most, the newest: some 2 MB.
const HistoryCommits = 50_000

// Version grows with every change of what History reads: commits, renames, what is forgotten.
func (d *DB) Version() int64 { return d.commits.Load() }

// History reads the counted commits of at most 100 files that are no sweeps (event.Commit.Sweep), for one checkout.
// Only commits of reached count, by id; nil: all do. Files have the names that they have in that checkout: has says
// which exist there. It costs some 5 µs for each commit.
func (d *DB) History(ctx context.Context, reached map[string]bool, has func(event.Path) bool) (*history.Commits, error) {
	commits, err := d.readCommits(ctx, reached, has)
	return commits, d.explain("read the commits", err)
}

func (d *DB) readCommits(ctx context.Context, reached map[string]bool,
	has func(event.Path) bool) (*history.Commits, error) {
	type commit struct {
		id, at int64
		files  []int64
	}
	var all []*commit
	byID := map[int64]*commit{}
	err := d.Each(ctx, "SELECT id, time, substr(body, 1, 34) FROM events WHERE counted = 1 ORDER BY time DESC, id DESC LIMIT ?",
		[]any{HistoryCommits}, func(row Row) error {
			c, head := &commit{}, []byte(nil)
			err := row.Scan(&c.id, &c.at, &head)
			if reached == nil || reached[commitOf(head)] {
				all, byID[c.id] = append(all, c), c
			}
			return err
		})
	if err != nil {
		return nil, err
	}
	err = d.Each(ctx, "SELECT event, file FROM touches WHERE counted = 1", nil, func(row Row) error {
		var id, file int64
		err := row.Scan(&id, &file)
		if c := byID[id]; c != nil {
			c.files = append(c.files, file)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	paths := map[int64]event.Path{}
	err = d.Each(ctx, "SELECT id, file FROM files", nil, func(row Row) error {
		var id int64
		var p string
		err := row.Scan(&id, &p)
		paths[id] = event.Path(p)
		return err
	})
	if err != nil {
		return nil, err
	}
	h := renames{}
	if err := d.Each(ctx, selectRenames, nil, h.scan); err != nil {
		return nil, err
	}
	n := newNames(h, func(id int64) bool { return has(paths[id]) })
	out := &history.Commits{}
	for _, c := range slices.Backward(all) {
		var files []event.Path
		for _, f := range c.files {
			if p := paths[n.here(f, c.at)]; p != "" { // a file without a name belongs to a damaged row
				files = append(files, p)
			}
		}
		if len(files) > 0 {
			out.Add(files)
		}
	}
	return out, nil
}

// commitOf is the id of the commit whose event has a body that begins so, "" for none.
func commitOf(head []byte) string {
	for number, sha := range bodyParts(head) {
		if number == fieldSHA {
			return hex.EncodeToString(sha)
		}
		break
	}
	return ""
}

// CommitsOfYear is how many counted commits, of all branches, are of the year before the newest one.
func (d *DB) CommitsOfYear(ctx context.Context) (n int, err error) {
	err = d.Each(ctx, "SELECT count(*) FROM events WHERE counted = 1 AND time > (SELECT max(time) FROM events WHERE counted = 1) - ?",
		[]any{(365 * 24 * time.Hour).Milliseconds()}, func(row Row) error { return row.Scan(&n) })
	return n, err
}
