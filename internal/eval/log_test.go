package eval

import (
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/eventtest"
)

// TestRecorded: a daemon's log and transcripts tell of the same; the calls of one tool use belong together.
func TestRecorded(t *testing.T) {
	e := func(id string, kind event.Kind, session string) event.Event {
		return event.Event{ID: id, Session: session, Time: noon, Body: eventtest.Body(kind)}
	}
	var s Source
	s.Recorded([]event.Event{e("p", event.KindPrompt, "one"), e("t:post:", event.KindRead, "one"), e("t:post::1",
		event.KindRead, "one"),
		e("t:post:", event.KindRead, "one"), e("x", event.KindHint, "one"), e("w", event.KindSave, ""), e("commit:1",
			event.KindCommit, "")})
	if s.Repeated != 1 || len(s.Sessions) != 1 || len(s.Sessions[0].Events) != 3 || len(s.Others) != 1 {
		t.Fatalf("%+v", s)
	}
	if a, b := s.Sessions[0].Events[1].Call().Batch, s.Sessions[0].Events[2].Call().Batch; a == "" || a != b {
		t.Errorf("batches %q and %q of one call", a, b)
	}
}
