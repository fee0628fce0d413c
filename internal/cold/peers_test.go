package cold

import (
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// foreign is an event of another clone.
func foreign(origin string, n int, at time.Time, p event.Path) event.Event {
	return event.Event{ID: fmt.Sprint(origin, ":", n), Time: at.UTC(), Origin: origin,
		Session: event.ForeignSession(origin, "s"),
		Body:    event.Call{Act: event.ActRead, Paths: []event.Path{p}}}
}

// TestPeers: events of others are replayed among own ones, in the order of the batches, and counted
// nowhere.
func TestPeers(t *testing.T) {
	d := newTest(t)
	a, b := foreign("A", 1, noon, "a"), foreign("B", 1, noon, "b")
	take := func(want int, events ...event.Event) {
		t.Helper()
		_, fresh, err := d.Append(t.Context(), events)
		fault.Check(t, err)
		if len(fresh) != want {
			t.Errorf("%d of %d are new, want %d", len(fresh), len(events), want)
		}
	}
	take(1, a, a)
	mustAppend(t, d, read("own", noon, "s", "a"))
	take(1, b, a)
	got := replayAll(t, d, 0)
	if len(got) != 3 || got[0].Batch[0].ID != "A:1" || got[1].Batch[0].ID != "own" || got[2].Batch[0].ID != "B:1" ||
		got[2].Seq != d.Last() {
		t.Fatalf("replayed %+v", got)
	}
	if got := replayAll(t, d, 1); len(got) != 2 {
		t.Errorf("behind batch 1: %+v", got)
	}
	all, err := d.Log(t.Context(), LogFilter{})
	fault.Check(t, err)
	fault.Same(t, "events in the log", len(all), 1)
	gone, err := d.ForgetPeers(t.Context(), func(e event.Event) bool { return e.Origin == "B" })
	fault.Check(t, err)
	take(0, b) // what was forgotten stays away
	if n := len(gone.Events); n != 1 || len(replayAll(t, d, 0)) != 2 {
		t.Errorf("%d events forgotten", n)
	}
	if _, err := eraser(t, d).Forget(t.Context(), ForgetFilter{Path: "a"}); err != nil {
		t.Fatal(err)
	}
	if left := replayAll(t, d, 0); len(left) != 0 {
		t.Errorf("a path that was forgotten is left: %+v", left)
	}
}

// TestPrunePeers: one that floods the log displaces only itself.
func TestPrunePeers(t *testing.T) {
	d := newTest(t)
	for i := range 100 {
		_, _, err := d.Append(t.Context(), []event.Event{foreign("FLOOD", i, noon, "a")})
		fault.Check(t, err)
	}
	_, _, err := d.Append(t.Context(), []event.Event{foreign("SMALL", 1, noon, "b"), foreign("SMALL", 2, noon, "b")})
	fault.Check(t, err)
	if n, err := d.PrunePeers(t.Context(), 5000, 0, nothing); n != 0 || err != nil {
		t.Errorf("%d went before they were applied: %v", n, err)
	}
	if _, err := d.PrunePeers(t.Context(), 5000, d.Last(), nothing); err != nil {
		t.Fatal(err)
	}
	peers, err := d.Peers(t.Context())
	fault.Check(t, err)
	for _, p := range peers {
		if p.Origin == "FLOOD" && p.Events == 100 || p.Origin == "SMALL" && p.Events != 2 {
			t.Errorf("left: %+v", peers)
		}
	}
	if len(peers) == 0 {
		t.Error("nothing is left")
	}
}
