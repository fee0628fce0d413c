package reload

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

var update = flag.Bool("update", false, "rewrite testdata/pairs.golden")

// TestFindGolden compares what Find says of the pairs in testdata/pairs.txt, for each kind of trigger, with
// pairs.golden: the threshold of an offer must mean the same in every version.
func TestFindGolden(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.go"), []byte("package a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Now().Add(time.Hour)
	state := "state one"
	w := Worktree{Root: event.Root(root), State: func(context.Context) string { return state }}
	find := func(recorded Trigger, asked Ask, text string) string {
		c := New(Options{Blobs: cold.NewBlobs(cold.BlobOptions{Path: filepath.Join(root, "no.db"), Now: time.Now}),
			Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler), Config: func() Config { return Config{MinSimilarity: 0.01} }})
		c.loaded = true
		c.add(&Entry{ID: "cache-x", Trigger: recorded, Text: text, State: "state one", Outcome: Outcome{Ended: true},
			Used: now, Files: []File{
				{Path: "a.go", After: blobOf(t, root, "a.go")}, {Path: "gone.go", After: "0"}}})
		found, err := c.Find(t.Context(), w, asked)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 0 {
			return "nothing"
		}
		return fmt.Sprintf("%.9f %s", found[0].Similarity, found[0].Reason)
	}
	var b strings.Builder
	for _, line := range testLines(t, "pairs.txt") {
		recorded, asked, ok := strings.Cut(line, " | ")
		if !ok {
			t.Fatal(line)
		}
		fmt.Fprintf(&b, "%s | %s\n", recorded, asked)
		state = "state one"
		fmt.Fprintf(&b, "\tprompt    %s\n", find(Trigger{Type: Prompt}, Ask{Trigger: Trigger{Type: Prompt}, Text: asked}, recorded))
		fmt.Fprintf(&b, "\tcommand   %s\n", find(Trigger{Command, "/do"},
			Ask{Trigger: Trigger{Command, "/do"}, Text: asked}, recorded))
		fmt.Fprintf(&b, "\tanother   %s\n",
			find(Trigger{Command, "/do"}, Ask{Trigger: Trigger{Command, "/other"}, Text: asked}, recorded))
	}
	const file = "testdata/pairs.golden"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil { // test data
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); d != "" {
		t.Error(d)
	}
}
