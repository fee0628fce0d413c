package prefetch

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestInterceptLearns: in a repository whose files are used more or less often than promised, what
// is promised moves to what comes true, as far as the bound allows; where promises hold, next to
// nothing changes.
func TestInterceptLearns(t *testing.T) {
	for _, shift := range []float64{-.8, 0, .8, -3, 3} {
		r := rand.New(rand.NewPCG(1, 7))
		var i Intercept
		for range 600 {
			p := .4 + .5*r.Float64()
			i = i.after(p, r.Float64() < rank.Scale{1, shift}.Probability(logOdds(p)))
		}
		if want := min(max(shift, -mostIntercept), mostIntercept); math.Abs(i.Value-want) > .25 || i.Outcomes != lastingOutcomes {
			t.Errorf("log odds off by %v: %+v", shift, i)
		}
	}
	// The first outcome moves it by 4/41 times what was wrong with the promise.
	near(t, "after one outcome", Intercept{}.after(.7, true).Value, .3*4/41)
}

// TestInterceptIsOfItsKind: what a kind's files come to moves the files of that kind, and of no
// other; facts, and what has no probability, teach nothing.
func TestInterceptIsOfItsKind(t *testing.T) {
	m := Intercepts{}
	m.Learn(Next, .5, false)
	for _, k := range []HintKind{Rescue, Start, Stale, Reload, "gossip"} {
		m.Learn(k, .5, true)
	}
	m.Learn(Search, 1, true) // what a search meant, found by looking
	m.Learn(Prompt, 0, true)
	fault.Same(t, "kinds with an intercept", len(m), 1)
	for _, c := range Classes() {
		if moved := m.adjust(c, rank.Uncalibrated) != rank.Uncalibrated; moved != (c == OpenUnseen) {
			t.Errorf("class %s moved: %v", c, moved)
		}
	}
}

// TestInterceptDecides: outcomes that keep none of what is promised silence a file whose like was
// shown before, and Answer and Why give the same probability to the digit.
func TestInterceptDecides(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.65, "x.go")
	if got := d.ask(Next); len(got.Shown) != 1 {
		t.Fatalf("before: %s", got.Why)
	}
	for range 200 {
		d.p.Intercepts.Learn(Next, .65, false)
	}
	near(t, "intercept", d.p.Learned()[Next].Value, -mostIntercept)
	d.likely(.65, "y.go")
	q := d.query()
	a, err := d.p.Answer(t.Context(), q, history.Past{})
	fault.Check(t, err)
	near(t, "probability", a.Suggestions[0].Score, rank.Scale{1, -mostIntercept}.Probability(logOdds(.65)))
	s, _, err := d.p.Why(t.Context(), q, history.Past{}, a.Suggestions[0].File)
	if err != nil || s.Score != a.Suggestions[0].Score || s.Score != rank.Scale(s.Scale).Probability(s.Logit) {
		t.Errorf("%v: why says %v = P(%v·%v), the answer %v", err, s.Score, s.Scale, s.Logit, a.Suggestions[0].Score)
	}
	d.happen(d.event(event.KindPrompt))
	got := d.ask(Next)
	if len(got.Shown) != 0 || got.Why != "below" {
		t.Fatalf("y.go: %s, shown %v", got.Why, got.Shown)
	}
	if p := hintOf(got.Log[0]).Scores[0]; math.Abs(p-.65) > 1e-6 {
		t.Errorf("logged with %v, not as shipped", p)
	}
}

// TestOtherClonesTeach: what came of the predictions of another clone is learned from, and counts
// nowhere else.
func TestOtherClonesTeach(t *testing.T) {
	d, origin := newFixture(t, Options{}), strings.Repeat("A", 26)
	hint, open := d.event(event.KindHint, "x.go"), d.event(event.KindRead, "x.go")
	eventtest.Set(&hint, "Name", string(Next), "Status", string(Shown), "Label", string(session.LabelNext), "Scores", []float64{.7})
	for _, e := range []*event.Event{&hint, &open} {
		e.Origin, e.Session = origin, event.ForeignSession(origin, "s")
	}
	d.happen(hint, open)
	if i := d.p.Learned()[Next]; i.Outcomes != 1 || !(i.Value > 0) {
		t.Errorf("the intercept is %+v", i)
	}
	if len(d.p.Records()) > 0 || len(d.p.Came(10)) > 0 || d.theta(Next) != Balanced {
		t.Errorf("records are %+v, came %+v, the threshold %v", d.p.Records(), d.p.Came(10), d.theta(Next))
	}
}

func FuzzRestore(f *testing.F) {
	s := NewState()
	s.Apply(event.Event{Time: epoch, Session: "s", Body: event.Hint{Name: string(Next), Status: string(Shown),
		Paths: []event.Path{"a"}}}, nil, session.Delta{})
	s.Intercepts[Next] = Intercept{Value: -.5, Outcomes: 7}
	saved, err := s.Snapshot()
	fault.Check(f, err)
	f.Add(saved)
	s.Intercepts[Next] = Intercept{Value: math.NaN()}
	saved, err = s.Snapshot()
	fault.Check(f, err)
	f.Add(saved)
	f.Fuzz(func(t *testing.T, data []byte) {
		s := NewState()
		if s.Restore(data) != nil {
			return
		}
		for _, c := range Classes() {
			if p := s.Learned().adjust(c, rank.Uncalibrated).Probability(0); !(p > .2 && p < .8) {
				t.Fatalf("%q gives the probability %v", data, p)
			}
		}
		if _, err := s.Snapshot(); err != nil {
			t.Fatal(err)
		}
	})
}
