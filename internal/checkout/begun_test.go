package checkout

import (
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestChanging: an edit that began after the last open that the log has is the session's own, for a
// while.
func TestChanging(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var w Checkout
	w.begun.note("s", "a.go", "", now)
	for _, c := range []struct {
		session     string
		opened, now time.Duration
		want        bool
	}{{"s", -time.Minute, time.Second, true}, {"s", time.Second, 2 * time.Second, false}, // the log has it
		{"other", -time.Minute, time.Second, false}, {"s", -time.Minute, time.Hour, false}} {
		fault.Same(t, fmt.Sprintf("%+v", c), w.Changing(c.session, "a.go", now.Add(c.opened), now.Add(c.now)), c.want)
	}
}
