package main

import (
	"math"
	"slices"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/rank"
)

// score gathers what the table of one repository needs from its decisions.
type score struct {
	*sums
	dump      *dump
	threshold float64
	baselines *baselines
	scratch   []float64
	any       *shown
	unseen    *shown
	ranked    *shown // as if the ranking's own scores were believed
	repo      string
	Counts    Counts
	took      []float64 // ms
}

// Counts say what was looked at.
type Counts struct {
	Sessions int `json:"sessions"`
	Commits  int `json:"commits"`
	Events   int `json:"file_events"`
	Repeated int `json:"repeated"` // events that a resumed session recorded again
	Unusable int `json:"unusable"` // lines of the trace that are no rows
	Prompts  int `json:"prompts"`  // all, also those without truth
	Opens    int `json:"opens"`    // first touches of files known before
	Created  int `json:"created"`  // first touches of files not known before: nobody can predict them
	LeftOut  int `json:"left_out"` // opens that a prompt or a command had named
	Searches int `json:"searches"` // search and listing calls
}

func newScore(o settings) *score {
	s := &score{sums: newSums(), dump: o.dump, threshold: o.threshold, any: newShown("shown", false, o.threshold),
		unseen: newShown("shown_unseen", true, o.threshold)}
	s.ranked = newShown("ranked", false, o.threshold)
	s.ranked.confident, s.ranked.fixed = &prefetch.Confidence{}, true
	s.baselines = newBaselines()
	return s
}

// take counts one decision.
func (s *score) take(d *eval.Decision) error {
	if d.Took > 0 {
		s.took = append(s.took, float64(d.Took.Microseconds())/1000)
	}
	switch d.Query.Task {
	case event.TaskPrompt:
		s.any.predict(d)
		s.show(d)
		s.prompt(d)
	case event.TaskChange:
		s.change(d)
	default:
		s.any.predict(d)
		if !d.AfterPrompt {
			s.show(d)
		}
		s.opens(d)
	}
	return nil
}

// show counts what would be shown.
func (s *score) show(d *eval.Decision) {
	s.unseen.predictions = s.any.predictions
	s.ranked.predict(d)
	s.ranked.question(d, s.sums)
	for _, kind := range []*shown{s.any, s.unseen} {
		list, n := kind.question(d, s.sums)
		if s.dump != nil {
			l := s.line(d, kind.task, string(d.Query.Task), nil)
			for _, p := range list {
				l.Paths, l.P = append(l.Paths, p.File), append(l.P, math.Round(p.P*1e4)/1e4)
			}
			l.Shown = n
			for f := range d.Used {
				l.Truth = append(l.Truth, f)
			}
			slices.Sort(l.Truth)
			s.dump.write(l)
		}
	}
}

// list counts the list that would be shown at a prompt.
func (s *score) list(d *eval.Decision) {
	files, e := prefetch.Shipped().List.Choose(d.Query, prefetch.Turn{Prompts: d.Prompts - 1,
		Named: len(d.Prompted) > 0}, s.any.predictions, nil)
	shown := truth(e.Says(prefetch.ListThreshold, prefetch.ListTokens, prefetch.Searching{}))
	if len(d.Turn) == 0 {
		s.add(d.Session, "lists", "others", shown, 1)
		return
	}
	s.add(d.Session, "lists", "shown", shown, 1)
	if shown > 0 {
		right := slices.ContainsFunc(files, func(f prefetch.Prediction) bool { return slices.Contains(d.Turn, f.File) })
		s.add(d.Session, "lists", "right", truth(right), 1)
		for _, f := range files {
			s.add(d.Session, "lists", "lines", truth(slices.Contains(d.Turn, f.File)), 1)
		}
	}
}

func (s *score) prompt(d *eval.Decision) {
	s.Counts.Prompts++
	s.list(d)
	if len(d.Turn) == 0 {
		return
	}
	news := func(f event.Path) bool { return !d.Prompted[f] }
	list := filter(d.Ranked, news)
	turn := set(d.Turn)
	s.turn(d.Session, "T1", paths(list), turn)
	l := s.line(d, "T1", "prompt", list)
	l.Truth, l.Shown = d.Turn, s.any.reach(d, list)
	s.dump.write(l)
	s.compare(d, func(name string, c comparison) {
		s.turn("", name+"/T1", c.Top(s.scratch, dumped, news), turn)
	})
}

func (s *score) opens(d *eval.Decision) {
	s.Counts.Created += d.Created
	for _, o := range d.Next {
		s.Counts.Opens++
		s.any.opened(d, o, s.sums)
		s.unseen.opened(d, o, s.sums)
		s.next(d, o)
	}
	for _, o := range d.After {
		s.after(d, o)
	}
	s.search(d)
}

// search scores what follows a search that failed: the place of the first file that the turn opens next.
func (s *score) search(d *eval.Decision) {
	if d.Search == nil {
		return
	}
	task := "T6much"
	if d.Search.Nothing {
		task = "T6"
	}
	s.place(d.Session, task, 1+slices.IndexFunc(d.Ranked, func(f rank.Scored) bool {
		return slices.Contains(d.Search.Opened, f.File)
	}))
}

// next scores one open, predicted after the last event before its batch.
func (s *score) next(d *eval.Decision, o eval.Open) {
	among := func(f event.Path) bool { return d.Stratum(f) == o.Stratum }
	task := taskOf(o.Stratum)
	list := filter(d.Ranked, among)
	l := s.line(d, task, "last", list)
	l.Seq, l.Truth, l.Shown = o.Seq, []event.Path{o.File}, s.any.reach(d, list)
	s.dump.write(l)
	if o.Stratum == eval.Named {
		s.Counts.LeftOut++
		return
	}
	s.place(d.Session, task, placeOf(paths(list), o.File, every))
	s.place("", task+"all", placeOf(paths(d.Ranked), o.File, every))
	s.compare(d, func(name string, c comparison) {
		s.place("", name+"/"+task, c.place(s.scratch, o.File, among))
	})
}

// after scores one open a second time, as it was predicted right after the previous file event. What was seen by the
// time of the open may not have been by then, so a seen file stands among all that nothing had named in words.
func (s *score) after(d *eval.Decision, o eval.Open) {
	if o.Stratum == eval.Named {
		return
	}
	among := func(f event.Path) bool { return d.Stratum(f) == eval.Unseen }
	if o.Stratum == eval.Seen {
		among = func(f event.Path) bool { return d.Stratum(f) != eval.Named }
	}
	list := filter(d.Ranked, among)
	s.place(d.Session, taskOf(o.Stratum)+"after", placeOf(paths(list), o.File, every))
	l := s.line(d, taskOf(o.Stratum), "after", list)
	l.Seq, l.Truth, l.Shown = o.Seq, []event.Path{o.File}, s.any.reach(d, list)
	s.dump.write(l)
}

// change scores a commit: completion by the probabilities of `aoa suggest`, and the warnings of `aoa suggest --check`.
func (s *score) change(d *eval.Decision) {
	warned := make([]rank.Scored, len(d.Warned))
	for i, l := range d.Warned {
		warned[i] = rank.Scored{File: l.File, Score: l.Score}
	}
	l := s.line(d, "T5", "complete", warned)
	l.Shown = len(warned)
	if d.Left == "" {
		s.add(d.Session, "T5", "false_per_100", 100*float64(len(warned)), 1)
		s.dump.write(l)
		return
	}
	l.Moment, l.Truth = "withheld", []event.Path{d.Left}
	s.dump.write(l)
	hit := slices.ContainsFunc(warned, func(f rank.Scored) bool { return f.File == d.Left })
	s.add(d.Session, "T5", "precision", truth(hit), float64(len(warned)))
	s.add(d.Session, "T5", "recall", truth(hit), 1)
	s.place(d.Session, "T4", placeOf(paths(d.Ranked), d.Left, every))
	l = s.line(d, "T4", "change", d.Ranked)
	l.Truth, l.Shown = []event.Path{d.Left}, min(len(d.Ranked), prefetch.MaxFiles)
	s.dump.write(l)
	s.compare(d, func(name string, c comparison) {
		s.place("", name+"/T4", c.place(s.scratch, d.Left, every))
	})
}

// compare asks each baseline; its scores are in scratch.
func (s *score) compare(d *eval.Decision, each func(name string, c comparison)) {
	c := s.baselines.comparison(d)
	for _, name := range names {
		if d.Query.Task == event.TaskChange && (name == "coaccess" || name == "successor") {
			continue // commits have neither sessions nor order
		}
		n := len(s.baselines.Files)
		s.scratch = slices.Grow(s.scratch[:0], n)[:n]
		c.score(name, s.scratch)
		each(name, c)
	}
}

// reach is how many of the first of a list would be shown at this question.
func (s *shown) reach(d *eval.Decision, list []rank.Scored) int {
	theta, n := s.theta(d.Query.Task), 0
	for n < min(len(list), prefetch.MaxFiles) {
		i := slices.IndexFunc(s.predictions, func(p prefetch.Prediction) bool { return p.File == list[n].File })
		if i < 0 || s.predictions[i].P < theta {
			break
		}
		n++
	}
	return n
}

func taskOf(s eval.Stratum) string { return [...]string{"T2", "T3", "named"}[s] }

func every(event.Path) bool { return true }

func filter(list []rank.Scored, counts func(event.Path) bool) []rank.Scored {
	out := make([]rank.Scored, 0, len(list))
	for _, f := range list {
		if counts(f.File) {
			out = append(out, f)
		}
	}
	return out
}

func paths(list []rank.Scored) []event.Path {
	out := make([]event.Path, len(list))
	for i, f := range list {
		out[i] = f.File
	}
	return out
}
