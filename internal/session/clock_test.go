package session

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// TestClockAhead: a session that was at work under a clock that ran ahead is archived like any other once it is right.
func TestClockAhead(t *testing.T) {
	const years = 12 * 365 * 24 * time.Hour
	now := time.Now().Add(years)
	clock := func() time.Time { return now }
	d := New(Options{Blobs: cold.NewBlobs(cold.BlobOptions{Path: filepath.Join(t.TempDir(), "cache.db"), Now: clock}),
		Now: clock})
	must(t, d.Apply(t.Context(), 1, []event.Event{{ID: "1", Session: "ahead", Time: now, Body: event.Prompt{}}}))
	_, err := d.Flush(t.Context())
	must(t, err)
	now = now.Add(-years)
	for _, want := range []int{0, 1} {
		archived, err := d.Sweep(t.Context())
		must(t, err)
		same(t, "archived", archived, want)
		now = now.Add(archiveAfter + time.Second)
	}
	must(t, d.o.Blobs.Close())
}
