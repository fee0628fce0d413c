package eval

import (
	"context"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// Listed is how many files a Guess lists.
const Listed = 5

// Change is a commit of the history, and what `aoa suggest` would have said just before it was made.
type Change struct {
	Commit  event.Event
	Guesses []Guess         // one for each of its files that was known, in their order
	Warned  []prefetch.Lack // what `aoa suggest --check` would have said of the complete change
	Later   int             // how many of the files of Warned a commit changed within a week after
}

// soon is how long after a change a commit may belong to it.
const soon = 7 * 24 * time.Hour

// Guess is what would have been said without one file of the change.
type Guess struct {
	Left   event.Path
	Place  int // of Left among Listed, from 1; 0: not listed
	Listed []event.Suggestion
	Simple int             // its place by the baseline cochange; 0: not listed
	Warned []prefetch.Lack // by `aoa suggest --check`
}

// Changes replays the history alone and asks about the newest commits as the daemon would have been asked: as Commits, with the
// probabilities that people get. sure is the probability from which a missing file is named.
func Changes(ctx context.Context, s Source, o Options, sure float64) ([]Change, error) {
	var out []Change
	counts := newBaselines()
	o.Learned = counts.learn
	err := eachCommit(ctx, s, o, func(w *world, a askedCommit) error {
		if err := w.flush(ctx); err != nil {
			return err
		}
		e := a.event
		p := prefetch.New(w.store, w.ranker, prefetch.Options{Archive: a.archive})
		c := Change{Commit: e}
		var err error
		if c.Warned, err = p.Missing(ctx, event.Query{Files: e.Paths, At: e.Time}, sure, prefetch.MaxFiles); err != nil {
			return err
		}
		for _, l := range c.Warned {
			if changedBy(s.Commits[a.place+1:], l.File, e.Time.Add(soon)) {
				c.Later++
			}
		}
		for k, f := range e.Paths {
			if !w.tree.Has(f) {
				continue
			}
			g := Guess{Left: f}
			q := event.Query{Task: event.TaskChange, Files: slices.Concat(e.Paths[:k], e.Paths[k+1:]), At: e.Time, Limit: Listed}
			ans, lacks, err := p.Completion(ctx, q, sure, prefetch.MaxFiles)
			if err != nil {
				return err
			}
			g.Warned = lacks
			g.Listed, g.Place = ans.Suggestions, 1+slices.IndexFunc(ans.Suggestions, func(x event.Suggestion) bool { return x.File == f })
			r := counts.comparison(&Decision{Query: q})
			scores := make([]float64, len(counts.paths))
			r.score("cochange", scores)
			g.Simple = r.place(scores, f, every)
			c.Guesses = append(c.Guesses, g)
		}
		out = append(out, c)
		return nil
	})
	return out, err
}

// changedBy reports whether one of the commits, in time order, changed a file until then.
func changedBy(commits []event.Event, f event.Path, until time.Time) bool {
	for _, e := range commits {
		if e.Time.After(until) {
			return false
		}
		if e.Kind == event.KindCommit && slices.Contains(e.Paths, f) {
			return true
		}
	}
	return false
}
