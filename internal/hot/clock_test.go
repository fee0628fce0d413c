package hot_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestClockAhead: what was stamped under a clock that ran ahead is not the newest for ever once the
// clock is right again.
func TestClockAhead(t *testing.T) {
	clock := noon
	s := hot.New(func() time.Time { return clock })
	at := func(seq int64, files ...string) {
		t.Helper()
		fill(t, s, func(b *hot.Store) {
			for _, f := range files {
				b.Stamp(hot.Recency, f, clock)
			}
		})
	}
	at(1, "a", "both")
	clock = noon.Add(200 * 24 * time.Hour)
	at(2, "ahead", "both")
	at(3, "b")
	clock = noon.Add(time.Hour)
	at(4, "b", "both")
	fill(t, s, func(b *hot.Store) { b.Tick(clock) })
	saved, err := s.Snapshot()
	fault.Check(t, err)
	if err := hot.New(func() time.Time { return clock }).Restore(saved); !errors.Is(err, hot.ErrAhead) {
		t.Errorf("a snapshot made while the clock ran ahead is restored: %v", err)
	}
	v := s.View(clock)
	top, some := v.Top(hot.Recency, "", 10), v.Of(hot.Recency, []string{"a", "both", "ahead"})
	fault.Check(t, v.Load(t.Context()))
	fault.Same(t, "the newest", fmt.Sprint(top.Members), "[b both a]")
	fault.Same(t, "stamps", some.Value, []float64{hot.Seconds(noon), hot.Seconds(clock), 0})
}
