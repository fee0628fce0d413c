package prefetch

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
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

// TestRefitIsFolded: outcomes of the log are learned from, what is decided is an event, and what it says decides the
// next question. A replay of the log ends with the same.
func TestRefitIsFolded(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.65, "x.go")
	if got := d.ask(Next); len(got.Shown) != 1 {
		t.Fatalf("before: %s", got.Why)
	}
	var log []event.Event
	for _, o := range world(3, 200, -2, epoch.Add(-24*time.Hour)) {
		log = append(log, event.Event{Time: o.At,
			Body: event.Outcome{Name: string(Next), Scores: []float64{o.P}, Used: o.Used, Label: "next"}},
			event.Event{Time: o.At, Body: event.Outcome{Name: string(Rescue), Scores: []float64{1}, Used: true}})
	}
	slices.Reverse(log)
	r, events, err := d.p.Refit(t.Context(), log, d.now)
	if err != nil || r.Verdict != Taken || r.Outcomes != 200 || len(events) != 1 {
		t.Fatalf("%s, %d events, %v", r, len(events), err)
	}
	d.happen(events...)
	if last, err := d.p.LastRefit(t.Context()); err != nil || last.String() != r.String() ||
		last.Now.Shift[OpenUnseen] != r.Now.Shift[OpenUnseen] {
		t.Errorf("folded %+v, decided %+v, %v", last, r, err)
	}
	d.likely(.65, "y.go")
	d.now = d.now.Add(time.Minute)
	if got := d.ask(Next); len(got.Shown) != 0 {
		t.Errorf("y.go is shown at %v, whose like are used in a fifth", got.Shown[0].Score)
	}
	bad := events[0]
	bad.ID = "other"
	bad.Body = event.Setting{Name: settingRefit, Value: `{"verdict":"taken","now":{"slope":1e9}}`}
	d.happen(bad)
	if last, _ := d.p.LastRefit(t.Context()); last.Now.Slope != r.Now.Slope {
		t.Errorf("an unusable calibration was taken over: %+v", last.Now)
	}
}

func FuzzDecodeRefit(f *testing.F) {
	f.Add(Refit{Verdict: Taken, Now: Calibration{Slope: .1, Shift: map[Class]float64{OpenSeen: -1}}}.encode())
	f.Add(`{"verdict":"taken","now":{"slope":1e300}}`)
	f.Add(`{"now":{"shift":{"change":-9}}}`)
	f.Fuzz(func(t *testing.T, data string) {
		r := decodeRefit(data)
		if !r.Now.usable() || !r.Last.usable() {
			t.Fatalf("%q gives %+v", data, r)
		}
		if p := r.Now.apply(OpenSeen, .5); !(p >= 0 && p <= 1) {
			t.Fatalf("%q gives the probability %v", data, p)
		}
	})
}
