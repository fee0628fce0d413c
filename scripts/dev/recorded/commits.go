package recorded

import (
	"context"

	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/rank"
)

// Commits replays the history alone and asks about each commit before it is learned: complete, and,
// if it has 2 to 30 files, with each of its known files left out in turn.
func Commits(ctx context.Context, s eval.Source, o eval.Options, each func(*Decision) error) error {
	return eval.EachCommit(ctx, s, o, func(c *eval.Commit) error {
		if err := askCommit(ctx, c, "", each); err != nil || !c.Loses() {
			return err
		}
		for _, f := range c.Event.Paths() {
			if !c.Past.Tree.Has(f) {
				continue
			}
			if err := askCommit(ctx, c, f, each); err != nil {
				return err
			}
		}
		return nil
	})
}

// askCommit asks about a commit without the file left.
func askCommit(ctx context.Context, c *eval.Commit, left event.Path, each func(*Decision) error) error {
	d := &Decision{Session: c.Event.ID, Seq: c.Place, Left: left, Query: c.Question(left)}
	d.Query.Limit = mostRanked
	ans, lacks := c.Past.Complete(ctx, d.Query, leastMissing)
	found, _ := change.Rules{}.Findings(lacks)
	for _, l := range found {
		d.Missing = append(d.Missing, eval.Promise{P: l.Score, Kept: l.File == left})
		if l.Score >= prefetch.Sure(prefetch.Balanced) {
			d.Warned = append(d.Warned, l)
		}
	}
	for _, s := range ans.All() {
		d.Ranked = append(d.Ranked, rank.Scored{File: s.File, Score: s.Score, Unseen: true})
	}
	return each(d)
}

// leastMissing is the probability that a change is incomplete below which a file is ignored.
const leastMissing = 0.05

// mostRanked is how many files of an answer are kept.
const mostRanked = 100
