package watcher

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/aoa-dev/aoa/internal/event"
)

// Limits of a batch. The number of files is limited, too, because commits that reformat a tree have
// many.
const (
	firstBatch    = 1000
	maxBatch      = 20_000
	maxBatchPaths = 400_000
	// number of names that are remembered to notice files that came back; beyond it such files are
	// not noticed
	maxTouched = 300_000
)

// History yields what happened to the commits of the repository since the cursor of an earlier run,
// which has the last commit seen for each ref; without a cursor it reads everything. The order is:
// uncommit events for rewritten branches; rename events, if HEAD is at another commit than before;
// then commit events from new to old, each with a Past rename event if it renamed files. progress is
// called after every thousandth commit and at the end; total is 0 until it is known. The first
// batch has 1,000 events, later ones at most 20,000. Store the cursor of a batch together with it.
// It remains the old one until the last batch, so that an interrupted import starts again (events
// with the same ID count once). If nothing is new, yield is not called, or once with an empty batch
// if only the cursor changed.
//
// IDs are "commit:<id>", "uncommit:<id>:<new tip>" and "rename:<id>". Renames because HEAD moved
// are "names:<number>:<id>", or "names:<number>:-<id>" if a rename is undone. Agent is "git". Time
// is when the commit was committed. An uncommit has the time, paths and text of its commit, so that
// it can be subtracted exactly. Excluded files are left out; deleted ones are in Gone and not in
// Paths. Names are today's (see the package comment on renames).
//
// Errors are ErrNoTrees (nothing can be read without fetching), ErrMissing (all that exists was
// read), an error of git, that of ctx, and that of yield.
func (r *Repo) History(ctx context.Context, since map[string]string, progress func(done, total int),
	yield func(batch []event.Event, cursor map[string]string) error) error {
	if r.config.treeless != "" {
		return fmt.Errorf("read history of %s: %w: to get them run: git config remote.%s.partialclonefilter blob:none "+
			"&& git fetch --refetch", r.Root, ErrNoTrees, r.config.treeless)
	}
	p, err := r.plan(ctx, since)
	if err == nil && p.changed {
		err = r.readPlan(ctx, &importer{repo: r, plan: p, since: since, progress: progress, yield: yield, limit: firstBatch,
			names: currentNames{}, touched: map[event.Path]bool{}})
	}
	if err == nil && len(p.missing) > 0 {
		err = fmt.Errorf("%w: %s, …", ErrMissing, p.missing[0])
	}
	if err != nil {
		return fmt.Errorf("read history of %s: %w", r.Root, err)
	}
	return nil
}

// readPlan reads and yields the commits of a plan.
func (r *Repo) readPlan(ctx context.Context, m *importer) (err error) {
	p := m.plan
	if m.batch, err = r.dropped(ctx, p); err != nil {
		return err
	}
	count, cancel := context.WithCancel(ctx)
	var counting sync.WaitGroup
	counting.Go(func() { // count while commits are read, so that the first batch does not wait
		ids, _ := r.listCommits(count, p.want, p.not, "--no-merges")
		m.total.Store(int64(len(ids)))
	})
	defer func() { cancel(); counting.Wait() }()
	if p.from != "" {
		renames, err := r.turned(ctx, p)
		if err != nil {
			return err
		}
		m.batch = append(m.batch, renames...)
	}
	log := LogOptions{From: p.want, Not: p.not, Renames: "HEAD", Beside: p.off}
	if err := ReadLog(ctx, r.git, string(r.Root), log, func(c *Commit) error { return m.add(ctx, c) }); err != nil {
		return err
	}
	if err := m.flush(ctx, p.next); err != nil {
		return err
	}
	m.progress(m.done, m.done)
	return nil
}

// importer turns commits into events and yields them in batches.
type importer struct {
	repo     *Repo
	plan     *plan
	since    map[string]string
	yield    func([]event.Event, map[string]string) error
	progress func(done, total int) // see History
	total    atomic.Int64          // number of commits, 0 until they are counted
	names    currentNames
	limit    int // the number of events at which the current batch is full
	batch    []event.Event
	paths    int // number of paths in the current batch
	done     int // commits read so far
	// For each name in the commits read so far, all of which are newer than the next one: whether
	// the newest of them left a file there.
	touched map[event.Path]bool
}

func (m *importer) add(ctx context.Context, c *Commit) error {
	if m.plan.shallow[c.ID] {
		return nil
	}
	renames := renamesIn(c)
	e := m.commit(c, renames)
	m.batch = append(m.batch, c.event("commit:"+c.ID, e))
	if past, ok := m.repo.renameEvent("rename:"+c.ID, c, renames); ok {
		b := past.Body.(event.Rename)
		b.Past = true
		past.Body = b
		m.batch = append(m.batch, past)
	}
	m.paths += len(e.Paths) + len(e.Gone)
	m.done++
	if m.done%1000 == 0 {
		m.progress(m.done, int(m.total.Load()))
	}
	if len(m.batch) < m.limit && m.paths < maxBatchPaths {
		return nil
	}
	m.limit = maxBatch
	return m.flush(ctx, m.since)
}

// commit returns the event body of a commit under today's names. If HEAD has the commit's renames,
// it then goes back to the names before them.
func (m *importer) commit(c *Commit, renames []rename) event.Commit {
	if m.plan.off[c.ID] {
		renames = nil
	}
	e := m.repo.commit(c, renames, m.names)
	m.names.before(renames)
	// they were created again later
	e.Gone = slices.DeleteFunc(e.Gone, func(p event.Path) bool { return m.touched[p] })
	for i := range c.Files {
		f := &c.Files[i]
		m.touch(f.Path, f.Status != 'D')
		m.touch(f.From, false)
	}
	return e
}

// touch records whether a commit left a file under a name. It does nothing if a newer commit
// already decided that, or if the file has another name today.
func (m *importer) touch(p event.Path, left bool) {
	_, renamed := m.names[p]
	if _, known := m.touched[p]; p != "" && !renamed && !known && len(m.touched) < maxTouched {
		m.touched[p] = left
	}
}

func (m *importer) flush(ctx context.Context, cursor map[string]string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := m.yield(m.batch, maps.Clone(cursor)); err != nil {
		return err
	}
	m.batch, m.paths = nil, 0
	return nil
}
