package rank

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/aoa"
	"github.com/aoa-dev/aoa/internal/hot"
)

// world is a hot store with a tree, and as much learning as a ranking needs to be tested: it folds events the
// way the learning room documents, one batch per call.
type world struct {
	t        testing.TB
	store    *hot.Store
	tree     *aoa.Tree
	batch    *hot.Batch
	seq      int64
	sessions map[string]*live
}

// live is what the fold remembers of a session.
type live struct {
	clock    int64
	prompts  int64
	order    []aoa.Path
	last     aoa.Path
	terms    []string
	mentions map[aoa.Path]mention
}

type mention struct {
	sum   float64
	clock int64
}

func newWorld(t testing.TB, files ...aoa.Path) *world {
	t.Helper()
	store, err := hot.Open(context.Background(), hot.Options{Repo: "test", Writer: "test", Now: func() time.Time { return epoch }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	w := &world{t: t, store: store, tree: aoa.NewTree(files), sessions: map[string]*live{}}
	w.batch = store.Batch()
	return w
}

// epoch is when tests begin.
var epoch = time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)

func (w *world) ranker(o Options) *Ranker {
	w.flush()
	return New(w.store, func() *aoa.Tree { return w.tree }, o)
}

func (w *world) flush() {
	w.t.Helper()
	if w.batch.Empty() {
		return
	}
	w.seq++
	if err := w.store.Apply(context.Background(), w.batch, w.seq); err != nil {
		w.t.Fatal(err)
	}
	w.batch = w.store.Batch()
}

// commit learns a commit; the files become known.
func (w *world) commit(at time.Time, subject string, files ...aoa.Path) {
	w.tree.Add(files...)
	weight := 1.0
	if len(files) > 1 {
		weight = 1 / float64(len(files)-1)
	}
	for _, t := range aoa.Terms(subject, aoa.MaxTerms) {
		w.batch.Add(hot.TermFreq, "", t, at, 1)
		for _, f := range files[:min(len(files), 20)] {
			w.batch.Add(hot.TermFiles, t, string(f), at, 1/float64(len(files)))
		}
	}
	for _, f := range files {
		w.batch.Stamp(hot.Committed, string(f), at)
		w.batch.Add(hot.Churn, "", string(f), at, 1)
		if len(files) > 100 {
			continue
		}
		w.batch.Add(hot.Changes, "", string(f), at, weight)
		for _, g := range files {
			if g != f {
				w.batch.Add(hot.Comod, string(f), string(g), at, weight)
			}
		}
	}
}

func (w *world) session(id string) *live {
	if w.sessions[id] == nil {
		w.sessions[id] = &live{mentions: map[aoa.Path]mention{}}
	}
	return w.sessions[id]
}

// prompt learns a prompt; named files are those that the tree finds in it.
func (w *world) prompt(id string, at time.Time, text string) {
	s, b := w.session(id), w.batch.Session(id)
	s.clock++
	s.prompts++
	b.Touch(at).Set(hot.FieldClock, itoa(s.clock)).Set(hot.FieldPrompts, itoa(s.prompts)).Clear(hot.ClearTerms)
	s.terms = aoa.Terms(text, aoa.MaxTerms)
	for _, t := range s.terms {
		b.Term(t, s.clock)
		w.batch.Add(hot.TermFreq, "", t, at, 1)
	}
	for _, f := range namedIn(text, w.tree) {
		b.Named(f, s.prompts)
	}
}

// open learns the opening of a file.
func (w *world) open(id string, at time.Time, f aoa.Path) {
	s, b := w.session(id), w.batch.Session(id)
	s.clock++
	b.Set(hot.FieldClock, itoa(s.clock)).File(f, s.clock, at)
	w.batch.Stamp(hot.Recency, string(f), at)
	w.batch.Add(hot.Frequency, "", string(f), at, 1)
	if s.last != "" && s.last != f {
		w.batch.Add(hot.Next, string(s.last), string(f), at, 1)
		w.batch.Add(hot.Moves, "", string(s.last), at, 1)
	}
	s.last = f
	if slices.Contains(s.order, f) {
		return
	}
	s.order = append(s.order, f)
	b.First(f, int64(len(s.order)))
	w.batch.Add(hot.Sessions, "", string(f), at, 1)
	for i, g := range s.order[:len(s.order)-1] {
		if d := float64(len(s.order) - 1 - i); d <= 40 {
			w.batch.Add(hot.Coaccess, string(f), string(g), at, 1/(1+.15*(d-1)))
			w.batch.Add(hot.Coaccess, string(g), string(f), at, 1/(1+.15*(d-1)))
		}
	}
	for _, t := range s.terms {
		w.batch.Add(hot.TermFiles, t, string(f), at, 1)
	}
}

// seen learns that a result named files; command says that the command itself did.
func (w *world) seen(id string, at time.Time, command bool, files ...aoa.Path) {
	s, b := w.session(id), w.batch.Session(id)
	s.clock++
	b.Touch(at).Set(hot.FieldClock, itoa(s.clock))
	for _, f := range files {
		if command {
			b.Run(f, s.clock)
			continue
		}
		m := s.mentions[f]
		m.sum = m.sum*exp2(-float64(s.clock-m.clock)/hot.MentionHalf) + 1/sqrt(float64(len(files)))
		m.clock = s.clock
		s.mentions[f] = m
		b.Seen(f, s.clock, m.sum)
	}
}
