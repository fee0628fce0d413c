package checkout

import (
	"context"
	"sync"

	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/prefetch"
)

// past is the history of a checkout: the commits that its HEAD reaches, with the names that its
// files have there.
type past struct {
	mu      sync.Mutex // guards all below
	commits *history.Commits
	head    string // the commit at which it was read
	version int64  // version of the log
	sketch  int64  // version of the sketches of commits
	// the names of renamed files that were looked for, and whether they existed: that decides under
	// which name a file has its commits
	names map[event.Path]bool
}

// History returns the commits in the log that the checkout's HEAD reached when it was last read.
// They are read again if the log has new ones, or after follow. That takes one git process and some
// 5 µs per commit. Reading does not stop when ctx ends, because the next question can use the
// result.
func (w *Checkout) History(ctx context.Context) (*history.Commits, error) {
	p := &w.past
	p.mu.Lock()
	defer p.mu.Unlock()
	// before reading, so that changes in between make it outdated
	version, sketch := w.db.Version(), w.sketches.changes.Load()
	if p.commits != nil && p.version == version && p.sketch == sketch {
		return p.commits, nil
	}
	names := map[event.Path]bool{}
	commits, head, err := w.read(context.WithoutCancel(ctx), nil, names)
	if err != nil {
		return nil, err
	}
	p.commits, p.head, p.version, p.sketch, p.names = commits, head, version, sketch, names
	return commits, nil
}

// HistoryBut returns the same without some commits, because a question about these must not be
// answered from them. It reads all others again.
func (w *Checkout) HistoryBut(ctx context.Context, ids []string) (*history.Commits, error) {
	if len(ids) == 0 {
		return w.History(ctx)
	}
	commits, _, err := w.read(ctx, ids, map[event.Path]bool{})
	return commits, err
}

// read reads the commits that HEAD reaches, except those in but. It notes the names that it looked for.
func (w *Checkout) read(ctx context.Context, but []string, names map[event.Path]bool) (commits *history.Commits,
	head string, err error) {
	bounded, cancel := ForGit(ctx)
	defer cancel()
	var reached map[string]bool // nil if git does not answer: then all commits count
	_, head, err = w.Repo.Head(bounded)
	if err == nil && head != "" {
		if reached, err = w.Repo.Reached(bounded, head, cold.HistoryCommits); err != nil {
			reached = nil
		}
	}
	for _, id := range but {
		delete(reached, id)
	}
	tree := w.Tree()
	has := func(p event.Path) bool {
		names[p] = tree.Has(p)
		return names[p]
	}
	commits, err = w.db.History(ctx, reached, has, &w.sketches.Sketches)
	return commits, head, err
}

// Asked returns the history for answering a question. It is empty if the question is not about a
// change.
func (w *Checkout) Asked(ctx context.Context, q event.Query) (p history.Past, err error) {
	if !prefetch.AsksCommits(q) {
		return p, nil
	}
	if p.Commits, err = w.History(ctx); err != nil {
		return p, err
	}
	p.Links = func(f event.Path) history.Links {
		return index.World{Tree: w.Tree(), Contents: w.Reader.Contents(), Text: w.Reader.Text}.Links(f)
	}
	if p.Pending = w.sketches.pending(p.Commits); p.Pending || p.Commits.Sketched() {
		p.Diffs = change.Diffs(w.edits.Compare(ctx, prefetch.ChangeOf(q)))
		p.Text = w.Reader.Text
	}
	return p, err
}

// Answer returns the answer for people and tools; see prefetch.Prefetcher.Answer.
func (w *Checkout) Answer(ctx context.Context, q event.Query) (event.Answer, error) {
	if q.Tests {
		return w.tests(ctx, q)
	}
	past, err := w.Asked(ctx, q)
	if err != nil {
		return event.Answer{}, err
	}
	ans, err := w.Prefetch.Answer(ctx, q, past)
	ans.Reading = past.Pending && len(past.Diffs) > 0
	return ans, err
}

// forget makes History read again if HEAD has moved, or if a name of a renamed file came or went.
func (p *past) forget(head string, has func(event.Path) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	changed := p.head != head
	for name, had := range p.names {
		changed = changed || has(name) != had
	}
	if changed {
		p.commits = nil
	}
}
