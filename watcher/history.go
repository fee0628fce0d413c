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

// HistoryOptions choose what History reads. The zero value reads everything.
type HistoryOptions struct {
	Since    map[string]string     // the cursor of an earlier run: the commit last seen per ref; empty: everything
	Progress func(done, total int) // called after every thousandth commit and at the end; total is 0 while it is not known
}

// Bounds of a batch. Commits that reformat a tree have many files, so the number of files bounds
// it, too.
const (
	firstBatch    = 1000
	maxBatch      = 20_000
	maxBatchPaths = 400_000
	maxTouched    = 300_000 // names remembered to notice files that came back; later ones are not noticed
)

// History yields what happened to the repository's commits since the cursor: uncommit events of
// rewritten branches, rename events where HEAD is elsewhere now, then commit events from new to
// old, each with a Past rename event if it renamed files, in batches of the newest 1,000 and then
// at most 20,000. The cursor of a batch is to be stored with it. It stays the old one until the
// last batch, so that an interrupted import starts again (events of the same ID count once). When
// nothing is new, yield is not called, except with an empty batch when only the cursor changed.
//
// IDs are "commit:<id>", "uncommit:<id>:<new tip>", "rename:<id>" and, of renames as HEAD moves,
// "names:<number>:<id>", or "names:<number>:-<id>" of one that is turned back. Agent is "git". Time
// is the committer's; an uncommit has the time, paths and text of its commit, so that it can be
// subtracted exactly. Excluded files are left out; deleted ones are in Gone and not in Paths; names
// are today's (see the package comment on renames).
//
// Errors: ErrNoTrees (nothing can be read without fetching), ErrMissing (what is there was read),
// an error of git, ctx's, and yield's own.
func (r *Repo) History(ctx context.Context, o HistoryOptions,
	yield func(batch []event.Event, cursor map[string]string) error) error {
	if r.config.treeless != "" {
		return fmt.Errorf("read history of %s: %w: to get them run: git config remote.%s.partialclonefilter blob:none "+
			"&& git fetch --refetch", r.Root, ErrNoTrees, r.config.treeless)
	}
	if err := r.readHistory(ctx, o, yield); err != nil {
		return fmt.Errorf("read history of %s: %w", r.Root, err)
	}
	return nil
}

func (r *Repo) readHistory(ctx context.Context, o HistoryOptions,
	yield func([]event.Event, map[string]string) error) error {
	p, err := r.plan(ctx, o.Since)
	if err != nil {
		return err
	}
	if p.changed {
		err = r.readPlan(ctx, p, o, yield)
	}
	if err == nil && len(p.missing) > 0 {
		return fmt.Errorf("%w: %s, …", ErrMissing, p.missing[0])
	}
	return err
}

// readPlan yields what a plan wants.
func (r *Repo) readPlan(ctx context.Context, p *plan, o HistoryOptions,
	yield func([]event.Event, map[string]string) error) error {
	batch, err := r.dropped(ctx, p)
	if err != nil {
		return err
	}
	m := &importer{repo: r, plan: p, options: o, yield: yield, limit: firstBatch, batch: batch, names: currentNames{},
		touched: map[event.Path]bool{}}
	if o.Progress != nil {
		ctx, cancel := context.WithCancel(ctx)
		var counting sync.WaitGroup
		counting.Go(func() { // beside the walk, so that the first batch does not wait for it
			ids, _ := r.listCommits(ctx, p.want, p.not, "--no-merges")
			m.total.Store(int64(len(ids)))
		})
		defer func() { cancel(); counting.Wait() }()
	}
	if p.from != "" {
		renames, err := r.turned(ctx, p)
		if err != nil {
			return err
		}
		m.batch = append(m.batch, renames...)
	}
	if err := r.walk(ctx, p.want, p.not, func(c *Commit) error { return m.add(ctx, c) }); err != nil {
		return err
	}
	if err := m.flush(ctx, p.next); err != nil {
		return err
	}
	if o.Progress != nil {
		o.Progress(m.done, m.done)
	}
	return nil
}

// importer makes events of commits and yields them in batches.
type importer struct {
	repo    *Repo
	plan    *plan
	options HistoryOptions
	yield   func([]event.Event, map[string]string) error
	total   atomic.Int64 // commits to come, 0 until they are counted
	names   currentNames
	limit   int // events of the current batch
	batch   []event.Event
	paths   int                 // in the batch
	done    int                 // commits
	touched map[event.Path]bool // names in newer commits → the newest of them left a file there
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
	if m.options.Progress != nil && m.done%1000 == 0 {
		m.options.Progress(m.done, int(m.total.Load()))
	}
	if len(m.batch) < m.limit && m.paths < maxBatchPaths {
		return nil
	}
	m.limit = maxBatch
	return m.flush(ctx, m.options.Since)
}

// commit makes the body of a commit with the names of today and goes to the time before its
// renames, if HEAD has them.
func (m *importer) commit(c *Commit, renames []rename) event.Commit {
	if m.plan.off[c.ID] {
		renames = nil
	}
	e := m.repo.commit(c, renames, m.names)
	m.names.before(renames)
	e.Gone = slices.DeleteFunc(e.Gone, func(p event.Path) bool { return m.touched[p] }) // it came back later
	for i := range c.Files {
		f := &c.Files[i]
		m.touch(f.Path, f.Status != 'D')
		m.touch(f.From, false)
	}
	return e
}

// touch notes whether a commit left a file under a name, unless a newer one did, or the file has
// another name today.
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
