package learn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session/live"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/scripts/fault"
)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// fixture is a store with a learner and the next sequence.
type fixture struct {
	*testing.T
	store    *hot.Store
	sessions *live.Sessions
	learner  *learn.Learner
	seq      int64
}

func newFixture(t *testing.T, o learn.Options) *fixture {
	t.Helper()
	s, sessions := hot.New(nil), live.New()
	return &fixture{t, s, sessions, learn.New(s, sessions, o), 0}
}

func (d *fixture) learn(events ...event.Event) {
	d.Helper()
	d.seq++
	fault.Check(d, d.learner.Learn(d.Context(), events, d.seq))
}

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
	n := newFixture(d.T, learn.Options{})
	fault.Check(d, errors.Join(n.store.Restore(recs), n.sessions.Restore(sessions)))
	n.seq = d.seq
	return n
}

// stream makes random events of three sessions, a watcher and git.
type stream struct {
	r     *rand.Rand
	now   time.Time
	files []event.Path
	n     int
	done  []event.Event // commits that may be taken back
}

func newStream(seed uint64) *stream {
	s := &stream{r: rand.New(rand.NewPCG(seed, 7)), now: start}
	for i := range 25 {
		s.files = append(s.files, event.Path(fmt.Sprintf("pkg%d/file%d.go", i%4, i)))
	}
	return s
}

var words = []string{"login", "token", "cache", "retry", "index", "parse"}

func (s *stream) pick(most int) []event.Path {
	var out []event.Path
	for range 1 + s.r.IntN(most) {
		out = append(out, s.files[s.r.IntN(len(s.files))])
	}
	return out
}

func (s *stream) words() []string {
	i := s.r.IntN(len(words) - 2)
	return words[i : i+1+s.r.IntN(2)]
}

func (s *stream) next() event.Event {
	s.now = s.now.Add(time.Duration(s.r.IntN(120_000)) * time.Millisecond)
	if s.r.IntN(60) == 0 {
		s.now = s.now.Add(time.Duration(s.r.IntN(40)) * time.Hour)
	}
	s.n++
	tags := []string{"go", "editing"}[:s.r.IntN(3)]
	e := event.Event{ID: fmt.Sprint(s.n), Time: s.now, Agent: "claude", Session: fmt.Sprintf("s%d", s.r.IntN(3))}
	if s.r.IntN(15) == 0 { // late
		e.Time = e.Time.Add(-time.Duration(s.r.IntN(600)) * time.Second)
	}
	if s.r.IntN(6) == 0 {
		e.Subagent = "sub"
	}
	switch s.r.IntN(14) {
	case 0, 1:
		e.Turn = e.ID
		b := event.Prompt{Terms: s.words(), Tags: tags}
		if s.r.IntN(2) == 0 {
			b.Named = s.pick(2)
		}
		e.Body = b
	case 2, 3, 4:
		e.Body = event.Call{Act: event.ActRead, Paths: s.pick(2), Tags: tags}
		if s.r.IntN(4) == 0 {
			e.Body = event.Hint{Name: "rescue", Arm: live.Shown, Paths: e.Paths()}
		}
	case 5, 6:
		e.Body = event.Call{Act: event.ActEdit, Paths: s.pick(1), Tags: tags}
	case 7:
		e.Body = event.Call{Act: event.ActWrite, Paths: s.pick(1), Tags: tags}
	case 8, 9:
		e.Body = event.Call{Act: event.ActSearch, Terms: s.words(), Seen: s.pick(6), Named: s.pick(1), Tags: tags}
	case 10:
		e.Agent, e.Session = "watch", ""
		e.Body = event.Save{Paths: s.pick(2)}
	case 11:
		e.Agent, e.Session = "git", ""
		e.Body = event.Commit{Paths: s.pick(6), Terms: s.words()}
		s.done = append(s.done, e)
	case 12:
		if len(s.done) > 0 && s.r.IntN(2) == 0 {
			e = s.done[len(s.done)-1]
			s.done = s.done[:len(s.done)-1]
			e.ID = fmt.Sprint(s.n)
			e.Body = event.Uncommit(e.Body.(event.Commit))
			return e
		}
		e.Body = event.Start{Source: []string{"compact", "resume"}[s.r.IntN(2)]}
	case 13:
		if s.r.IntN(3) > 0 {
			e.Session = ""
			e.Body = event.Checkout{}
			return e
		}
		i := s.r.IntN(len(s.files))
		to := event.Path(fmt.Sprintf("moved/file%d.go", s.n))
		e.Session = ""
		e.Body = event.Rename{From: []event.Path{s.files[i]}, To: []event.Path{to}}
		s.files[i] = to
	}
	return e
}

// batches cuts events at random places; ticks stand alone, for their trims fall where the batches end.
func batches(events []event.Event, r *rand.Rand, most int) [][]event.Event {
	var out [][]event.Event
	for i := 0; i < len(events); {
		n := min(1+r.IntN(most), len(events)-i)
		for j := range n {
			if events[i+j].Kind() == event.KindTick {
				n = max(1, j)
				break
			}
		}
		out = append(out, events[i:i+n])
		i += n
	}
	return out
}

func events(seed uint64, n, ticks int) ([]event.Event, *stream) {
	s := newStream(seed)
	var out []event.Event
	for i := range n {
		if ticks > 0 && i%ticks == ticks-1 {
			out = append(out, event.Event{ID: fmt.Sprintf("tick%d", i), Time: s.now, Body: event.Tick{}})
		}
		out = append(out, s.next())
	}
	return out, s
}

// same compares everything that two know about the files, tags, words and sessions of the stream.
func same(t *testing.T, x, y *fixture, s *stream) {
	t.Helper()
	names := map[string][]string{"path": event.Strings(s.files), "tag": {"go", "editing"}, "term": words, "": {""}}
	va, vb := x.store.View(s.now), y.store.View(s.now)
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
	for _, id := range []string{"s0", "s1", "s2", "watch"} {
		a, b := x.sessions.Get(id, s.now), y.sessions.Get(id, s.now)
		fault.Same(t, "session "+id, b, a, cmpopts.IgnoreUnexported(live.Session{}), cmpopts.EquateEmpty())
	}
}

const seeds = 12

// TestLiveIsReplayed learns the same events in different batches.
func TestLiveIsReplayed(t *testing.T) {
	for seed := range uint64(seeds) {
		es, s := events(seed, 400, 0)
		r := rand.New(rand.NewPCG(seed, 9))
		lived, replayed := newFixture(t, learn.Options{}), newFixture(t, learn.Options{})
		for _, b := range batches(es, r, 3) {
			lived.learn(b...)
		}
		for _, b := range batches(es, r, 60) {
			replayed.learn(b...)
		}
		same(t, lived, replayed, s)
	}
}

// TestRestartChangesNothing moves to a new store in the middle, through a snapshot, ticks included.
func TestRestartChangesNothing(t *testing.T) {
	for seed := range uint64(seeds) {
		es, s := events(seed, 400, 50)
		whole, cut := newFixture(t, learn.Options{}), newFixture(t, learn.Options{})
		for i, b := range batches(es, rand.New(rand.NewPCG(seed, 11)), 8) {
			whole.learn(b...)
			if i%25 == 13 {
				cut = cut.restart()
			}
			cut.learn(b...)
		}
		same(t, whole, cut, s)
	}
}

// TestDuplicateBatch gives every batch twice.
func TestDuplicateBatch(t *testing.T) {
	es, s := events(3, 200, 0)
	once, twice := newFixture(t, learn.Options{}), newFixture(t, learn.Options{})
	for _, b := range batches(es, rand.New(rand.NewPCG(1, 1)), 10) {
		once.learn(b...)
		twice.learn(b...)
		twice.seq--
		twice.learn(b...)
	}
	same(t, once, twice, s)
}

// TestFailedApply gives a batch again after an error in the middle of it.
func TestFailedApply(t *testing.T) {
	es, s := events(4, 200, 0)
	whole, failing := newFixture(t, learn.Options{}), newFixture(t, learn.Options{})
	for i, b := range batches(es, rand.New(rand.NewPCG(1, 2)), 10) {
		whole.learn(b...)
		if i%5 == 2 {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := failing.learner.Learn(ctx, b, failing.seq+1); err == nil {
				t.Fatal("a canceled batch was learned")
			}
		}
		failing.learn(b...)
	}
	same(t, whole, failing, s)
}

// panicker panics at an event.
type panicker struct{ at string }

func (p panicker) Apply(e event.Event, _ *live.Session, _ live.Delta) {
	if e.ID == p.at {
		panic("the consumer is broken")
	}
}

// TestPanic: an event that makes a consumer panic is passed over and told of. Those around it are learned.
func TestPanic(t *testing.T) {
	var told []string
	d := newFixture(t, learn.Options{Consumers: []learn.Consumer{panicker{"bad"}},
		Panicked: func(e event.Event, why any) { told = append(told, fmt.Sprint(e.ID, ": ", why)) }})
	change := func(id string, f event.Path) event.Event {
		return event.Event{ID: id, Time: start, Agent: "git", Body: event.Commit{Paths: []event.Path{f}}}
	}
	d.learn(change("first", "a.go"), change("bad", "b.go"), change("last", "c.go"))
	d.learn(change("later", "c.go"))
	d.expect("changes before it", d.score(hot.Churn, "", "a.go", start), 1)
	d.expect("changes after it", d.score(hot.Churn, "", "c.go", start), 2)
	fault.Same(t, "told", told, []string{"bad: the consumer is broken"})
}
