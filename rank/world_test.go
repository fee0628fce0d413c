package rank

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// world is a hot store with a tree, taught by the real learner: one batch per flush.
type world struct {
	t      testing.TB
	store  *hot.Store
	live   *session.Sessions
	learn  *learn.Learner
	tree   *index.Tree
	events []event.Event
	n      int
}

// epoch is when tests begin.
var epoch = time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)

func newWorld(t testing.TB, files ...event.Path) *world {
	t.Helper()
	store, sessions := hot.New(), session.New()
	return &world{t: t, store: store, live: sessions, learn: learn.New(store),
		tree: index.NewTree(files)}
}

func (w *world) ranker(o Options) *Ranker {
	w.flush()
	return New(w.store, w.live, func() *index.Tree { return w.tree }, o)
}

func (w *world) flush() {
	w.t.Helper()
	if len(w.events) == 0 {
		return
	}
	w.learn.Learn(w.live, w.events...)
	w.events = nil
}

func (w *world) happen(e event.Event) {
	w.n++
	e.ID = fmt.Sprint("e", w.n)
	w.events = append(w.events, e.Normalize(e.Time))
}

// commit learns a commit; the files become known.
func (w *world) commit(at time.Time, subject string, files ...event.Path) {
	w.tree.Add(files...)
	w.happen(event.Event{Time: at, Body: event.Commit{Paths: files, Terms: index.Terms(subject, event.MaxTerms)}})
}

// prompt learns a prompt; named are the files that the tree finds in it.
func (w *world) prompt(id string, at time.Time, text string) {
	w.happen(event.Event{Time: at, Session: id,
		Body: event.Prompt{Terms: index.Terms(text, event.MaxTerms), Idents: index.Identifiers(text, maxIdents),
			Named: w.tree.Named(text)}})
}

// open learns the opening of a file.
func (w *world) open(id string, at time.Time, f event.Path, tags ...string) {
	w.happen(event.Event{Time: at, Session: id, Body: event.Call{Act: event.ActRead, Paths: []event.Path{f},
		Tags: tags}})
}

// search learns a search whose words, own names and results are given.
func (w *world) search(id string, at time.Time, pattern string, named, results []event.Path) {
	w.happen(event.Event{Time: at, Session: id,
		Body: event.Call{Act: event.ActSearch, Terms: index.Terms(pattern, 8), Named: named, Seen: results}})
}

// curious are models under which every signal is looked up.
func curious() map[event.Task]Model {
	var m Model
	for s := range m.Weights {
		m.Weights[s] = 1e-9
	}
	out := Prior()
	for task := range out {
		out[task] = m
	}
	return out
}

// why returns the values of a file's reasons.
func why(t *testing.T, r *Ranker, q event.Query, f event.Path) (map[string]float64, event.Suggestion) {
	t.Helper()
	q.At, q.Explain = epoch, true
	s := fault.Must(r.Why(context.Background(), q, f))
	out := map[string]float64{}
	for _, reason := range s.Reasons {
		out[reason.Signal] = reason.Value
	}
	return out, s
}

func all(o Options) Options {
	o.Models = curious()
	return o
}

func TestUnusableWeights(t *testing.T) {
	for _, text := range []string{"", "{}", `{"tasks":{"prompt":{"weights":{"luck":1}},"open":{},"change":{}}}`} {
		if _, err := Parse([]byte(text)); err == nil {
			t.Errorf("%q is taken for weights", text)
		}
	}
	if _, err := Parse(shipped); err != nil {
		t.Error(err)
	}
}
