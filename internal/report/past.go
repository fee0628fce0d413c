package report

import (
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/eval"
)

// Past is how right aOa would have been about the newest changes, each with one file left out, and
// complete.
type Past struct {
	Reliability
	Changes int     `json:"changes"`
	Asked   int     `json:"asked"` // files left out, one at a time
	First   float64 `json:"first"` // share of these that came first
	Five    float64 `json:"five"`  // among the first five
	// among the first five of a simple rule: what was committed with the others most often
	Simple  float64 `json:"simple"`
	Warned  int     `json:"warned"`  // warnings in changes with a file left out
	Right   float64 `json:"right"`   // share of these that name that file
	False   float64 `json:"false"`   // share of the complete changes with a warning
	Lacking int     `json:"lacking"` // files that were named as missing in complete changes
	Later   float64 `json:"later"`   // share of these that a commit changed within a week after
}

// Change is a change with what aOa would have said before it was committed.
type Change struct {
	Subject string         `json:"subject"`
	Commit  string         `json:"commit"` // the first digits of its id
	At      time.Time      `json:"at"`
	Files   []ChangedFile  `json:"files"`
	Warned  []ChangeLacked `json:"warned"` // of the complete change
}

// ChangedFile is one file of a change, and where aOa listed it while it was left out.
type ChangedFile struct {
	File  string  `json:"file"`
	New   bool    `json:"new"`   // no earlier commit has it
	Place int     `json:"place"` // 1 for the first, 0: not listed
	P     float64 `json:"p"`     // the probability that was given, 0 if it was not listed
}

// ChangeLacked is a file that would have been named as missing.
type ChangeLacked struct {
	File string  `json:"file"`
	P    float64 `json:"p"`
	With string  `json:"with"`
	Both int     `json:"both"`
	Of   int     `json:"of"`
}

// Bounds of the changes that are shown.
const (
	shownChanges = 5
	fewestFiles  = 2
	mostFiles    = 8
	shaDigits    = 10
)

func newPast(changes []eval.Change) *Past {
	var t tally // what was promised beside one file, and when files left out were found
	p := &Past{Changes: len(changes)}
	first, five, simple, right, wrong, later := 0, 0, 0, 0, 0, 0
	for _, c := range changes {
		if len(c.Warned) > 0 {
			wrong++
		}
		for _, x := range c.Promises {
			t.promise(x.P, x.Kept)
		}
		p.Lacking += len(c.Warned)
		for _, l := range c.Warned {
			later += count(l.Later)
		}
		for _, g := range c.Guesses {
			p.Asked++
			first, five, simple = first+count(g.Place == 1), five+count(g.Place > 0), simple+count(g.Simple)
			for _, w := range g.Warned {
				p.Warned++
				right += count(w.File == g.Left)
			}
			t.day(c.Commit.Time, g.Place > 0)
		}
	}
	if p.Asked == 0 {
		return nil
	}
	share := func(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
	p.First, p.Five, p.Simple = share(first, p.Asked), share(five, p.Asked), share(simple, p.Asked)
	p.Right, p.False, p.Later = share(right, p.Warned), share(wrong, len(changes)), share(later, p.Lacking)
	p.Reliability = t.reliability()
	return p
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// newest are the newest changes that can be shown whole, the newest first.
func newest(changes []eval.Change) (out []Change) {
	for _, c := range slices.Backward(changes) {
		if n := len(c.Commit.Paths()); n < fewestFiles || n > mostFiles || len(c.Guesses) < 2 {
			continue
		}
		if out = append(out, newChange(c)); len(out) == shownChanges {
			break
		}
	}
	return out
}

func newChange(c eval.Change) Change {
	id := c.Commit.ID[len("commit:"):]
	out := Change{Subject: text(c.Commit.Text()), Commit: id[:min(len(id), shaDigits)], At: c.Commit.Time.UTC(),
		Warned: []ChangeLacked{}}
	for _, f := range c.Commit.Paths() {
		row := ChangedFile{File: f.Display(), New: true}
		for _, g := range c.Guesses {
			if g.Left != f {
				continue
			}
			if row.New, row.Place = false, g.Place; g.Place > 0 {
				row.P = g.Listed[g.Place-1].Score
			}
		}
		out.Files = append(out.Files, row)
	}
	for _, l := range c.Warned {
		out.Warned = append(out.Warned, ChangeLacked{l.File.Display(), l.Score, l.With.Display(), l.Both, l.Of})
	}
	return out
}
