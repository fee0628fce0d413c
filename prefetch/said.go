package prefetch

import (
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
)

// Said records how a decision was put into words. It returns the events to log, one for each
// status, and what came of the decision. text is what is said, "" for nothing, and named are the
// files that it names. Files of the decision that the text does not name, because there was no
// room, were not shown; the text may also name other files. Without a session nothing is logged,
// because nothing could resolve it. The decision remains reserved until its events come back from
// the log.
func (p *Prefetcher) Said(d Decision, text string, named []event.Path) ([]event.Event, Why) {
	q, files := d.question, d.statuses[Shown]
	if text == "" || !d.trait.text {
		files = without(files, func(f event.Path) bool { return text == "" || !slices.Contains(named, f) })
	}
	why := d.Why
	switch {
	case text != "":
		why = WhyShown
	case why == WhyShown:
		why = WhySpace
	}
	if q.Query.Session == "" {
		return nil, why
	}
	var log []event.Event
	for _, status := range []Status{Shown, Withheld, Shadow} {
		h := event.Hint{Name: string(q.Kind), Status: string(status)}
		said := d.statuses[status]
		if status == Shown {
			said = files
			h.Tokens = index.Tokens(text)
			shown := pathsOf(files)
			h.Named = slices.DeleteFunc(slices.Clone(named), func(f event.Path) bool { return slices.Contains(shown, f) })
		}
		if len(said) > 0 || status == Shown && text != "" {
			log = append(log, hintEvent(q, h, said))
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.folds(q.Query.Session, d.held)
	for _, e := range log {
		h := e.Body.(event.Hint)
		p.hold(q.Query.Session, pending{id: e.ID, by: e.Subagent, at: e.Time, kind: q.Kind, status: Status(h.Status),
			files: h.Paths})
	}
	return log, why
}

// Drop cancels a decision that was not said because the agent had stopped waiting. It may then be
// made again.
func (p *Prefetcher) Drop(d Decision) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.folds(d.question.Query.Session, d.held)
}

// hintEvent completes the event of one status. It records the shipped probabilities, because an
// intercept must not learn from itself.
func hintEvent(q Question, h event.Hint, files []Candidate) event.Event {
	h.Label, h.Task, h.Text = string(labelOf(q.Kind)), q.Query.Task, q.Topic
	for _, x := range files {
		h.Paths, h.Scores = append(h.Paths, x.File), append(h.Scores, x.Shipped)
	}
	if labelOf(q.Kind) == session.LabelChange {
		change := ChangeOf(q.Query)
		h.Change = change[max(0, len(change)-loggedFiles):]
	}
	e := event.Event{Time: q.Query.At, Agent: "aoa", Session: q.Query.Session, Subagent: q.Query.Subagent, Body: h}
	e.ID = hintID(e, h)
	return e
}
