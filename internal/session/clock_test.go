package session

import (
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// TestClockAhead: a session that was at work under a clock that ran ahead is archived like any other once it is right.
func TestClockAhead(t *testing.T) {
	const years = 12 * 365 * 24 * time.Hour
	now := time.Now().Add(years)
	d := New(Options{Dir: t.TempDir(), Now: func() time.Time { return now }})
	must(t, d.Apply(t.Context(), 1, []event.Event{{ID: "1", Kind: event.KindPrompt, Session: "ahead", Time: now}}))
	_, err := d.Flush(t.Context())
	must(t, err)
	now = now.Add(-years)
	for _, want := range []int{0, 1} {
		archived, _, err := d.Sweep(t.Context())
		must(t, err)
		same(t, "archived", archived, want)
		now = now.Add(archiveAfter + time.Second)
	}
	must(t, d.Close())
}
