package eval

import (
	"context"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Backtest says what `aoa check` would have reported for the newest commits of a repository. Each
// commit is asked about before it is learned: once complete, and once without each of its files. It
// covers only missing files; finding what a change breaks needs no history.
type Backtest struct {
	Name     string `json:"name"`
	Commits  int    `json:"commits"`  // commits in the history, without merges
	Complete int    `json:"complete"` // commits that were asked about complete
	Spoke    int    `json:"spoke"`    // complete commits for which a missing file was named
	LeftOut  int    `json:"left_out"` // files left out, one at a time, of the commits with 2 to 30 files
	Named    int    `json:"named"`    // files that were named in these questions
	Right    int    `json:"right"`    // how many of Named were the file that was left out

	Findings []Finding `json:"findings"` // for complete commits, the newest first
}

// Finding is a complete commit for which a missing file was named.
type Finding struct {
	Commit  string    `json:"commit"` // its ID
	At      time.Time `json:"at"`
	Subject string    `json:"subject"`
	Missing []Missing `json:"missing"`
}

// backtested is how many of the newest events are asked about. They make about a thousand
// questions, which gives rates accurate to two percent and takes a second.
const backtested = 400

// NewBacktest asks about the newest commits of a history. sure is the probability in (0,1] from
// which a missing file is named. If there is no commit to ask about, Complete is 0.
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

// add counts one commit. Call it with the oldest commit first.
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
