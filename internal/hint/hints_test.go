package hint

import (
	"context"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/prefetch"
)

// TestUnreadFiles: while the files are read after a start, no kind is ranked: what is known without
// their contents is another answer.
func TestUnreadFiles(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	h := New(Options{Count: uncounted{}})
	w := &checkout.Checkout{Reader: index.NewReader(event.Root(t.TempDir()))} // without a ranker: ranking would panic
	for _, kind := range []prefetch.HintKind{prefetch.Prompt, prefetch.Partner, prefetch.Next} {
		if s := h.ask(ctx, w, question{Question: prefetch.Question{Kind: kind}}, 1000); s.text != "" {
			t.Errorf("%s says %q", kind, s.text)
		}
	}
}

type uncounted struct{}

func (uncounted) Decision(string, string) {}
