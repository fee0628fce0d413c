package daemon_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestClock: a clock that jumps years ahead or back, with work and housekeeping going on under it,
// and comes back costs nothing that was learned before: the same question has the same answer, and
// the log is whole.
func TestClock(t *testing.T) {
	const year = 365 * day
	book := fault.Open(t, "clock jumps, and comes back")
	r := rand.New(rand.NewPCG(9, 10))
	// What was done meanwhile is newer, without a jump, too.
	least := jumped(t, 0, true, 0)
	for round := range max(4, fault.Rounds()) {
		jump, running := []time.Duration{12 * year, -28 * year, -40 * day, 200 * day}[round%4], round%2 == 0
		if round >= 4 { // any jump from a minute to thirty years
			jump = time.Duration(float64(time.Minute) * math.Pow(30*365*24*60, r.Float64()))
			if r.IntN(2) == 0 {
				jump = -jump
			}
			running = r.IntN(2) == 0
		}
		verdict := fault.Wrong
		t.Run(fmt.Sprintf("%s, running %v", jump, running), func(t *testing.T) {
			jumped(t, jump, running, least)
			if !t.Failed() {
				verdict = fault.Whole
			}
		})
		book.Add(verdict, 1)
	}
}

// TestImpossibleClock: with a clock that neither the log nor JSON can hold, aOa answers and learns,
// and shows the nearest time that they can.
func TestImpossibleClock(t *testing.T) {
	for _, year := range []int{12_000, -300} {
		d := newFixture(t)
		d.o.Now = func() time.Time { return time.Date(year, 5, 4, 3, 2, 1, 0, time.UTC) }
		d.start()
		d.until("the history is read", func() bool { return call(d, api.Status, api.None{}).Import.State == "done" })
		call(d, api.Events, []event.Event{{ID: "1", Time: event.Possible(d.o.Now()), Agent: "tool", Session: "s",
			Body: event.Call{Act: event.ActRead, Paths: []event.Path{"a.go"}}}})
		if got := call(d, api.Log, api.LogRequest{Session: "s", Limit: 5}).Events; len(got) != 1 || got[0].Time.Year() > 9999 {
			t.Errorf("in the year %d: %v", year, got)
		}
		d.stop()
	}
}

func jumped(t *testing.T, jump time.Duration, running bool, least float64) (after float64) {
	t.Helper()
	d := newFixture(t, "AOA_HOLDOUT=0", "AOA_IDLE_TIMEOUT=0")
	start := func() {
		d.start()
		d.until("the history is read", func() bool { return call(d, api.Status, api.None{}).Import.State == "done" })
	}
	turn := func(by time.Duration) {
		if !running {
			d.stop()
			defer start()
		}
		d.late.Add(int64(by))
	}
	n := 0
	work := func(session string, files ...event.Path) {
		var batch []event.Event
		for _, f := range files {
			n++
			batch = append(batch, event.Event{ID: fmt.Sprint("e", n), Time: d.o.Now(), Agent: "tool", Session: session,
				Body: event.Call{Act: event.ActEdit, Paths: []event.Path{f}}})
		}
		n++
		batch = append(batch, event.Event{ID: fmt.Sprint("e", n), Time: d.o.Now(), Agent: "tool", Session: session,
			Body: event.End{}})
		call(d, api.Events, batch)
	}
	ask := func() float64 {
		for _, s := range call(d, api.Rank, event.Query{Task: event.TaskOpen, Files: []event.Path{"a.go"},
			Limit: 10}).Suggestions {
			if s.File == "in/side/c.go" {
				return s.Score
			}
		}
		return 0
	}
	start()
	for i := range 5 {
		work(fmt.Sprint("s", i), "a.go", "in/side/c.go")
	}
	before := ask()
	if before < 0.2 {
		t.Fatalf("nothing was learned: %.2f", before)
	}
	turn(jump)
	for i := range 3 {
		work(fmt.Sprint("wrong", i), "b.go")
	}
	t.Logf("meanwhile %.4f", ask())
	turn(-jump)
	if after = ask(); after < least-0.05 {
		t.Errorf("before the jump %.4f, after it %.4f, without one %.4f", before, after, least)
	}
	d.stop()
	start()
	if again := ask(); again < least-0.05 {
		t.Errorf("before the jump %.4f, after it and a start %.4f, without one %.4f", before, again, least)
	}
	// events under a clock that was behind are older than events are kept
	if got := call(d, api.Status, api.None{}).Events; int(got) < n-3 {
		t.Errorf("%d of %d events are there", got, n-3)
	}
	return after
}
