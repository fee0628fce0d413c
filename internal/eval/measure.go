package eval

import (
	"context"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
)

// Report is how right aOa would have been on recorded work, beside the simple rules. Shares are in [0,1].
type Report struct {
	Name      string     `json:"name"`
	Commits   int        `json:"commits"` // of the history
	Changes   int        `json:"changes"` // commits that were asked about
	Sessions  int        `json:"sessions"`
	Questions []Question `json:"questions"`
	Warnings  *Warnings  `json:"warnings,omitempty"`
}

// The kinds of questions.
const (
	LeftOut  = "left_out" // a commit without one of its files: that file is right
	AtPrompt = "prompt"   // a prompt: what the session opens before the next one is right
	NextFile = "next"     // between calls: the file that the session opens next is right
)

// Question is all questions of a kind, with the shares that were answered right. A file that the question names is
// neither asked about nor an answer.
type Question struct {
	Kind  string             `json:"question"`
	Asked int                `json:"asked"`
	First float64            `json:"first"` // by aOa's first file
	Five  float64            `json:"five"`  // by one of its first five
	Rules map[string]float64 `json:"rules"` // by one of the first five of each simple rule
}

// Warnings is what `aoa check` would have said.
type Warnings struct {
	Changes int     `json:"changes"`  // complete ones
	False   float64 `json:"false"`    // share of these with a warning
	LeftOut int     `json:"left_out"` // changes with a file left out
	Named   float64 `json:"named"`    // share of these in which that file was named
	Warned  int     `json:"warned"`   // files that were named in these
	Right   float64 `json:"right"`    // share of these that were left out
}

// mostChanges is how many events of a history are asked about, the newest. They hold about a thousand questions, which
// is exact to two percent, and cost a few seconds where contents are known.
const mostChanges = 400

// Run replays a source: its sessions with its history, then its history alone. sure is the probability in (0,1] from
// which a missing file is named.
func Run(ctx context.Context, s Source, o Options, sure float64) (*Report, error) {
	r := &Report{Name: s.Name, Sessions: len(s.Sessions), Questions: []Question{}}
	for _, e := range s.Commits {
		if e.Kind() == event.KindCommit {
			r.Commits++
		}
	}
	if len(s.Sessions) > 0 {
		prompts, next, err := askSessions(ctx, s, o)
		if err != nil {
			return nil, err
		}
		r.add(prompts, next)
	}
	o.Newest = mostChanges
	changes, err := Changes(ctx, s, o, sure)
	if err != nil {
		return nil, err
	}
	r.changes(changes)
	return r, nil
}

// add keeps the questions that were asked.
func (r *Report) add(counts ...*tally) {
	for _, t := range counts {
		if t.asked > 0 {
			r.Questions = append(r.Questions, t.question())
		}
	}
}

// askSessions counts what is answered at prompts and between calls.
func askSessions(ctx context.Context, s Source, o Options) (prompts, next *tally, err error) {
	prompts, next = newTally(AtPrompt), newTally(NextFile)
	rules := NewRules()
	o.Learned = rules.Learn
	err = Sessions(ctx, s, o, func(d *Decision) error {
		if d.Query.Task == event.TaskPrompt && len(d.Turn) > 0 {
			prompts.ask(d, rules, func(p event.Path) bool { return slices.Contains(d.Turn, p) },
				func(p event.Path) bool { return !d.Prompted[p] })
		}
		for _, open := range d.Next {
			if open.Stratum != Named {
				next.ask(d, rules, func(p event.Path) bool { return p == open.File }, every)
			}
		}
		return nil
	})
	return prompts, next, err
}

// changes counts what is answered about changes.
func (r *Report) changes(all []Change) {
	left, w := newTally(LeftOut), Warnings{Changes: len(all)}
	wrong, named, right := 0, 0, 0
	for _, c := range all {
		if len(c.Warned) > 0 {
			wrong++
		}
		for _, g := range c.Guesses {
			left.add(g.Place, g.Rules)
			w.LeftOut++
			w.Warned += len(g.Warned)
			hits := 0
			for _, l := range g.Warned {
				if l.File == g.Left {
					hits++
				}
			}
			right += hits
			named += min(hits, 1)
		}
	}
	r.Changes = len(all)
	if len(all) == 0 {
		return
	}
	r.add(left)
	w.False, w.Named, w.Right = share(wrong, w.Changes), share(named, w.LeftOut), share(right, w.Warned)
	r.Warnings = &w
}

func share(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

// tally counts the questions of a kind and those that were answered right.
type tally struct {
	kind               string
	asked, first, five int
	rules              map[string]int
}

func newTally(kind string) *tally { return &tally{kind: kind, rules: map[string]int{}} }

// ask counts one question of a session. Only files that count are answers.
func (t *tally) ask(d *Decision, rules *Rules, right, counts func(event.Path) bool) {
	var listed []rank.Scored
	for _, f := range d.Ranked {
		if len(listed) == Listed {
			break
		}
		if counts(f.File) {
			listed = append(listed, f)
		}
	}
	place := 1 + slices.IndexFunc(listed, func(f rank.Scored) bool { return right(f.File) })
	t.add(place, rules.Question(d.Query).places(right, counts))
}

// add counts one question: the place from 1 of what is right among the first five, 0 if it is not among them.
func (t *tally) add(place int, rules map[string]int) {
	t.asked++
	if place == 1 {
		t.first++
	}
	if place > 0 {
		t.five++
	}
	for rule, place := range rules {
		if place > 0 {
			t.rules[rule]++
		}
	}
}

func (t *tally) question() Question {
	q := Question{Kind: t.kind, Asked: t.asked, First: share(t.first, t.asked), Five: share(t.five, t.asked),
		Rules: map[string]float64{}}
	for _, rule := range RuleNames {
		q.Rules[rule] = share(t.rules[rule], t.asked)
	}
	return q
}
