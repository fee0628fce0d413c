package daemon

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

// TestTally: a session's numbers are those of what was shown; its mode is that of its last beginning.
func TestTally(t *testing.T) {
	at := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	// Newest first, as the log gives them.
	events := []event.Event{
		{Kind: event.KindOutcome, Why: "withheld", OK: true},
		{Kind: event.KindOutcome, Why: "shown"},
		{Kind: event.KindOutcome, Why: "shown", OK: true},
		{Kind: event.KindSuggest, Why: "shadow", Paths: []event.Path{"x"}, Tokens: 9},
		{Kind: event.KindSuggest, Why: "shown", Paths: []event.Path{"a", "b"}, Tokens: 30},
		{Kind: event.KindSuggest, Why: "shown", Paths: []event.Path{"c"}, Tokens: 12},
		{Kind: event.KindStart, Tool: "compact", Time: at.Add(time.Hour)},
		{Kind: event.KindStart, Tool: "startup", Time: at},
	}
	got := api.SessionAnswer{Mode: modeLive}
	count(&got, events)
	if d := cmp.Diff(api.SessionAnswer{Mode: modeSession, Shown: 3, Settled: 2, Used: 1, Tokens: 42}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if ended(events) {
		t.Error("a session that was begun and never ended has ended")
	}
	if !ended(append([]event.Event{{Kind: event.KindEnd}}, events...)) {
		t.Error("an ended session has not ended")
	}
}

// TestSessionOfAnotherCheckout: a session of another checkout is not the caller's; one that nobody knows is everyone's.
func TestSessionOfAnotherCheckout(t *testing.T) {
	var a sessionPlaces
	a.saw("s1", "/main")
	a.saw("", "/main")
	for _, c := range []struct {
		session string
		root    event.Root
		want    bool
	}{{"s1", "/linked", true}, {"s1", "/main", false}, {"s2", "/linked", false}, {"", "/linked", false}} {
		if got := a.elsewhere(c.session, c.root); got != c.want {
			t.Errorf("%q from %s: elsewhere %v", c.session, c.root, got)
		}
	}
	a.saw("s1", "/linked")
	if a.elsewhere("s1", "/linked") {
		t.Error("a session that moved is still elsewhere")
	}
}
