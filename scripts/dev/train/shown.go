package main

import (
	"cmp"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// mostShown is the most files that one question shows.
const mostShown = 5

// leastP is the confidence under which a file is no promise, as in scripts/dev/eval.
const leastP = 0.05

// sessionFile is a file in a session.
type sessionFile struct {
	session string
	path    uint32
}

// promise is a file that could be shown, and what became of it.
type promise struct {
	q     *question
	f     *file
	p     float64
	first bool // the session's first promise of the file; else the highest so far
}

// promises hands over what could be shown in one repository, in time order: of the five best of
// each question, among some of its files, those that are likelier than ever before in their
// session. What is shown is chosen from these, and only these need hold.
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
