package eval

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/prefetch"
)

// Listed is how many files a Guess lists.
const Listed = 5

// Change is a commit of the history, with what `aoa suggest` and `aoa check` would have said just
// before it was made.
type Change struct {
	Commit event.Event
	// one for each of its files that existed before, in their order; nil for a commit that is too
	// large
	Guesses []Guess
	Warned  []Missing // what `aoa check` would have said of the complete change

	// what `aoa suggest FILE` would have predicted for each of its first files that existed before;
	// nil for a commit that is too large, and with Options.Unlisted
	Promises []Promise
}

// Promise is the probability that a file was given when another file was asked about, and whether
// the prediction came true: whether the next commit of the file that was asked about also changed
// this one.
type Promise struct {
	P    float64
	Kept bool
}

// Missing is a file that `aoa check` would have called missing in a complete change.
type Missing struct {
	change.Lack
	Later bool `json:"later"` // a commit changed the file within a week
}

// soon is the time after a change in which a further commit may belong to it.
const soon = 7 * 24 * time.Hour

// Guess is the answer to a change without one of its files.
type Guess struct {
	Left   event.Path
	Place  int // position of Left in the list, from 1; 0 if it was not listed, and always with Options.Unlisted
	Listed []event.Suggestion
	Warned []change.Lack // what `aoa check` would have reported
	Simple bool          // whether Left is among the first five of the simple rule that aOa is compared with
}

// raw holds the data of a change whose judgement has to wait until the rules of the repository are
// known.
type raw struct {
	complete []prefetch.Lack
	without  [][]prefetch.Lack
	place    int // index of the commit in the history
}

// Changes replays the history without sessions, and asks about the newest commits just as the
// daemon would have been asked. sure is the least probability of a missing file that is named.
func Changes(ctx context.Context, s Source, o Options, sure float64) ([]Change, error) {
	var out []Change
	var lacking []raw
	err := EachCommit(ctx, s, o, func(c *Commit) error {
		x, lacks := ask(ctx, c, sure, !o.Unlisted)
		out, lacking = append(out, x), append(lacking, lacks)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, judge(ctx, s, o, out, lacking)
}

// ask asks all questions about a commit before it is learned, at the same time. If listed is false,
// only missing files are found, which takes three quarters of the time.
func ask(ctx context.Context, c *Commit, sure float64, listed bool) (Change, raw) {
	var left []event.Path
	for _, f := range c.Event.Paths() {
		if c.Loses() && c.Past.Tree.Has(f) {
			left = append(left, f)
		}
	}
	x := Change{Commit: c.Event, Guesses: make([]Guess, len(left))}
	lacks := raw{place: c.Place, without: make([][]prefetch.Lack, len(left))}
	var all sync.WaitGroup
	all.Go(func() { lacks.complete = c.Past.companions(c.Question("")).Lacks(sure) })
	for i, f := range left {
		all.Go(func() {
			q := c.Question(f)
			found := c.Past.companions(q)
			x.Guesses[i], lacks.without[i] = Guess{Left: f}, found.Lacks(sure)
			if listed {
				x.Guesses[i].list(found.Answer(ctx), c.Past.commits.Simple(q.Files, c.Past.Tree.Has, Listed))
			}
		})
	}
	if listed && len(c.Event.Paths()) <= mostFiles {
		all.Go(func() { x.Promises = c.Past.Promises(ctx, c.Event) })
	}
	all.Wait()
	return x, lacks
}

// list fills in what would have been listed, by aOa and by the simple rule.
func (g *Guess) list(said event.Answer, simple []event.Path) {
	listed := said.All()
	g.Listed = listed[:min(len(listed), Listed)]
	g.Place = 1 + slices.IndexFunc(g.Listed, func(x event.Suggestion) bool { return x.File == g.Left })
	g.Simple = slices.Contains(simple, g.Left)
}

// promising is how many files of a commit are asked about alone.
const promising = 3

// Promises asks for the companions of each of the first existing files of a commit, before the
// commit is learned.
func (p *Past) Promises(ctx context.Context, e event.Event) (out []Promise) {
	asked := 0
	for _, f := range e.Paths() {
		if asked == promising {
			break
		}
		if !p.Tree.Has(f) {
			continue
		}
		asked++
		q := event.Query{Task: event.TaskChange, Files: []event.Path{f}, At: e.Time, Limit: Listed}
		c := p.asks.Companions(q, history.Past{Commits: &p.commits, Links: p.links, Memo: p.memo}, p.Tree.Has)
		for _, s := range c.Answer(ctx).Suggestions {
			out = append(out, Promise{s.Score, slices.Contains(e.Paths(), s.File) || slices.Contains(e.Gone(), s.File)})
		}
	}
	return out
}

// judge fills in what a check would report. It reads the rules of the repository once, for all
// missing files.
func judge(ctx context.Context, s Source, o Options, changes []Change, lacking []raw) error {
	var all []prefetch.Lack
	for _, l := range lacking {
		all = append(all, slices.Concat(slices.Concat(l.without...), l.complete)...)
	}
	var rules change.Rules
	if o.Rules != nil {
		var err error
		if rules, err = o.Rules(ctx, all); err != nil {
			return err
		}
	}
	for i, l := range lacking {
		c := &changes[i]
		missing, _ := rules.Findings(l.complete)
		for _, m := range missing {
			c.Warned = append(c.Warned, Missing{m, changedBy(s.Commits[l.place+1:], m.File, c.Commit.Time.Add(soon))})
		}
		for k, without := range l.without {
			c.Guesses[k].Warned, _ = rules.Findings(without)
		}
	}
	return nil
}

// changedBy reports whether one of the commits, which are in time order, changed a file until a
// time.
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
