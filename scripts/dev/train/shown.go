package main

import (
	"cmp"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// mostShown is the largest number of files that one question shows.
const mostShown = 5

// leastP is the probability below which a file does not count as a prediction, as in
// scripts/dev/eval.
const leastP = 0.05

// sessionFile is a file in a session.
type sessionFile struct {
	session string
	path    uint32
}

// promise is a file that could be shown, with its outcome.
type promise struct {
	q *question
	f *file
	p float64
	// whether this is the session's first prediction of the file; otherwise it is the most probable
	// one so far
	first bool
}

// promises yields the predictions that could be shown in one repository, in time order: the files
// among the first five of a question whose probability is higher than ever before in their session.
// Only these probabilities have to be right, because all files that are shown are chosen from them.
func (m *weights) promises(s *set, repo int, among func(*file) bool, each func(promise)) {
	best := map[sessionFile]float64{}
	type scored struct {
		f *file
		p float64
	}
	var top []scored
	for i := range s.Questions {
		q := &s.Questions[i]
		if q.Repo != repo || q.Again || q.Task == event.TaskSearch {
			continue
		}
		top = top[:0]
		for k := range q.Files {
			if f := &q.Files[k]; among(f) {
				top = append(top, scored{f, m.probability(q, f)})
			}
		}
		slices.SortStableFunc(top, func(a, b scored) int { return cmp.Compare(b.p, a.p) })
		for _, c := range top[:min(mostShown, len(top))] {
			key := sessionFile{q.Session, c.f.Path}
			before, again := best[key]
			if c.p < leastP || again && c.p <= before {
				continue
			}
			best[key] = c.p
			each(promise{q, c.f, c.p, !again})
		}
	}
}
