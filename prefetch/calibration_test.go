package prefetch

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session/live"
	"github.com/aoa-dev/aoa/scripts/eventtest"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// world draws outcomes of predictions that are kept with the odds that shift says.
func world(seed uint64, n int, shift float64, from time.Time) []Outcome {
	r := rand.New(rand.NewPCG(seed, 7))
	out := make([]Outcome, n)
	for i := range out {
		p := .4 + .5*r.Float64()
		out[i] = Outcome{Class: OpenUnseen, P: p, Used: r.Float64() < 1/(1+math.Exp(-(logOdds(p)+shift))),
			At: from.Add(time.Duration(i) * time.Minute)}
	}
	return out
}

// TestRefitLearns: in a repository whose files are opened far less often than promised, predictions come down to what
// is kept; where they hold, next to nothing changes.
func TestRefitLearns(t *testing.T) {
	for _, shift := range []float64{-1.5, 0, 1} {
		outcomes := world(1, 600, shift, epoch)
		r := Refit{}.Next(outcomes, epoch.Add(24*time.Hour))
		later := world(2, 2000, shift, epoch.Add(48*time.Hour))
		kept, said := 0.0, 0.0
		for _, o := range later {
			kept, said = kept+truth(o.Used), said+r.Now.apply(o.Class, o.P)
		}
		if off := math.Abs(kept-said) / float64(len(later)); off > .05 {
			t.Errorf("shift %v: promised %.3f, kept %.3f (%s, %+v)", shift, said/2000, kept/2000, r, r.Now)
		}
		if shift != 0 && r.Verdict != Taken {
			t.Errorf("shift %v: %s", shift, r)
		}
		if r.Verdict == Taken && !(r.After < r.Before) {
			t.Errorf("taken although %v is no better than %v", r.After, r.Before)
		}
	}
}

// TestRefitRefuses: what the older outcomes say must hold on the newer ones.
func TestRefitRefuses(t *testing.T) {
	outcomes := append(world(1, 400, -1.5, epoch), world(2, 100, 0, epoch.Add(400*time.Minute))...)
	r := Refit{}.Next(outcomes, epoch.Add(24*time.Hour))
	if r.Verdict != Refused || r.Now.Slope != 0 || len(r.Now.Shift) != 0 || !(r.After >= r.Before) {
		t.Fatalf("%s, now %+v", r, r.Now)
	}
	if again := r.Next(outcomes, epoch.Add(48*time.Hour)); !again.At.Equal(r.At) {
		t.Errorf("tried again without anything new: %+v", again)
	}
	if few := (Refit{}).Next(outcomes[:leastFit-1], epoch); few.Verdict != Waited || few.Now.Slope != 0 {
		t.Errorf("fitted on %d outcomes: %+v", leastFit-1, few)
	}
}

// TestRefitRollsBack: a fit is taken, then the repository is another one; what comes after the fit would have been
// better without it, so it goes, and does not come back on the same outcomes.
func TestRefitRollsBack(t *testing.T) {
	outcomes := world(1, 300, -1.5, epoch)
	taken := Refit{}.Next(outcomes, epoch.Add(300*time.Minute))
	if taken.Verdict != Taken {
		t.Fatalf("%s", taken)
	}
	if calm := taken.Next(outcomes, epoch.Add(24*time.Hour)); !calm.At.Equal(taken.At) ||
		calm.Now.Shift[OpenUnseen] != taken.Now.Shift[OpenUnseen] {
		t.Errorf("nothing new, and yet %s", calm)
	}
	outcomes = append(outcomes, world(2, 60, 1, epoch.Add(301*time.Minute))...)
	back := taken.Next(outcomes, epoch.Add(7*24*time.Hour))
	if back.Verdict != TakenBack || len(back.Now.Shift) != 0 || !(back.After < back.Before) {
		t.Fatalf("%s, now %+v", back, back.Now)
	}
	if still := back.Next(outcomes, epoch.Add(8*24*time.Hour)); still.Verdict != TakenBack || len(still.Now.Shift) != 0 {
		t.Errorf("a day later: %s, now %+v", still, still.Now)
	}
}

// TestRefitIsFolded: once a day what came of predictions is learned from, and decides the next question.
func TestRefitIsFolded(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.65, "x.go")
	if got := d.ask(Next); len(got.Shown) != 1 {
		t.Fatalf("before: %s", got.Why)
	}
	tick := event.Event{Time: d.now, Body: event.Tick{Job: "decay"}}
	old := world(3, 200, -2, epoch.Add(-refitAge-24*time.Hour))
	d.p.Outcomes = append(old, world(3, 200, -2, epoch.Add(-24*time.Hour))...)
	d.p.Outcomes = append(d.p.Outcomes, Outcome{Kind: Rescue, P: 1, Used: true, At: epoch}, Outcome{Kind: Next,
		Class: OpenUnseen, At: epoch})
	d.happen(tick)
	r := d.p.LastRefit()
	if r.Verdict != Taken || r.Outcomes != 200 {
		t.Fatalf("%s: learned from %d outcomes, want 200", r, r.Outcomes)
	}
	d.happen(tick)
	if again := d.p.LastRefit(); !again.At.Equal(r.At) || again.Now.Shift[OpenUnseen] != r.Now.Shift[OpenUnseen] {
		t.Errorf("tried again without anything new: %s", again)
	}
	d.likely(.65, "y.go")
	d.now = d.now.Add(time.Minute)
	if got := d.ask(Next); len(got.Shown) != 0 {
		t.Errorf("y.go is shown at %v, whose like are used in a fifth", got.Shown[0].Score)
	}
}

// TestOtherClonesTeach: what came of the predictions of another clone is learned from, and counts nowhere else.
func TestOtherClonesTeach(t *testing.T) {
	d, origin := newFixture(t, Options{}), strings.Repeat("A", 26)
	hint, open := d.event(event.KindSuggest, "x.go"), d.event(event.KindRead, "x.go")
	eventtest.Set(&hint, "Name", string(Next), "Arm", string(Shown), "Label", string(live.LabelNext), "Scores", []float64{.7})
	for _, e := range []*event.Event{&hint, &open} {
		e.Origin, e.Session = origin, event.ForeignSession(origin, "s")
	}
	d.happen(hint, open)
	if o := d.p.Outcomes; len(o) != 1 || !o[0].Used || o[0].P != .7 || o[0].Class != OpenUnseen {
		t.Errorf("outcomes are %+v", o)
	}
	if len(d.p.Records()) > 0 || len(d.p.Came(10)) > 0 || d.theta(Next) != Balanced {
		t.Errorf("records are %+v, came %+v, the threshold %v", d.p.Records(), d.p.Came(10), d.theta(Next))
	}
}

func FuzzRestore(f *testing.F) {
	s := NewState()
	s.Apply(event.Event{Time: epoch, Session: "s", Body: event.Hint{Name: string(Next), Arm: string(Shown),
		Paths: []event.Path{"a"}}}, nil, live.Delta{})
	s.Refit = Refit{Verdict: Taken, Now: Calibration{Slope: .1, Shift: map[Class]float64{OpenSeen: -1}}}
	saved, err := s.Snapshot()
	fault.Check(f, err)
	f.Add(saved)
	f.Fuzz(func(t *testing.T, data []byte) {
		s := NewState()
		if s.Restore(data) != nil {
			return
		}
		if p := s.LastRefit().Now.apply(OpenSeen, .5); !(p >= 0 && p <= 1) {
			t.Fatalf("%q gives the probability %v", data, p)
		}
		if _, err := s.Snapshot(); err != nil {
			t.Fatal(err)
		}
	})
}
