package watcher

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// HistoryOptions say what of the history is wanted. The zero value wants all of it.
type HistoryOptions struct {
	// Since is the cursor that an earlier run handed out: the commit last seen per ref. Empty: everything.
	Since map[string]string
	// Newest is the number of commits in the first batch of an import, 0 is 1000.
	Newest int
	// Progress is called after every thousandth commit and at the end. total is 0 while it is not known.
	Progress func(done, total int)
}

func (o HistoryOptions) newest() int {
	if o.Newest > 0 {
		return o.Newest
	}
	return 1000
}

// Bounds of a batch. Commits of a reformatted tree name so many files that their number bounds it as well.
const (
	maxBatch      = 20_000
	maxBatchPaths = 400_000
	maxTouched    = 300_000 // names remembered to tell files that came back; beyond it they are not told
)

// source reads commits: the git program (gitLog) or the own walker (objects).
type source interface {
	walk(ctx context.Context, want, not []string, yield func(*change) error) error
	list(ctx context.Context, want, not []string) ([]string, error)
	count(ctx context.Context, want, not []string) (int, error)
	has(ctx context.Context, oid string) bool
}

// History yields what happened to the repository's commits since the cursor: uncommit events of rewritten
// branches, rename events from old to new, then commit events from new to old, in batches of the newest 1,000
// and then at most 20,000. The cursor given with a batch is to be stored with it: it stays the old one until
// the last batch, so that an interrupted import begins again (events of the same ID count once). Nothing new:
// no call, except a last one with an empty batch when only the cursor changed.
//
// IDs are "commit:<id>", "uncommit:<id>:<new tip>", "rename:<id>" and "unrename:<id>:<new tip>". Agent is
// "git". Time is the committer's; an uncommit has the time, paths and text of its commit, so that it can be
// subtracted to the digit. Excluded files are left out; deleted ones are in Gone and not in Paths; names are
// today's (see the package comment on renames).
//
// Errors: ErrNoTrees (nothing can be read without fetching), ErrNoGit (SHA-256 or reftable without git), what
// git said, ctx's, and yield's own.
func (r *Repo) History(ctx context.Context, o HistoryOptions, yield func(batch []event.Event, cursor map[string]string) error) error {
	if r.config.treeless != "" {
		return fmt.Errorf("read history of %s: %w: to get them run: git config remote.%s.partialclonefilter blob:none && git fetch --refetch",
			r.Root, ErrNoTrees, r.config.treeless)
	}
	src, done, err := r.source()
	if err != nil {
		return fmt.Errorf("read history of %s: %w", r.Root, err)
	}
	defer done()
	if err := r.history(ctx, src, o, yield); err != nil {
		return fmt.Errorf("read history of %s: %w", r.Root, err)
	}
	return nil
}

func (r *Repo) source() (source, func(), error) {
	if r.git.Found() {
		return gitLog{r}, func() {}, nil
	}
	w, err := openObjects(r)
	if err != nil {
		return nil, nil, err
	}
	return w, w.close, nil
}

func (r *Repo) history(ctx context.Context, src source, o HistoryOptions, yield func([]event.Event, map[string]string) error) error {
	p, err := r.plan(ctx, src, o.Since)
	if err != nil || !p.changed {
		return err
	}
	m := newImporter(r, p, o, yield)
	ctx, cancel := context.WithCancel(ctx)
	total := counting(ctx, src, p.want, p.not, o.Progress != nil)
	defer func() {
		cancel()
		<-total.ready
	}()
	m.total = total.get
	if m.batch, err = r.dropped(ctx, src, p); err != nil {
		return err
	}
	if !p.fresh {
		renames, err := r.renamesOf(ctx, src, p)
		if err != nil {
			return err
		}
		m.batch = append(m.batch, renames...)
	}
	if err := src.walk(ctx, p.want, p.not, func(c *change) error {
		return m.add(ctx, c)
	}); err != nil {
		return err
	}
	late, err := m.late(ctx)
	if err != nil {
		return err
	}
	m.batch = append(m.batch, late...)
	return m.finish(ctx, p.next)
}

// importer makes events of changes and hands them on in batches.
type importer struct {
	r        *Repo
	names    lineage
	skip     map[string]bool // commits at the border of a shallow clone
	fresh    bool            // a first import: nothing was learned under old names yet
	limit    int
	batch    []event.Event
	paths    int
	done     int
	total    func() int
	progress func(done, total int)
	old      map[string]string
	yield    func([]event.Event, map[string]string) error
	touched  map[event.Path]bool // names that newer commits used → the newest of them left a file there
	leftover []leftover
}

// leftover is a rename whose old name was used by newer commits, on a branch that did not know of it.
type leftover struct {
	from  event.Path
	today event.Path
	sha   string
	time  int64
}

func newImporter(r *Repo, p *plan, o HistoryOptions, yield func([]event.Event, map[string]string) error) *importer {
	return &importer{r: r, names: lineage{now: map[event.Path]event.Path{}, off: p.off}, skip: p.shallow, fresh: p.fresh,
		limit: o.newest(), old: o.Since, yield: yield, touched: map[event.Path]bool{}, progress: o.Progress}
}

func (m *importer) add(ctx context.Context, c *change) error {
	if m.skip[c.sha] {
		return nil
	}
	e := m.event(c)
	m.batch = append(m.batch, e)
	m.paths += len(e.Paths) + len(e.Gone)
	m.done++
	if m.progress != nil && m.done%1000 == 0 {
		m.progress(m.done, m.total())
	}
	if len(m.batch) < m.limit && m.paths < maxBatchPaths {
		return nil
	}
	m.limit = maxBatch
	return m.flush(ctx, m.old)
}

// event turns a change into a commit event with the names of today and steps behind its renames.
func (m *importer) event(c *change) event.Event {
	var ms []move
	if !m.names.off[c.sha] {
		ms = moves(c)
	}
	e := m.r.commitEvent(c, ms, m.names.name)
	for _, mv := range ms {
		today := m.names.name(mv.to)
		if m.touched[mv.from] && mv.from != today && len(m.leftover) < 10_000 {
			m.leftover = append(m.leftover, leftover{mv.from, today, c.sha, c.time})
		}
	}
	m.names.back(ms)
	e.Gone = slices.DeleteFunc(e.Gone, func(p event.Path) bool { return m.touched[p] }) // came back since
	for i := range c.entries {
		p := c.entries[i].path
		_, moved := m.names.now[p]
		if _, known := m.touched[p]; !moved && !known && len(m.touched) < maxTouched {
			m.touched[p] = c.entries[i].status != 'D'
		}
	}
	return e
}

// late makes rename events for the leftovers whose old name is not a file any more.
func (m *importer) late(ctx context.Context) ([]event.Event, error) {
	if len(m.leftover) == 0 || !m.fresh {
		return nil, nil
	}
	files, err := m.r.Files(ctx)
	if err != nil {
		return nil, err
	}
	alive := make(map[event.Path]bool, len(files))
	for _, p := range files {
		alive[p] = true
	}
	var out []event.Event
	said := map[event.Path]bool{}
	for _, l := range m.leftover {
		if alive[l.from] || said[l.from] || !alive[l.today] {
			continue
		}
		said[l.from] = true
		out = append(out, event.Event{ID: "rename:" + l.sha + ":" + string(l.from), Time: time.Unix(l.time, 0).UTC(),
			Kind: event.KindRename, Agent: "git", From: []event.Path{l.from}, Paths: []event.Path{l.today}})
	}
	return out, nil
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

func (m *importer) finish(ctx context.Context, cursor map[string]string) error {
	if err := m.flush(ctx, cursor); err != nil {
		return err
	}
	if m.progress != nil {
		m.progress(m.done, m.done)
	}
	return nil
}

// counter is a number that is found out in the background.
type counter struct {
	ready chan struct{} // closed when n is known or never will be
	n     int           // commits; read after ready is closed
}

// get is the number if it is known, else 0.
func (c *counter) get() int {
	select {
	case <-c.ready:
		return c.n
	default:
		return 0
	}
}

// counting counts beside the walk, so that the first batch need not wait for it.
func counting(ctx context.Context, src source, want, not []string, wanted bool) *counter {
	c := &counter{ready: make(chan struct{})}
	if !wanted {
		close(c.ready)
		return c
	}
	go func() {
		defer close(c.ready)
		if n, err := src.count(ctx, want, not); err == nil {
			c.n = n
		}
	}()
	return c
}
