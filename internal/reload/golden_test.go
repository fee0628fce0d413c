package reload

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestFindGolden compares what Find says of the pairs in testdata/pairs.golden: recorded | asked |
// similarity. The threshold of an offer must mean the same in every version.
func TestFindGolden(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a.go", "b.go"} {
		fault.Check(t, os.WriteFile(filepath.Join(root, name), []byte("package a\n"), 0o600))
	}
	now := time.Now().Add(time.Hour)
	files := []File{{Path: "a.go", After: blobOf(t, root, "a.go")}, {Path: "b.go", After: "0"}}
	find := func(recorded, asked string) string {
		c := New(Options{Blobs: cold.NewBlobs(cold.BlobOptions{Path: filepath.Join(root, "no.db"), Now: time.Now}),
			Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler), Config: func() Config { return Config{MinSimilarity: 0.01} }})
		c.loaded = true
		c.add(&Entry{ID: "cache-x", Trigger: Trigger{Type: Prompt}, Text: recorded, Used: now, Files: files,
			Actions: make([]Action, minSteps)})
		found, err := c.Find(t.Context(), Worktree{Root: event.Root(root)}, AskFor(asked))
		fault.Check(t, err)
		if len(found) == 0 {
			return "nothing"
		}
		return fmt.Sprintf("%.9f %s", found[0].Similarity, found[0].Reason)
	}
	var got []string
	for _, line := range testLines(t, "pairs.golden") {
		f := strings.Split(line, " | ")
		got = append(got, f[0]+" | "+f[1]+" | "+find(f[0], f[1]))
	}
	fault.Golden(t, "testdata/pairs.golden", strings.Join(got, "\n")+"\n")
}
