package daemon_test

import (
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
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

// TestTicksOnALaptop: what is done once a day or a week is done at the next start, if no daemon ran
// at the hour.
func TestTicksOnALaptop(t *testing.T) {
	t.Parallel()
	d, done := newKept(t)
	d.housekept(done)
	d.edits("before", 5)
	for week := range 3 {
		d.stop()
		d.late.Add(int64(8 * day))
		d.housekept(done)
		d.until("the tick is logged", func() bool { return d.ids("tick:sweep") == week+2 })
	}
}
