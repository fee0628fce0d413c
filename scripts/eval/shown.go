package main

import (
	"time"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// What is looked at to judge confidence.
const (
	gridSteps = 20            // thresholds of the risk–coverage curve: 1/20, 2/20 …
	binCount  = 10            // bars of the reliability diagram
	leastP    = 0.05          // what is less likely is not counted among the predictions
	idle      = 2 * time.Hour // after this long a session's predictions are resolved

	horizon    = 10             // file events of the session after which a prediction between calls is decided
	refitEvery = 24 * time.Hour // as schedule.refit says
)

// shown counts what would have been shown: each file once per session, when it first reached the threshold.
type shown struct {
	task        string // "shown" or "shown_unseen"
	unseen      bool   // only files that nothing had named
	base        float64
	controllers map[event.Task]*prefetch.Controller
	curve       [gridSteps]struct{ n, used, covered float64 }
	bins        [binCount]bin
	opens       float64 // that could have been shown before
	states      map[string]*showing
	waits       map[string]*showing // those with a horizon that is not over

	confident *prefetch.Confidence
	fixed     bool // nothing is learned from outcomes

	predictions []prefetch.Prediction // of this question
	refit       prefetch.Refit        // the repository's own calibration, as the daemon's cron would have it
	tried       time.Time
	resolved    []prefetch.Outcome
}

// bin is a bar of the reliability diagram: predictions, their sum, and how many were kept.
type bin struct{ n, p, used float64 }

// showing is what one session was shown.
type showing struct {
	shown  map[event.Path]int     // file → searches made before it was shown
	best   map[event.Path]float64 // file → its highest confidence in a top five
	shadow map[event.Path]bool    // predicted, below the threshold
	wait   []waiting
	at     time.Time
	saved  map[int]bool // searches that lay between a showing and its open
}

// waiting is a predicted file whose horizon is not over.
type waiting struct {
	task  event.Task
	class prefetch.Class
	p     float64 // as shipped
	due   int     // file events
	used  bool
	shown bool
}

// predict turns the ranking of a question into predictions.
func (s *shown) predict(d *eval.Decision) {
	if at := d.Query.At; !s.fixed && at.Sub(s.tried) >= refitEvery {
		s.tried, s.refit = at, s.refit.Next(s.resolved, at)
	}
	s.predictions = s.confident.Predictions(d.Query, d.Ranked, s.refit.Now)
}

func (s *shown) theta(m event.Task) float64 {
	if controller := s.controllers[m]; controller != nil {
		return controller.Theta()
	}
	return s.base // a change: nothing follows
}

func newShown(task string, unseen bool, threshold float64) *shown {
	return &shown{task: task, unseen: unseen, base: threshold, confident: prefetch.Shipped(),
		states: map[string]*showing{}, waits: map[string]*showing{}, controllers: map[event.Task]*prefetch.Controller{
			event.TaskPrompt: prefetch.NewController(threshold), event.TaskNext: prefetch.NewController(threshold)}}
}

// question takes one question in; it returns the list that counts, and how many of it would be shown.
func (s *shown) question(d *eval.Decision, total *sums) (list []prefetch.Prediction, n int) {
	s.resolve(d)
	st := s.states[d.Session]
	if st == nil {
		st = &showing{shown: map[event.Path]int{}, best: map[event.Path]float64{}, saved: map[int]bool{},
			shadow: map[event.Path]bool{}}
		s.states[d.Session] = st
	}
	st.at = d.Query.At
	for _, f := range s.predictions {
		if len(list) == dumped {
			break
		}
		if !s.unseen || d.Stratum(f.File) == eval.Unseen {
			list = append(list, f)
		}
	}
	for _, f := range list[:min(len(list), prefetch.MaxFiles)] {
		s.kept(d, st, f, total)
	}
	n = prefetch.Reach(list, s.theta(d.Query.Task))
	for i, f := range list[:min(len(list), prefetch.MaxFiles)] {
		_, before := st.shown[f.File]
		switch {
		case before:
		case i < n:
			st.shown[f.File] = d.Searches
			s.wait(d, st, f, true)
			total.add(d.Session, s.task, "precision", truth(d.Used[f.File]), 1)
		case f.P >= prefetch.Floor && !st.shadow[f.File]:
			st.shadow[f.File] = true
			s.wait(d, st, f, false)
		}
	}
	return list, n
}

// wait notes a prediction until its outcome is known.
func (s *shown) wait(d *eval.Decision, st *showing, f prefetch.Prediction, shown bool) {
	st.wait = append(st.wait, waiting{d.Query.Task, f.Class, f.Shipped, d.Files + horizon, d.Used[f.File], shown})
	s.waits[d.Session] = st
}

// kept takes a file of a top five to the curve, and the first time to the reliability diagram.
func (s *shown) kept(d *eval.Decision, st *showing, f prefetch.Prediction, total *sums) {
	used := d.Used[f.File]
	best, before := st.best[f.File]
	if f.P < leastP || f.P <= best {
		return
	}
	st.best[f.File] = f.P
	for i := range s.curve {
		if at := gridAt(i); at > best && at <= f.P {
			s.curve[i].n++
			s.curve[i].used += truth(used)
		}
	}
	if before {
		return
	}
	b := &s.bins[min(int(f.P*binCount), binCount-1)]
	b.n++
	b.p += f.P
	b.used += truth(used)
	miss := f.P - truth(used)
	total.add(d.Session, s.task, "brier", miss*miss, 1)
}

func gridAt(i int) float64 { return float64(i+1) / gridSteps }

// opened takes in an open that the question stood before.
func (s *shown) opened(d *eval.Decision, o eval.Open, total *sums) {
	if s.unseen && o.Stratum == eval.Named {
		return // nobody could have been first to tell
	}
	s.opens++
	st := s.states[d.Session]
	if st == nil {
		total.add(d.Session, s.task, "coverage", 0, 1)
		return
	}
	for i := range s.curve {
		if st.best[o.File] >= gridAt(i) {
			s.curve[i].covered++
		}
	}
	from, before := st.shown[o.File]
	total.add(d.Session, s.task, "coverage", truth(before), 1)
	if !before {
		return
	}
	for i := from; i < d.Searches; i++ {
		if !st.saved[i] {
			st.saved[i] = true
			total.add("", s.task, "saved", 1, 0)
		}
	}
}

// resolve passes outcomes to the controllers and the calibration when the daemon would know them: after ten file events
// of the session, or when it has been idle.
func (s *shown) resolve(d *eval.Decision) {
	for id, st := range s.waits {
		over := d.Query.At.Sub(st.at) > idle && id != d.Session
		if id != d.Session && !over {
			continue
		}
		kept := st.wait[:0]
		for _, w := range st.wait {
			if over || d.Files >= w.due {
				if w.shown {
					s.controllers[w.task].Settle(w.used)
				}
				s.resolved = append(s.resolved, prefetch.Outcome{Class: w.class, P: w.p, Used: w.used, At: d.Query.At})
			} else {
				kept = append(kept, w)
			}
		}
		if st.wait = kept; len(kept) == 0 {
			delete(s.waits, id)
		}
	}
}

// ece is the expected calibration error: the mean distance of prediction and outcome, over the bars.
func ece(bins [binCount]bin) float64 {
	sum, n := 0.0, 0.0
	for _, b := range bins {
		sum += max(b.p-b.used, b.used-b.p)
		n += b.n
	}
	if n == 0 {
		return 0
	}
	return sum / n
}
