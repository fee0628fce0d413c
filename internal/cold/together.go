package cold

import (
	"context"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
)

// HistoryCommits is the largest number of commits that History returns, the newest ones. They take
// some 2 MB.
const HistoryCommits = 50_000

// Version returns a number that changes with everything that History reads: commits, renames, and
// what is forgotten.
func (d *DB) Version() int64 { return d.version.Load() }

// History reads the commits that tell which files belong together: those of at most 100 files that
// are not sweeps (event.Commit.Sweep). If reached is not nil, only commits with these ids are read.
// Files get the names that they have in one checkout; has reports which names exist there. sketches
// tells what the commits changed, or is nil if that is not known. It takes about 5 µs for each
// commit.
func (d *DB) History(ctx context.Context, reached map[string]bool, has func(event.Path) bool,
	sketches *history.Sketches) (out *history.Commits, err error) {
	defer func() { err = d.explain("read the commits", err) }()
	type commit struct {
		id, at int64
		name   string
		files  []int64
	}
	var all []*commit
	byID := map[int64]*commit{}
	newest := "SELECT id, time, name FROM events WHERE counted = 1 ORDER BY time DESC, id DESC LIMIT ?"
	err = d.Each(ctx, newest, []any{HistoryCommits}, func(row Row) error {
		c, name := &commit{}, ""
		err := row.Scan(&c.id, &c.at, &name)
		c.name = commitName(name)
		if reached == nil || reached[c.name] {
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
	paths, err := d.paths(ctx)
	if err != nil {
		return nil, err
	}
	h, err := d.renames(ctx)
	if err != nil {
		return nil, err
	}
	n := newNames(h, func(id int64) bool { return has(paths[id]) })
	out = &history.Commits{Sketches: sketches}
	for _, c := range slices.Backward(all) {
		var files, was []event.Path
		for _, f := range c.files {
			if p := paths[n.here(f, c.at)]; p != "" { // a file without a name comes from a damaged row
				files, was = append(files, p), append(was, paths[f])
			}
		}
		if len(files) > 0 {
			out.Add(c.name, files, was)
		}
	}
	return out, nil
}

// CommitsOfYear returns the number of counted commits, on all branches, in the year before the
// newest one.
func (d *DB) CommitsOfYear(ctx context.Context) (n int, err error) {
	_, err = d.Scan(ctx, "SELECT count(*) FROM events WHERE counted = 1"+
		" AND time > (SELECT max(time) FROM events WHERE counted = 1) - ?",
		[]any{(365 * 24 * time.Hour).Milliseconds()}, &n)
	return n, err
}
