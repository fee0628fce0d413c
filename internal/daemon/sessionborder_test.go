package daemon_test

import (
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

// TestSessionBordersCountOnce: hooks in two settings files report a start or an end within ten seconds, whatever the
// clock shows. A later one counts.
func TestSessionBordersCountOnce(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	at := time.Now().Truncate(10 * time.Second).Add(9900 * time.Millisecond)
	d.o.Now = func() time.Time { return at.Add(time.Duration(d.late.Load())) }
	d.start()
	count := func(want int) {
		t.Helper()
		for _, kind := range []event.Kind{event.KindStart, event.KindEnd} {
			if n := len(call(d, api.Log, api.LogRequest{Kinds: []event.Kind{kind}}).Events); n != want {
				t.Errorf("after %v: %d of %s, want %d", time.Duration(d.late.Load()), n, kind, want)
			}
		}
	}
	for _, c := range []struct {
		late time.Duration
		want int
	}{{0, 1}, {0, 1}, {200 * time.Millisecond, 1}, {9 * time.Second, 1}, {11 * time.Second, 2}} {
		d.late.Store(int64(c.late))
		d.hook("s", "SessionStart", map[string]any{"source": "startup"})
		d.hook("s", "SessionEnd", map[string]any{"reason": "other"})
		count(c.want)
	}
	d.hook("other", "SessionStart", map[string]any{"source": "startup"})
	d.hook("s", "SessionStart", map[string]any{"source": "resume"})
	d.hook("other", "SessionEnd", map[string]any{"reason": "other"})
	d.hook("s", "SessionEnd", map[string]any{"reason": "clear"})
	count(4)
}
