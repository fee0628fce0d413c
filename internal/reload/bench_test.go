package reload

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// BenchmarkFind: one prompt against a hundred entries of five files each, which are compared; p50 and p99 of the calls.
func BenchmarkFind(b *testing.B) {
	root := b.TempDir()
	for i := range 20 {
		fault.Check(b, os.WriteFile(filepath.Join(root, fmt.Sprintf("f%d.go", i)), []byte("package a\n"), 0o600))
	}
	now := time.Now().Add(time.Hour)
	clock := func() time.Time { return now }
	c := New(Options{Blobs: cold.NewBlobs(cold.BlobOptions{Path: filepath.Join(root, "cache.db"), Now: clock}), Now: clock})
	c.loaded = true
	prompts := testLines(b, "different.txt")[:100]
	for i, p := range prompts {
		e := &Entry{ID: fmt.Sprint("cache-", i), Trigger: Trigger{Type: Prompt}, Text: p, Used: now, Actions: make([]Action, minSteps)}
		for k := range 5 {
			f := event.Path(fmt.Sprintf("f%d.go", (i+k)%20))
			e.Files = append(e.Files, File{Path: f, After: blobOf(b, root, string(f))})
		}
		c.add(e)
	}
	var took []time.Duration
	for b.Loop() {
		begin := time.Now()
		if _, err := c.Find(b.Context(), Worktree{Root: event.Root(root)}, AskFor(prompts[len(took)%100]+" please")); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}
