package prefetch

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

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

// TestASnapshotKeepsAll: what a snapshot has, and nothing of one that is damaged.
func TestASnapshotKeepsAll(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "x.go", "y.go")
	d.ask(Partner)
	d.happen(d.event(event.KindEdit, "x.go"), d.event(event.KindFeedback))
	saved, err := d.p.Snapshot()
	fault.Check(t, err)
	again := NewState()
	fault.Check(t, again.Restore(saved))
	if a, b := d.known(d.p.State, d.sessions), d.known(again, d.sessions); a != b {
		t.Errorf("restored\n%s\nsaved\n%s", b, a)
	}
	for _, bad := range [][]byte{{}, saved[:len(saved)-1], append([]byte{99}, saved[1:]...)} {
		if err := NewState().Restore(bad); !errors.Is(err, ErrSnapshot) {
			t.Errorf("%d bytes: %v", len(bad), err)
		}
	}
	fault.Check(t, again.Restore(nil))
	if a, b := d.known(NewState(), d.sessions), d.known(again, d.sessions); a != b {
		t.Errorf("emptied\n%s\nempty\n%s", b, a)
	}
}
