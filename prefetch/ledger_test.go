package prefetch

import (
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/fault"
)

func TestLedger(t *testing.T) {
	hint := func(session string, tokens int, why Arm) event.Event {
		return event.Event{Session: session, Body: event.Hint{Tokens: tokens, Arm: string(why)}}
	}
	call := func(session, batch string) event.Event {
		return event.Event{Session: session, Body: event.Call{Act: event.ActRead, Batch: batch}}
	}
	got := Ledger([]event.Event{
		call("a", ""), hint("a", 10, Shown), hint("a", 99, Shadow), call("a", ""), call("a", ""), hint("a", 5,
			Shown), call("a", ""),
		hint("b", 100, Shown), call("b", "1"), call("b", "1"), call("b", "2"), call("c", ""),
	})
	want := []Cost{{"b", 1, 100, 2, 200}, {"a", 2, 15, 3, 10 + 10 + 15}}
	fault.Same(t, "ledger", got, want)
}
