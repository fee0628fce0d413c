package cold

import (
	"context"
	"slices"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
)

// historyCommits is how many commits History has at most, the newest: some 2 MB.
const historyCommits = 50_000

// inMemory is the commits that History has read.
type inMemory struct {
	mu        sync.Mutex // guards all below
	commits   *history.Commits
	version   int64 // of DB.commits
	rewritten int64 // of DB.rewritten
	last      int64 // events.id
	newest    int64 // time, unix ms
}

// History is the counted commits of at most 100 files that are no sweeps (event.Commit.Sweep), under the present names
// of their files. It is read once; after that commits are added as they come, and it is read again when a file was
// renamed or a commit taken back or forgotten. The first call costs some 5 µs for each commit. It does not end with
// ctx: what was read serves the next question.
func (d *DB) History(ctx context.Context) (*history.Commits, error) {
	m := &d.history
	m.mu.Lock()
	defer m.mu.Unlock()
	// before reading: a commit in between makes what is read stale, not the reverse
	version, rewritten := d.commits.Load(), d.rewritten.Load()
	if m.commits != nil && m.version == version {
		return m.commits, nil
	}
	ctx = context.WithoutCancel(ctx)
	added := false
	var err error
	if m.commits != nil && m.rewritten == rewritten {
		added, err = d.addCommits(ctx, m)
	}
	if err == nil && !added {
		err = d.readCommits(ctx, m)
	}
	if err != nil {
		m.commits = nil
		return nil, d.explain("read the commits", err)
	}
	m.version, m.rewritten = version, rewritten
	return m.commits, nil
}

// readCommits reads all.
func (d *DB) readCommits(ctx context.Context, m *inMemory) error {
	h := renames{}
	if err := d.Each(ctx, selectRenames, nil, h.scan); err != nil {
		return err
	}
	type commit struct {
		id, at int64
		files  []int64
	}
	var all []*commit
	byID := map[int64]*commit{}
	m.last, m.newest = 0, 0
	err := d.Each(ctx, "SELECT id, time FROM events WHERE counted = 1 ORDER BY time DESC, id DESC LIMIT ?",
		[]any{historyCommits}, func(row Row) error {
			c := &commit{}
			err := row.Scan(&c.id, &c.at)
			all, byID[c.id] = append(all, c), c
			m.last, m.newest = max(m.last, c.id), max(m.newest, c.at)
			return err
		})
	if err != nil {
		return err
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
		return err
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
		return err
	}
	m.commits = &history.Commits{}
	for _, c := range slices.Backward(all) {
		var files []event.Path
		for _, f := range h.present(c.files, c.at) {
			if p := paths[f]; p != "" { // a file without a name belongs to a damaged row
				files = append(files, p)
			}
		}
		if len(files) > 0 {
			m.commits.Add(files)
		}
	}
	return nil
}

// addCommits adds the commits that came since; not ok if one is older than those before.
func (d *DB) addCommits(ctx context.Context, m *inMemory) (ok bool, err error) {
	var rows []*row
	err = d.Each(ctx, "SELECT "+rowColumns+" FROM events WHERE id > ? AND counted = 1 ORDER BY time, id", []any{m.last},
		func(from Row) error {
			r := &row{}
			rows = append(rows, r)
			return r.scan(from)
		})
	if err != nil || len(rows) > 0 && rows[0].at < m.newest {
		return false, err
	}
	path := d.pathsOf(ctx, readers{d.File})
	for _, r := range rows {
		m.last, m.newest = max(m.last, r.id), max(m.newest, r.at)
		e, err := r.event(d.seal, path)
		if c, ok := e.Body.(event.Commit); err == nil && ok && history.Counts(c) {
			m.commits.Add(slices.Concat(c.Paths, c.Gone)) // a damaged row is left out
		}
	}
	return true, nil
}
