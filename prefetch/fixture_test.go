package prefetch

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

var epoch = time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)

// fixture is a prefetcher over a store whose ranking gives chosen probabilities, with a log that
// everything passes.
type fixture struct {
	t        *testing.T
	store    *hot.Store
	sessions *session.Sessions
	tree     *index.Tree
	p        *Prefetcher
	now      time.Time
	log      [][]event.Event
	n        int

	shares map[event.Path]float64 // of the commits of cur.go
}

// transparent is a model in which the score is decided by co-change alone: p = σ(10·comod − 5).
// Words are looked up, and count nothing.
var transparent = func() map[event.Task]rank.Model {
	m := rank.Model{Weights: rank.Values{rank.Comod: 10, rank.Bias: -5, rank.TermsRank: 1e-12}}
	return map[event.Task]rank.Model{event.TaskOpen: m, event.TaskPrompt: m, event.TaskSearch: m}
}()

// says takes a ranking at its word, for lists too: a turn opens files, and a list is right as its
// files together promise.
var says = &Confidence{List: asPromised, Search: asPromised}

var asPromised = ListModel{Opens: ListWeights{Bias: 3}, Right: ListWeights{ListFeatures: ListFeatures{Any: 1}}}

func newFixture(t *testing.T, o Options) *fixture {
	t.Helper()
	if o.Settings == nil {
		o.Settings = func() Settings { s := Defaults; s.Holdout = 0; return s }
	}
	if o.Confident == nil {
		o.Confident = says // what the ranking says
	}
	d := &fixture{t: t, now: epoch, tree: index.NewTree([]event.Path{"cur.go"})}
	o.Weights = &history.Weights{Pair: history.Facts{history.Common: 1}, Best: 1, Missing: history.Missing{Odds: 1}}
	d.store, d.sessions = openStore(t), session.New()
	d.p = New(NewState(), d.sessions, rank.New(d.store, d.sessions, func() *index.Tree { return d.tree },
		rank.Options{Models: transparent}), o)
	return d
}

// history is one in which cur.go and every likely file changed together in that share of the
// commits of cur.go.
func (d *fixture) past() history.Past {
	c := &history.Commits{}
	for i := range 300 {
		set := []event.Path{"cur.go"}
		for f, p := range d.shares {
			if math.Floor(float64(i+1)*p) > math.Floor(float64(i)*p) {
				set = append(set, f)
			}
		}
		c.Add("", set, nil)
	}
	return history.Past{Commits: c}
}

func openStore(t *testing.T) *hot.Store {
	t.Helper()
	store := hot.New()
	return store
}

// likely makes files whose probability, with cur.go as current file, is p.
func (d *fixture) likely(p float64, files ...event.Path) {
	d.t.Helper()
	d.tree.Add(files...)
	b := d.store
	comod := (math.Log(p/(1-p)) + 5) / 10
	if d.shares == nil {
		d.shares = map[event.Path]float64{}
	}
	for _, f := range files {
		d.shares[f] = p
		b.Add(hot.Comod, "cur.go", string(f), epoch, comod/.98)
	}
	if d.n++; d.n == 1 {
		b.Add(hot.Changes, "", "cur.go", epoch, .9) // with the smoothing of .1: 1
	}
}

// knows makes a word of a prompt lead to files.
func (d *fixture) knows(word string, files ...event.Path) {
	d.t.Helper()
	b := d.store
	b.Add(hot.TermFreq, "", word, epoch, 1)
	for _, f := range files {
		b.Add(hot.TermFiles, word, string(f), epoch, 1)
	}
}

// fold folds events, as a daemon with these states does, and returns what came of predictions.
func fold(s *State, sessions *session.Sessions, events []event.Event) (out []session.Resolved) {
	for _, e := range events {
		now, delta := sessions.Apply(e)
		s.Apply(e, now, delta)
		out = append(out, delta.Resolved...)
	}
	return out
}

// happen logs events, and returns what came of predictions.
func (d *fixture) happen(events ...event.Event) []session.Resolved {
	d.t.Helper()
	for _, e := range events {
		if e.ID == "" {
			d.t.Errorf("it has no id: %+v", e)
		}
	}
	d.log = append(d.log, events)
	return fold(d.p.State, d.sessions, events)
}

func (d *fixture) event(kind event.Kind, files ...event.Path) event.Event {
	d.now = d.now.Add(time.Second)
	return event.Event{ID: fmt.Sprint("e", d.now.UnixNano()), Time: d.now, Session: "s",
		Body: eventtest.Fill(kind, eventtest.Fields{"Paths": files, "To": files, "Used": true, "Helped": true})}
}

// facts are files that were found by looking.
func facts(files ...event.Path) (found []event.Suggestion) {
	for _, f := range files {
		found = append(found, event.Suggestion{File: f, Score: 1})
	}
	return found
}

// said is what came of a question.
type said struct {
	Shown []event.Suggestion // those that Text names
	Text  string
	Log   []event.Event
	Why   Why
}

// all are words that have room for all files.
func all(shown []event.Suggestion) (text string, named []event.Path) {
	if len(shown) == 0 {
		return "", nil
	}
	return "words", paths(shown)
}

// say looks, decides and speaks, as package hint does. found are files that were found, nil for a
// kind that ranks.
func (d *fixture) say(q Question, found []event.Suggestion,
	words func([]event.Suggestion) (string, []event.Path)) (out said) {
	d.t.Helper()
	c := Found(found)
	if q.Kind == Partner {
		c = d.lacking(q.Query)
	} else if found == nil && !traits[q.Kind].fact {
		var err error
		c, err = d.p.Look(d.t.Context(), q)
		fault.Check(d.t, err)
	}
	dec := d.p.Decide(q, c)
	out.Shown = c.Suggestions(d.t.Context(), &dec)
	text, named := words(out.Shown)
	out.Text = text
	out.Shown = slices.DeleteFunc(out.Shown, func(s event.Suggestion) bool { return !slices.Contains(named, s.File) })
	out.Log, out.Why = d.p.Said(dec, text, named)
	return out
}

func (d *fixture) query() event.Query {
	return event.Query{Session: "s", Current: "cur.go", At: d.now}
}

// question asks about cur.go.
func (d *fixture) question(kind HintKind) Question { return Question{Kind: kind, Query: d.query()} }

// lacking are the candidates of Partner where nothing explains what the change lacks.
func (d *fixture) lacking(q event.Query) *Candidates {
	c := d.p.Companions(q, d.past(), d.tree.Has)
	return c.Lacking(c.Lacks(d.p.Sure()))
}

// ask asks and logs.
func (d *fixture) ask(kind HintKind) said {
	d.t.Helper()
	dec := d.say(d.question(kind), nil, all)
	if len(dec.Log) > 0 {
		d.happen(dec.Log...)
	}
	return dec
}

func (d *fixture) theta(kind HintKind) float64 {
	d.t.Helper()
	_, kinds := d.p.Threshold("s", d.now)
	return kinds[string(kind)]
}

// known is everything that is folded of predictions, and the session's part of it.
func (d *fixture) known(s *State, sessions *session.Sessions) string {
	return fmt.Sprintf("%+v\n%+v", s.folded, sessions.Get("s", d.now).Hints)
}

func paths(ss []event.Suggestion) (out []event.Path) {
	for _, s := range ss {
		out = append(out, s.File)
	}
	return out
}

func hintOf(e event.Event) event.Hint {
	h, _ := e.Body.(event.Hint)
	return h
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}
