package eval

import (
	"context"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/prefetch"
)

// Past is what was known of a repository before a commit: its files, and which commits changed
// which files. It answers questions about changes as the daemon does.
type Past struct {
	Tree *index.Tree

	links   func(event.Path) history.Links // nil if links are not known
	commits history.Commits
	diffs   *Diffs
	now     map[event.Path]index.Sketch // the differences of the commit that is asked about
	memo    *history.Memo               // for the questions about that commit; nil if only one is asked
	asks    *prefetch.Prefetcher
}

// NewPast returns an empty Past.
func NewPast() *Past {
	// The companions of a change come from commits alone, so the prefetcher needs no ranker.
	return &Past{Tree: index.NewTree(nil), diffs: &Diffs{},
		asks: prefetch.New(prefetch.NewState(), session.New(), nil, prefetch.Options{})}
}

// Learn adds an event. Events other than commits and renames are ignored.
func (p *Past) Learn(e event.Event) {
	switch b := e.Body.(type) {
	case event.Rename:
		p.Tree.Remove(b.From...)
		p.Tree.Add(b.To...)
		for i, from := range b.From {
			p.commits.Rename(from, b.To[i])
		}
	case event.Commit:
		p.Tree.Add(b.Paths...)
		p.Tree.Remove(b.Gone...)
		if history.Counts(b) {
			p.diffs.Learn(e)
			p.commits.Add(strings.TrimPrefix(e.ID, "commit:"), slices.Concat(b.Paths, b.Gone), nil)
		}
	}
}

// Complete answers a question about a change. sure is the least probability of a missing file that
// is named. It may be called concurrently.
func (p *Past) Complete(ctx context.Context, q event.Query, sure float64) (event.Answer, []prefetch.Lack) {
	c := p.companions(q)
	return c.Answer(ctx), c.Lacks(sure)
}

func (p *Past) companions(q event.Query) *prefetch.Candidates {
	return p.asks.Companions(q, history.Past{Commits: &p.commits, Diffs: p.now, Links: p.links, Memo: p.memo}, p.Tree.Has)
}

// Evidence returns what commits and links say about the files that may belong to a file. It is used
// to fit weights.
func (p *Past) Evidence(f event.Path) []history.Evidence {
	return p.commits.Evidence([]event.Path{f}, nil, p.links(f), p.Tree.Has)
}

// Link sets the function that returns the files linked with a file. Without it, no links are known.
func (p *Past) Link(links func(event.Path) map[event.Path]*index.Link) {
	p.links = func(f event.Path) history.Links { return links(f) }
}
