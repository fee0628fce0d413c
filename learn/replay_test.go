package learn_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/scripts/eventtest"
	"github.com/aoa-dev/aoa/scripts/fault"
)

var start = eventtest.Start

// fixture is a store with a learner and the next sequence.
type fixture struct {
	*testing.T
	store    *hot.Store
	sessions *session.Sessions
	learner  *learn.Learner
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	s := hot.New(nil)
	return &fixture{t, s, session.New(), learn.New(s)}
}

func (d *fixture) learn(events ...event.Event) { d.learner.Learn(d.sessions, events...) }

// of is one value now.
func (d *fixture) score(f *hot.Family, owner, member string, at time.Time) float64 {
	d.Helper()
	v := d.store.View(at)
	r := v.OwnedOf(f, owner, []string{member})
	fault.Check(d, v.Load(d.Context()))
	return r.Value[0]
}

func (d *fixture) expect(what string, got, want float64) {
	d.Helper()
	if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		d.Errorf("%s is %v, want %v", what, got, want)
	}
}

// restart begins a new learner, and moves what is in memory to a new store through a snapshot.
func (d *fixture) restart() *fixture {
	d.Helper()
	recs, err := d.store.Snapshot()
	fault.Check(d, err)
	sessions, err := d.sessions.Snapshot()
	fault.Check(d, err)
	n := newFixture(d.T)
	fault.Check(d, errors.Join(n.store.Restore(recs), n.sessions.Restore(sessions)))
	return n
}

// same compares everything that two know about the files, tags, words and sessions of the sequence.
func same(t *testing.T, x, y *fixture, s *eventtest.Sequence) {
	t.Helper()
	names := map[string][]string{"path": event.Strings(s.Files), "tag": eventtest.Tags, "term": eventtest.Words, "": {""}}
	va, vb := x.store.View(s.Now), y.store.View(s.Now)
	type pair struct {
		what string
		a, b *hot.Values
	}
	var pairs []pair
	for _, f := range hot.Families {
		owner, member := "", "path"
		switch f.Name {
		case hot.Comod.Name, hot.Coaccess.Name:
			owner = "path"
		case hot.FileTags.Name:
			owner, member = "path", "tag"
		case hot.TagFiles.Name:
			owner = "tag"
		case hot.TermFiles.Name:
			owner = "term"
		case hot.TagFreq.Name:
			member = "tag"
		case hot.TermFreq.Name:
			member = "term"
		}
		for _, o := range names[owner] {
			pairs = append(pairs, pair{f.Name + " of " + o, va.OwnedOf(f, o, names[member]), vb.OwnedOf(f, o, names[member])})
		}
	}
	for _, v := range []*hot.View{va, vb} {
		fault.Check(t, v.Load(t.Context()))
	}
	some := 0.0
	for _, p := range pairs {
		for i := range p.a.Value {
			some += math.Abs(p.a.Value[i])
			if math.Abs(p.a.Value[i]-p.b.Value[i]) > 1e-9*max(1, math.Abs(p.a.Value[i])) {
				t.Fatalf("%s, member %d: %v and %v", p.what, i, p.a.Value[i], p.b.Value[i])
			}
		}
	}
	if some == 0 {
		t.Fatal("nothing was learned")
	}
	for _, id := range append([]string{"watch"}, eventtest.Sessions...) {
		a, b := x.sessions.Get(id, s.Now), y.sessions.Get(id, s.Now)
		fault.Same(t, "session "+id, b, a, cmpopts.IgnoreUnexported(session.Session{}), cmpopts.EquateEmpty())
	}
}

const seeds = 12

// TestLiveIsReplayed learns the same events in different batches.
func TestLiveIsReplayed(t *testing.T) {
	for seed := range uint64(seeds) {
		s := eventtest.NewSequence(seed)
		es := s.Events(400)
		r := rand.New(rand.NewPCG(seed, 9))
		lived, replayed := newFixture(t), newFixture(t)
		for _, b := range eventtest.Batches(es, r, 3) {
			lived.learn(b...)
		}
		for _, b := range eventtest.Batches(es, r, 60) {
			replayed.learn(b...)
		}
		same(t, lived, replayed, s)
	}
}

// TestRestartChangesNothing moves to a new store in the middle, through a snapshot, ticks included.
func TestRestartChangesNothing(t *testing.T) {
	for seed := range uint64(seeds) {
		s := eventtest.NewSequence(seed)
		es := s.Events(400)
		whole, cut := newFixture(t), newFixture(t)
		for i, b := range eventtest.Batches(es, rand.New(rand.NewPCG(seed, 11)), 8) {
			whole.learn(b...)
			if i%25 == 13 {
				cut = cut.restart()
			}
			cut.learn(b...)
		}
		same(t, whole, cut, s)
	}
}
