package report

import (
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/eval"
)

// Past says how accurate aOa would have been for the newest changes. Each change was asked about
// once for each of its files, with that file left out, and once complete.
type Past struct {
	Reliability
	Changes int     `json:"changes"`
	Asked   int     `json:"asked"` // questions: files left out, one at a time
	First   float64 `json:"first"` // share of the questions in which the file left out was listed first
	Five    float64 `json:"five"`  // share in which it was among the first five
	// share in which it is among the first five of a simple rule: the files that were committed
	// most often with the others
	Simple  float64 `json:"simple"`
	Warned  int     `json:"warned"`  // warnings for changes with a file left out
	Right   float64 `json:"right"`   // share of these warnings that name the file left out
	False   float64 `json:"false"`   // share of the complete changes that got a warning
	Lacking int     `json:"lacking"` // files that were called missing in complete changes
	Later   float64 `json:"later"`   // share of these that a commit changed within a week
}

// Change is a commit with what aOa would have said before it was made.
type Change struct {
	Subject string         `json:"subject"`
	Commit  string         `json:"commit"` // the first digits of its ID
	At      time.Time      `json:"at"`
	Files   []ChangedFile  `json:"files"`
	Warned  []ChangeLacked `json:"warned"` // what was missing in the complete change
}

// ChangedFile is one file of a change, with its position in aOa's list when it was left out.
type ChangedFile struct {
	File  string  `json:"file"`
	New   bool    `json:"new"`   // no earlier commit has it
	Place int     `json:"place"` // 1 for the first, 0 if it was not listed
	P     float64 `json:"p"`     // the probability aOa gave it, 0 if it was not listed
}

// ChangeLacked is a file that aOa would have called missing.
type ChangeLacked struct {
	File string  `json:"file"`
	P    float64 `json:"p"`
	With string  `json:"with"`
	Both int     `json:"both"`
	Of   int     `json:"of"`
}

// Limits of the changes that are shown.
const (
	shownChanges = 5
	fewestFiles  = 2
	mostFiles    = 8
	shaDigits    = 10
)

func newPast(changes []eval.Change) *Past {
	var t tally // the promised probabilities, and when files left out were found
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

// newest returns the newest changes that are small enough to be shown, the newest first.
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
