package daemon_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

// TestRefit: what became of hints is learned from once a day, reported by stats, and still there after another start.
func TestRefit(t *testing.T) {
	d := newFixture(t)
	d.start()
	kinds := func() *api.Refit { return call(d, api.Stats, api.StatsRequest{Table: "kinds"}).Refit }
	if r := kinds(); r != nil {
		t.Fatalf("before any outcome: %+v", r)
	}
	var events []event.Event
	for i := range 100 {
		events = append(events, event.Event{ID: fmt.Sprint("outcome:", i),
			Time: d.o.Now().Add(time.Duration(i-200) * time.Minute), Agent: "aoa", Session: "s",
			Body: event.Outcome{Name: "next", Cause: "suggest:x", Paths: []event.Path{"a.go"}, Scores: []float64{.6},
				Used: i%5 == 0, Arm: "shadow", Label: "next"}})
	}
	call(d, api.Events, events)
	d.stop()
	d.late.Add(int64(day))
	d.start()
	d.until("the refit is folded", func() bool { return kinds() != nil })
	r := kinds()
	if r.Verdict != "taken" || r.Outcomes != 100 || !(r.After < r.Before) || r.At.IsZero() {
		t.Errorf("refit %+v", r)
	}
	d.stop()
	d.start()
	if again := kinds(); again == nil || !again.At.Equal(r.At) || again.Text != r.Text {
		t.Errorf("after another start %+v, before %+v", again, r)
	}
}
