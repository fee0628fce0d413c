package daemon_test

import (
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/fault"
)

const day = 24 * time.Hour

// counter counts log records with a message.
type counter struct {
	message string
	n       atomic.Int64
}

func (c *counter) Write(b []byte) (int, error) {
	if strings.Contains(string(b), c.message) {
		c.n.Add(1)
	}
	return len(b), nil
}

// housekept starts the daemon and returns when it has done the jobs that are due.
func (d *fixture) housekept(done *counter) {
	d.Helper()
	before := done.n.Load()
	d.start()
	d.until("housekeeping is done", func() bool { return done.n.Load() > before })
}

// newKept is a fixture whose housekeeping is seen.
func newKept(t *testing.T, env ...string) (*fixture, *counter) {
	d, done := newFixture(t, append([]string{"AOA_HOLDOUT=0", "AOA_IDLE_TIMEOUT=0"}, env...)...),
		&counter{message: "housekeeping at the start is done"}
	d.o.Log = slog.New(slog.NewTextHandler(done, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return d, done
}

func (d *fixture) edits(prefix string, n int) {
	d.Helper()
	var batch []event.Event
	for i := range n {
		batch = append(batch, event.Event{ID: fmt.Sprint(prefix, i), Time: d.o.Now(), Agent: "tool", Session: prefix,
			Body: event.Call{Act: event.ActEdit, Paths: []event.Path{"a.go", "in/side/c.go"}}})
	}
	call(d, api.Events, batch)
}

// ids are those of the log that begin so.
func (d *fixture) ids(prefix string) int {
	d.Helper()
	n := 0
	for _, e := range call(d, api.Log, api.LogRequest{Limit: 100_000}).Events {
		if strings.HasPrefix(e.ID, prefix) {
			n++
		}
	}
	return n
}

// score is what the question for a.go's partners says of in/side/c.go.
func (d *fixture) score() float64 {
	d.Helper()
	for _, s := range call(d, api.Rank, event.Query{Task: event.TaskChange, Files: []event.Path{"a.go"},
		Limit: 10}).Suggestions {
		if s.File == "in/side/c.go" {
			return s.Score
		}
	}
	return 0
}

// TestWrongClockKeepsTheLog: the clock is wrong for a while, during which the daemon is started several times with
// events between, and then right again. No event is lost, neither those of before nor those of meanwhile, and the
// scores are what they were.
func TestWrongClockKeepsTheLog(t *testing.T) {
	t.Parallel()
	book := fault.Open(t, "clock wrong over some starts")
	jumps := []time.Duration{200 * day, 40 * day, -40 * day, 12 * 365 * day, -12 * 365 * day}
	r := rand.New(rand.NewPCG(11, 12))
	for round := range max(len(jumps), fault.Rounds()) {
		jump := jumps[round%len(jumps)]
		if round >= 4*len(jumps) { // any jump from a day to thirty years
			jump = time.Duration(float64(day) * math.Pow(30*365, r.Float64()) * float64(1-2*r.IntN(2)))
		}
		verdict := fault.Wrong
		t.Run(jump.Round(time.Hour).String(), func(t *testing.T) {
			d, done := newKept(t)
			d.housekept(done)
			d.edits("before", 50)
			score := 0.0
			d.until("the edits and the history are learned", func() bool { score = d.score(); return score >= 0.02 })
			d.stop()
			d.late.Add(int64(jump))
			for i := range 3 {
				d.housekept(done)
				d.edits(fmt.Sprint("wrong", i), 1)
				if got := d.ids("before"); got != 50 {
					verdict = fault.Lost
					t.Errorf("start %d with the wrong clock: %d of 50 events are left", i, got)
				}
				d.stop()
			}
			d.late.Add(int64(-jump))
			for range 2 {
				d.housekept(done)
				if before, wrong := d.ids("before"), d.ids("wrong"); before != 50 || wrong != 3 {
					verdict = fault.Lost
					t.Errorf("the clock is right again: %d of 50 events and %d of 3 are left", before, wrong)
				}
				if now := d.score(); now < score-0.01 {
					t.Errorf("the score was %.4f and is %.4f", score, now)
				}
				d.stop()
			}
			if !t.Failed() {
				verdict = fault.Whole
			}
		})
		book.Add(verdict, 1)
	}
}

// TestTicksOnALaptop: what is done once a day or a week is done at the next start, if no daemon ran at the hour.
func TestTicksOnALaptop(t *testing.T) {
	t.Parallel()
	d, done := newKept(t)
	d.housekept(done)
	d.edits("before", 5)
	for week := range 3 {
		d.stop()
		d.late.Add(int64(8 * day))
		d.housekept(done)
		for _, kind := range []string{"decay", "sweep"} {
			d.until("the tick is logged", func() bool { return d.ids("tick:"+kind) == week+2 })
		}
	}
}
