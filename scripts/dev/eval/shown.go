package main

import (
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

const (
	ofFiles = "files" // the kind of these predictions in the table
	leastP  = 0.05    // the least probability that is measured
)

// shown simulates what would be shown: each file once per session, when it first reaches the
// threshold. The intercepts of the repository learn from outcomes as soon as the daemon would know
// them.
type shown struct {
	threshold   float64
	sessions    map[string]*showing
	predictions []prefetch.Candidate // the files of this question
	own         prefetch.Intercepts
}

// showing is what was shown in one session.
type showing struct {
	best map[event.Path]float64 // the highest probability of each file while it was among the first five
	wait []waiting
	at   time.Time
}

// waiting is a prediction whose outcome is not known yet.
type waiting struct {
	prefetch.Candidate
	used bool
	due  int // number of file events of the session at which the outcome is known
}

func newShown(threshold float64) *shown {
	return &shown{threshold: threshold, sessions: map[string]*showing{}, own: prefetch.Intercepts{}}
}

// predict turns the ranking of a question into predictions.
func (s *shown) predict(d *recorded.Decision) {
	s.predictions = prefetch.Shipped().Candidates(d.Query, d.Ranked, s.own)
}

// question returns the files that are shown now, and those whose probability is promised for the
// first time in their session.
func (s *shown) question(d *recorded.Decision) (shown, judged []prefetch.Candidate) {
	s.resolve(d)
	st := s.sessions[d.Session]
	if st == nil {
		st = &showing{best: map[event.Path]float64{}}
		s.sessions[d.Session] = st
	}
	st.at = d.Query.At
	for _, f := range s.predictions[:min(len(s.predictions), prefetch.MaxFiles)] {
		best := st.best[f.File]
		if f.P < leastP || f.P <= best {
			continue
		}
		st.best[f.File] = f.P
		if best == 0 {
			judged = append(judged, f)
		}
		if best < s.threshold && f.P >= s.threshold {
			shown = append(shown, f)
		}
		if best < prefetch.Floor && f.P >= prefetch.Floor {
			st.wait = append(st.wait, waiting{f, d.Used[f.File], d.Files + session.Horizon})
		}
	}
	return shown, judged
}

// resolve learns the outcomes of predictions: after ten further file events of the session, or when
// the session has been idle.
func (s *shown) resolve(d *recorded.Decision) {
	for id, st := range s.sessions {
		idle := d.Query.At.Sub(st.at) > session.IdleEnd
		if id != d.Session && !idle {
			continue
		}
		kept := st.wait[:0]
		for _, w := range st.wait {
			if !idle && d.Files < w.due {
				kept = append(kept, w)
				continue
			}
			s.own.Learn(w.Class.Kind(), w.Shipped, w.used)
		}
		st.wait = kept
	}
}
