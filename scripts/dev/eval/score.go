package main

import (
	"maps"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// score counts the outcomes of the decisions of one repository.
type score struct {
	*recorded.Table
	repo  string
	rules *recorded.Rules
	shown *shown
}

func (s *score) add(d *recorded.Decision, measure string, sum, n float64) {
	s.Add(recorded.Own, measure, s.repo, d.Session, sum, n)
}

// take counts one decision.
func (s *score) take(d *recorded.Decision) error {
	s.shown.predict(d)
	if d.Query.Task == event.TaskPrompt {
		s.show(d)
		s.list(d, "lists", prefetch.Shipped().List, d.Turn)
		s.prompt(d)
		return nil
	}
	if d.Query.Task == event.TaskSearch {
		s.list(d, "search lists", prefetch.Shipped().Search, slices.Collect(maps.Keys(d.Used)))
		s.search(d)
		return nil
	}
	if !d.AfterPrompt {
		s.show(d)
	}
	for _, o := range d.Next {
		s.open(d, o)
	}
	return nil
}

// show counts which single files would be shown, and which probabilities would be promised.
func (s *score) show(d *recorded.Decision) {
	shown, judged := s.shown.question(d)
	for _, f := range shown {
		s.add(d, "shown right", truth(d.Used[f.File]), 1)
	}
	for _, f := range judged {
		s.Promise(recorded.Own, ofFiles, s.repo, d.Session, f.P, d.Used[f.File])
	}
}

// list counts the list that would be shown at a prompt, or after a search that failed, to a turn
// that opens some files.
func (s *score) list(d *recorded.Decision, name string, m prefetch.ListModel, opened []event.Path) {
	files, e := m.Choose(d.Query, prefetch.Turn{Prompts: d.Prompts - 1,
		Named: len(d.Prompted) > 0}, s.shown.predictions, nil)
	shown := truth(e.Says(prefetch.ListThreshold))
	at := name + " at " + string(e.At)
	if len(opened) == 0 {
		s.add(d, name+" others", shown, 1)
		s.add(d, at+" others", shown, 1)
		return
	}
	s.add(d, name+" shown", shown, 1)
	s.add(d, at+" shown", shown, 1)
	right := 0
	for _, f := range files {
		right += int(truth(slices.Contains(opened, f.File)))
	}
	s.add(d, name+" right", shown*truth(right > 0), shown)
	s.add(d, at+" right", shown*truth(right > 0), shown)
	s.add(d, name+" lines", shown*float64(right), shown*float64(len(files)))
}

// prompt counts which of the files that the turn opens are in the list.
func (s *score) prompt(d *recorded.Decision) {
	if len(d.Turn) == 0 {
		return
	}
	news := func(f event.Path) bool { return !d.Prompted[f] }
	s.turn(recorded.Own, d, filter(d.Ranked, news))
	for _, rule := range recorded.RuleNames {
		s.turn(rule, d, s.rules.Question(d.Query).List(rule, 10, news))
	}
}

// turn counts a list at a prompt.
func (s *score) turn(method string, d *recorded.Decision, list []event.Path) {
	five, ten, first := 0, 0, 0
	for i, f := range list[:min(len(list), 10)] {
		if !slices.Contains(d.Turn, f) {
			continue
		}
		if first == 0 {
			first = i + 1
		}
		ten++
		five += int(truth(i < 5))
	}
	s.Add(method, "T1 any5", s.repo, d.Session, truth(five > 0), 1)
	s.Add(method, "T1 recall10", s.repo, d.Session, float64(ten)/float64(len(d.Turn)), 1)
	s.Add(method, "T1 mrr", s.repo, d.Session, truth(first > 0)/float64(max(first, 1)), 1)
}

// open counts one open of a file, predicted after the last event before its batch. Files that a
// prompt or a command had named are left out.
func (s *score) open(d *recorded.Decision, o recorded.Open) {
	if o.Stratum == recorded.Named {
		return
	}
	task := map[recorded.Stratum]string{recorded.Unseen: "T2 ", recorded.Seen: "T3 "}[o.Stratum]
	among := func(f event.Path) bool { return d.Stratum(f) == o.Stratum }
	s.Place(recorded.Own, task, s.repo, d.Session, 1+slices.Index(filter(d.Ranked, among), o.File))
	for _, rule := range recorded.RuleNames {
		s.Place(rule, task, s.repo, d.Session, 1+slices.Index(s.rules.Question(d.Query).List(rule, 10, among), o.File))
	}
}

// search counts, after a search that failed, the position of the first file that the turn opens
// next.
func (s *score) search(d *recorded.Decision) {
	if len(d.Search.Opened) == 0 {
		return
	}
	task := "T6 much "
	if d.Search.Nothing {
		task = "T6 "
	}
	s.Place(recorded.Own, task, s.repo, d.Session, 1+slices.IndexFunc(d.Ranked, func(f rank.Scored) bool {
		return slices.Contains(d.Search.Opened, f.File)
	}))
}

func filter(list []rank.Scored, counts func(event.Path) bool) (out []event.Path) {
	for _, f := range list {
		if counts(f.File) {
			out = append(out, f.File)
		}
	}
	return out
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
