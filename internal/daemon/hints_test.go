package daemon

import (
	"context"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/prefetch"
)

// TestUnreadFiles: while the files are read after a start, no kind is ranked: what is known without their contents is another answer.
func TestUnreadFiles(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	h := hints{metrics: newMetrics()}
	w := &worktree{reader: index.NewReader(event.Root(t.TempDir()))} // without a ranker: ranking would panic
	for _, kind := range []prefetch.Kind{prefetch.Prompt, prefetch.Partner, prefetch.Next} {
		if text := h.decide(ctx, w, question{Question: prefetch.Question{Kind: kind}}, 1000); text != "" {
			t.Errorf("%s says %q", kind, text)
		}
	}
}

// TestLastRead: what a session read last of a file is known until the session changes the file.
func TestLastRead(t *testing.T) {
	r := newRecentEvents(time.Now, 0)
	apply := func(kind event.Kind, blob string) {
		e := event.Event{Time: time.Now(), Kind: kind, Session: "s", Paths: []event.Path{"a.go"}, Blob: blob}
		if err := r.Apply(t.Context(), 1, []event.Event{e}); err != nil {
			t.Fatal(err)
		}
	}
	apply(event.KindRead, "one")
	apply(event.KindRead, "two")
	if got := r.blob("s", "a.go"); got != "two" {
		t.Errorf("read last: %q", got)
	}
	if got := r.blob("other", "a.go") + r.blob("s", "b.go"); got != "" {
		t.Errorf("never read: %q", got)
	}
	apply(event.KindEdit, "")
	if got := r.blob("s", "a.go"); got != "" {
		t.Errorf("changed since: %q", got)
	}
}
