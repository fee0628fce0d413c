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
	Warned  []prefetch.Lack // what `aoa check` would have said of the complete change
	Later   int             // how many of the files of Warned a commit changed within a week after
}

// soon is how long after a change a commit may belong to it.
const soon = 7 * 24 * time.Hour

// Guess is what would have been said without one file of the change.
type Guess struct {
	Left   event.Path
	Place  int // of Left among Listed, from 1; 0: not listed
	Listed []event.Suggestion
	Warned []prefetch.Lack // by `aoa check`
	Rules  map[string]int  // its place among as many by each simple rule
}

// Changes replays the history alone and asks about the newest commits as the daemon would have been asked,
// with the probabilities that people get. sure is the probability from which a missing file is named.
func Changes(ctx context.Context, s Source, o Options, sure float64) ([]Change, error) {
	var out []Change
	counts := NewRules()
	o.Learned = counts.Learn
	err := EachCommit(ctx, s, o, func(c *Commit) error {
		e := c.Event
		x := Change{Commit: e}
		_, x.Warned = c.World.Complete(ctx, event.Query{Files: e.Paths(), At: e.Time}, sure)
		for _, l := range x.Warned {
			if changedBy(s.Commits[c.Place+1:], l.File, e.Time.Add(soon)) {
				x.Later++
			}
		}
		for k, f := range e.Paths() {
			if !c.World.Tree.Has(f) {
				continue
			}
			q := event.Query{Task: event.TaskChange, Files: slices.Concat(e.Paths()[:k], e.Paths()[k+1:]), At: e.Time,
				Limit: Listed}
			ans, lacks := c.World.Complete(ctx, q, sure)
			is := func(p event.Path) bool { return p == f }
			place := 1 + slices.IndexFunc(ans.Suggestions, func(x event.Suggestion) bool { return x.File == f })
			x.Guesses = append(x.Guesses, Guess{Left: f, Place: place, Listed: ans.Suggestions, Warned: lacks,
				Rules: counts.Question(q).places(is, every)})
		}
		out = append(out, x)
		return nil
	})
	return out, err
}

func every(event.Path) bool { return true }

// changedBy reports whether one of the commits, in time order, changed a file until then.
func changedBy(commits []event.Event, f event.Path, until time.Time) bool {
	for _, e := range commits {
		if e.Time.After(until) {
			return false
		}
		if e.Kind() == event.KindCommit && slices.Contains(e.Paths(), f) {
			return true
		}
	}
	return false
}
