package learn

import (
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session"
)

// change adds a change of a session, with half the weight of a commit.
func (l *Learner) change(c session.Change) {
	n := len(c.Files)
	for i, p := range c.Files {
		l.changed(p.Path, c.At, editShare*share(n)*credit(p))
		for _, q := range c.Files[i+1:] {
			if n <= editMax {
				l.pair(p.Path, q.Path, c.At, editShare*share(n)*min(credit(p), credit(q)))
			}
		}
	}
}

// credit returns the weight of the edits of a file: a quarter if a hint led to them.
func credit(c session.Changed) float64 {
	if c.Hinted {
		return caused
	}
	return 1
}

// changed adds w to the changes of a file.
func (l *Learner) changed(p event.Path, at time.Time, w float64) {
	l.Add(hot.Changes, "", string(p), at, w)
	l.Stamp(hot.Changed, string(p), at)
}

// share returns the weight of each pair in a change of n files. The weights of all pairs with one
// file add up to 1.
func share(n int) float64 {
	if n <= 1 {
		return 1
	}
	return 1 / float64(n-1)
}

func (l *Learner) pair(a, b event.Path, at time.Time, w float64) {
	l.Add(hot.Comod, string(a), string(b), at, w)
	l.Add(hot.Comod, string(b), string(a), at, w)
}

// commit adds a commit to the weights. sign is -1 to subtract it.
func (l *Learner) commit(c event.Commit, at time.Time, sign float64) {
	gone := make(map[event.Path]bool, len(c.Gone))
	for _, p := range c.Gone {
		gone[p] = true
	}
	files := make([]event.Path, 0, len(c.Paths))
	for _, p := range c.Paths {
		if !gone[p] {
			files = append(files, p)
		}
	}
	slices.Sort(files)
	files = slices.Compact(files)
	n := len(files) + len(gone)
	tells := n <= commitMax && !c.Sweep()
	var topics []string
	if tells && n > 0 {
		topics = c.Topics()
	}
	for _, t := range topics {
		l.Add(hot.TermFreq, "", t, at, sign)
	}
	w := sign * share(n)
	for i, p := range files {
		l.Add(hot.Churn, "", string(p), at, sign)
		if sign > 0 {
			l.Stamp(hot.Committed, string(p), at)
		}
		if !tells {
			continue
		}
		l.Add(hot.Changes, "", string(p), at, w)
		if sign > 0 {
			l.Stamp(hot.Changed, string(p), at)
		}
		for _, q := range files[i+1:] {
			l.pair(p, q, at, w)
		}
		for _, t := range topics {
			l.Add(hot.TermFiles, t, string(p), at, sign/float64(n))
		}
	}
}
