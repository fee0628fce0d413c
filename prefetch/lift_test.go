package prefetch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestLift holds the interval to the example that Newcombe's paper works out: 56/70 against 48/80.
func TestLift(t *testing.T) {
	l := lift(Tally{Resolved: 70, Used: 56}, Tally{Resolved: 80, Used: 48})
	for _, c := range []struct{ got, want float64 }{{l.Value, 0.2}, {l.Low, 0.0524}, {l.High, 0.3339}} {
		if math.Abs(c.got-c.want) > 5e-4 {
			t.Errorf("lift is %+v, want 0.2 [0.0524, 0.3339]", l)
		}
	}
	if lift(Tally{Resolved: 3}, Tally{}).Known {
		t.Error("a lift without anything withheld")
	}
	for range 1000 {
		n, m := rand.Int64N(200)+1, rand.Int64N(200)+1
		l := lift(Tally{Resolved: n, Used: rand.Int64N(n + 1)}, Tally{Resolved: m, Used: rand.Int64N(m + 1)})
		if !(l.Low <= l.Value && l.Value <= l.High && l.Low >= -1 && l.High <= 1) {
			t.Fatalf("interval %+v", l)
		}
	}
}

// simulation is a run of sessions, each with one prediction of a kind: it is used with probability shown when
// it is shown and with probability anyway when it is not.
type simulation struct {
	d     *fixture
	rng   *rand.Rand
	count int
}

func (s *simulation) run(t *testing.T, n int, shown, anyway float64) {
	t.Helper()
	for range n {
		s.count++
		q := event.Query{Session: fmt.Sprint("sim", s.count), At: s.d.now}
		got, err := s.d.p.Decide(t.Context(), Question{Kind: Stale, Query: q,
			Found: []event.Suggestion{{File: "x.go", Score: 1}}})
		fault.Check(t, err)
		s.d.happen(got.Log...)
		p := anyway
		if len(got.Shown) > 0 {
			p = shown
		}
		if s.rng.Float64() < p {
			e := s.d.event(event.KindRead, "x.go")
			e.Session = q.Session
			s.d.happen(e)
		}
		end := s.d.event(event.KindEnd)
		end.Session = q.Session
		s.d.happen(end)
	}
}

func (s *simulation) record(t *testing.T) Record {
	t.Helper()
	all := s.d.p.Records()
	if len(all) != 1 {
		t.Fatalf("records %+v", all)
	}
	return all[0]
}

// TestAUselessKindRetiresAndComesBack: a kind that changes nothing falls silent by itself; when its evidence has
// faded it speaks again, and stays if it has become useful.
func TestAUselessKindRetiresAndComesBack(t *testing.T) {
	s := &simulation{d: newFixture(t, Options{Holdout: func() float64 { return 0.3 }, Seed: "simulation"}),
		rng: rand.New(rand.NewPCG(1, 2))}
	s.run(t, 100, 0.9, 0.1)
	if s.record(t).Retired {
		t.Fatal("a useful kind has retired")
	}
	s = &simulation{d: newFixture(t, Options{Holdout: func() float64 { return 0.3 }, Seed: "simulation"}),
		rng: rand.New(rand.NewPCG(1, 2))}
	r := Record{}
	for n := 0; !r.Retired; n += 10 {
		if n > 300 {
			t.Fatalf("a useless kind speaks on: %+v, lift %+v", r, r.Lift())
		}
		s.run(t, 10, 0.2, 0.3)
		r = s.record(t)
	}
	t.Logf("retired after %d predictions: lift %+v", s.count, r.Lift())
	before := r.Shown.Predicted
	s.run(t, 10, 0.2, 0.3)
	if r = s.record(t); r.Shown.Predicted != before || r.Shadow.Predicted == 0 {
		t.Errorf("a retired kind was shown: %+v", r)
	}
	if why := r.Why(); !strings.Contains(why, "shown files") || !strings.Contains(why, "lift ") {
		t.Errorf("why it retired: %q", why)
	}
	s.run(t, 500, 0.9, 0.1)
	if r = s.record(t); r.Retired || r.Shown.Predicted == before {
		t.Errorf("the kind did not come back: %+v, lift %+v", r, r.Lift())
	}
}

// TestAnIntervalRetires: thirty controls and a point estimate of no lift are not enough.
func TestAnIntervalRetires(t *testing.T) {
	few := Record{Shown: Tally{Resolved: 100, Used: 30}, Withheld: Tally{Resolved: 30, Used: 10}}
	if l := few.Lift(); l.Value > 0 || few.verdict() {
		t.Errorf("retired with the interval %+v", l)
	}
	many := Record{Shown: Tally{Resolved: 3000, Used: 900}, Withheld: Tally{Resolved: 330, Used: 105}}
	if l := many.Lift(); !many.verdict() {
		t.Errorf("not retired with the interval %+v", l)
	}
}

// TestARetiredKindIsBroughtBack: who wants it back need not wait for the evidence to fade.
func TestARetiredKindIsBroughtBack(t *testing.T) {
	s := &simulation{d: newFixture(t, Options{Holdout: func() float64 { return 0.3 }, Seed: "simulation"}),
		rng: rand.New(rand.NewPCG(1, 2))}
	again := func() {
		e := s.d.event(event.KindFeedback)
		e.Session = ""
		e.Body = SetRevived(Stale, "1", s.d.now).Body
		s.d.happen(e)
	}
	s.run(t, 20, 0.2, 0.3)
	before := s.record(t)
	if again(); s.record(t) != before {
		t.Errorf("a kind that has not retired lost its record: %+v, was %+v", s.record(t), before)
	}
	for n := 0; !s.record(t).Retired; n++ {
		if n > 300 {
			t.Fatal("it does not retire")
		}
		s.run(t, 1, 0.2, 0.3)
	}
	again()
	r := s.record(t)
	if r.Retired || r.Shown.Resolved != 0 || r.Shown.Predicted == 0 {
		t.Errorf("brought back: %+v, want no evidence, and what was predicted kept", r)
	}
	s.run(t, 10, 0.2, 0.3)
	if now := s.record(t); now.Shown.Predicted == r.Shown.Predicted {
		t.Errorf("it was brought back and keeps silent: %+v", now)
	}
}
