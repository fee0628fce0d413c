package eval

import (
	"context"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Backtest is what `aoa check` would have said of the newest commits of a repository, each asked
// about before it was learned: once as it was made, and once without each of its files. What a
// change breaks is not asked: that needs no history.
type Backtest struct {
	Name     string `json:"name"`
	Commits  int    `json:"commits"`  // of the history, without merges
	Complete int    `json:"complete"` // commits that were asked about as they were made
	Spoke    int    `json:"spoke"`    // at this many of these a file was named
	LeftOut  int    `json:"left_out"` // files that were left out, one at a time, of the commits with 2 to 30 files
	Named    int    `json:"named"`    // files that were named in these questions
	Right    int    `json:"right"`    // this many of Named were the file that was left out

	Findings []Finding `json:"findings"` // at complete commits, newest first
}

// Finding is a complete commit at which a file was named.
type Finding struct {
	Commit  string    `json:"commit"` // its id
	At      time.Time `json:"at"`
	Subject string    `json:"subject"`
	Missing []Missing `json:"missing"`
}

// backtested is how many events of a history are asked about, the newest. They hold about a
// thousand questions, which is exact to two percent, and cost a second.
const backtested = 400

// NewBacktest asks about the newest commits of a history. sure is the probability in (0,1] from
// which a missing file is named. Without a commit to ask about, Complete is 0.
func NewBacktest(ctx context.Context, s Source, o Options, sure float64) (*Backtest, error) {
	o.Newest, o.Unlisted = backtested, true
	changes, err := Changes(ctx, s, o, sure)
	if err != nil {
		return nil, err
	}
	b := &Backtest{Name: s.Name, Complete: len(changes), Findings: []Finding{}}
	for _, e := range s.Commits {
		if e.Kind() == event.KindCommit {
			b.Commits++
		}
	}
	for _, c := range changes {
		b.add(c)
	}
	return b, nil
}

// add counts one commit. They come oldest first.
func (b *Backtest) add(c Change) {
	if len(c.Warned) > 0 {
		b.Spoke++
		b.Findings = append([]Finding{{c.Commit.ID[len("commit:"):], c.Commit.Time.UTC(), c.Commit.Text(), c.Warned}},
			b.Findings...)
	}
	for _, g := range c.Guesses {
		b.LeftOut++
		b.Named += len(g.Warned)
		for _, l := range g.Warned {
			if l.File == g.Left {
				b.Right++
			}
		}
	}
}
