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
	least := jumped(t, 0, true, 0) // what was done meanwhile is newer, without a jump, too
	jumps := []time.Duration{12 * year, -28 * year}
	for range fault.Size(0, fault.Rounds()) { // any jump from a minute to thirty years
		jump := time.Duration(float64(time.Minute) * math.Pow(30*365*24*60, r.Float64()))
		jumps = append(jumps, jump, -jump)
	}
	for i, jump := range jumps {
		verdict := fault.Wrong
		t.Run(fmt.Sprint(jump), func(t *testing.T) {
			jumped(t, jump, i%4 == 0 || i%4 == 3, least) // running or not, for a jump of either way
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
		d.begin()
		call(d, api.Events, []event.Event{read("1", "s", event.Possible(d.o.Now()), "a.go")})
		if got := call(d, api.Log, api.LogRequest{Session: "s", Limit: 5}).Events; len(got) != 1 || got[0].Time.Year() > 9999 {
			t.Errorf("in the year %d: %v", year, got)
		}
		d.stop()
	}
}

// begin starts the daemon and returns when it has read the history.
func (d *fixture) begin() {
	d.Helper()
	d.start()
	d.until("the history is read", func() bool { return call(d, api.Status, api.None{}).Import.State == "done" })
}

// jumped works in sessions, lets the clock jump, works on, and lets it come back. It returns how
// likely the file is then that belonged to a.go before.
func jumped(t *testing.T, jump time.Duration, running bool, least float64) float64 {
	t.Helper()
	d := newFixture(t, "AOA_HOLDOUT=0", "AOA_IDLE_TIMEOUT=0")
	sessions := 0
	work := func(n int, files ...event.Path) {
		for range n {
			sessions++
			session, batch := fmt.Sprint("s", sessions), []event.Event(nil)
			for i, f := range files {
				batch = append(batch, event.Event{ID: fmt.Sprint("e", sessions, "-", i), Time: d.o.Now(), Agent: "tool",
					Session: session, Body: event.Call{Act: event.ActEdit, Paths: []event.Path{f}}})
			}
			call(d, api.Events, append(batch, event.Event{ID: "end" + session, Time: d.o.Now(), Agent: "tool",
				Session: session, Body: event.End{}}))
		}
	}
	ask := func(when string) (score float64) {
		for _, s := range call(d, api.Rank, event.Query{Task: event.TaskOpen, Files: []event.Path{"a.go"},
			Limit: 10}).Suggestions {
			if s.File == "in/side/c.go" {
				score = s.Score
			}
		}
		if score < least-0.05 {
			t.Errorf("%s %.4f, without a jump %.4f", when, score, least)
		}
		return score
	}
	turn := func(by time.Duration) {
		if !running {
			d.stop()
			defer d.begin()
		}
		d.late.Add(int64(by))
	}
	d.begin()
	work(5, "a.go", "in/side/c.go")
	if before := ask("before"); before < 0.2 {
		t.Fatalf("nothing was learned: %.2f", before)
	}
	turn(jump)
	work(3, "b.go")
	turn(-jump)
	after := ask("after the jump")
	d.stop()
	d.begin()
	ask("after a start")
	// events under a clock that was behind are older than events are kept
	if got := call(d, api.Status, api.None{}).Events; got < 5*3 {
		t.Errorf("%d events are there", got)
	}
	return after
}
