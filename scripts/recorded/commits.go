package recorded

import (
	"context"
	"slices"

	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/rank"
)

// Commits replays the history alone and asks about each commit before it is learned: with each of its known files left
// out in turn, and complete.
func Commits(ctx context.Context, s eval.Source, o eval.Options, each func(*eval.Decision) error) error {
	return eval.EachCommit(ctx, s, o, func(c *eval.Commit) error {
		if !c.Loses() {
			return nil
		}
		files := c.Event.Paths()
		if err := askCommit(ctx, c, files, "", each); err != nil {
			return err
		}
		for i, f := range files {
			if !c.World.Tree.Has(f) {
				continue
			}
			if err := askCommit(ctx, c, slices.Concat(files[:i], files[i+1:]), f, each); err != nil {
				return err
			}
		}
		return nil
	})
}

// askCommit asks about some files of a commit, left being the one left out.
func askCommit(ctx context.Context, c *eval.Commit, files []event.Path, left event.Path, each func(*eval.Decision) error) error {
	d := &eval.Decision{Session: c.Event.ID, Seq: c.Place, Left: left,
		Query: event.Query{Task: event.TaskChange, Files: files, At: c.Event.Time, Limit: mostRanked}}
	ans, warned := c.World.Complete(ctx, d.Query, prefetch.Sure(prefetch.Balanced))
	d.Warned, _ = change.Rules{}.Findings(warned)
	for _, s := range ans.Suggestions {
		d.Ranked = append(d.Ranked, rank.Scored{File: s.File, Score: s.Score, Unseen: true})
	}
	return each(d)
}

// mostRanked is how many files of an answer are kept.
const mostRanked = 100
