package hot_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func one(t *testing.T, s *hot.Store, f *hot.Family, owner, name string) float64 {
	t.Helper()
	return oneAt(t, s, f, owner, name, noon)
}

func oneAt(t *testing.T, s *hot.Store, f *hot.Family, owner, name string, at time.Time) float64 {
	t.Helper()
	v := s.View(at)
	r := v.OwnedOf(f, owner, []string{name})
	fault.Check(t, v.Load(t.Context()))
	return r.Value[0]
}

func TestAddIgnores(t *testing.T) {
	s := hot.New(nil)
	long := strings.Repeat("x", event.MaxPath+1)
	for _, w := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0} {
		s.Add(hot.Frequency, "", "a", noon, w)
	}
	s.Add(hot.Frequency, "", "", noon, 1)
	s.Add(hot.Frequency, "", long, noon, 1)
	s.Add(hot.Frequency, "owner", "a", noon, 1)
	s.Add(hot.Comod, "", "a", noon, 1)
	s.Add(hot.Frequency, "", "far", noon.AddDate(280, 0, 0), 1e308)
	s.Add(hot.Frequency, "", "good", noon, 1)
	fault.Same(t, "a", one(t, s, hot.Frequency, "", "a"), 0.0)
	if got := one(t, s, hot.Frequency, "", "good"); !near(got, 1) {
		t.Errorf("good is %v", got)
	}
}

func TestViewsAreChecked(t *testing.T) {
	s := hot.New(nil)
	if err := s.View(noon).Load(t.Context()); err != nil {
		t.Error("an empty view fails:", err)
	}
	v := s.View(noon)
	none, first, again := v.Of(hot.Frequency, nil), v.Of(hot.Frequency, []string{"a"}), v.Of(hot.Frequency, []string{"b"})
	if err := v.Load(t.Context()); err != nil || len(none.Value) != 0 || len(first.Value) != 1 || len(again.Value) != 1 {
		t.Errorf("questions for no file and for one: %v, %v, %v, %v", none.Value, first.Value, again.Value, err)
	}
	v = s.View(noon)
	v.Top(hot.Frequency, "", 5)
	if v.Load(t.Context()) == nil {
		t.Error("a global family was read by rank")
	}
}

// TestViewsBesideWriter reads while increments are written; every view is of one moment.
func TestViewsBesideWriter(t *testing.T) {
	s := hot.New(nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for ctx.Err() == nil {
				v := s.View(noon)
				a, b := v.Of(hot.Frequency, []string{"a", "b"}), v.Top(hot.Comod, "a", 5)
				if err := v.Load(ctx); err != nil {
					if !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					return
				}
				_ = b
				if ahead := a.Value[0] - a.Value[1]; ahead < -1e-9 || ahead > 1+1e-9 {
					t.Errorf("of two moments: %v", a.Value)
				}
			}
		})
	}
	for seq := int64(1); seq <= 200; seq++ {
		s.Add(hot.Frequency, "", "a", noon, 1)
		s.Add(hot.Frequency, "", "b", noon, 1)
		s.Add(hot.Comod, "a", fmt.Sprint(seq), noon, 1)
		if seq%20 == 0 {
			s.Rename(event.Path(fmt.Sprint(seq)), event.Path(fmt.Sprint(seq-1)))
			s.Tick(noon)
		}
		if seq%50 == 0 {
			if _, err := s.Snapshot(); err != nil {
				t.Error(err)
			}
		}
	}
	cancel()
	wg.Wait()
}
