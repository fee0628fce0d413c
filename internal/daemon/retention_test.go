package daemon_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

const day = 24 * time.Hour

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
	d := newFixture(t, "AOA_HOLDOUT=0", "AOA_IDLE_TIMEOUT=0")
	for week := range 4 {
		d.start()
		d.until("the tick is logged", func() bool { return d.ids("tick:sweep") == week+1 })
		d.stop()
		d.late.Add(int64(8 * day))
	}
}

// TestLevelFollows: a running daemon takes a changed log_level at once.
func TestLevelFollows(t *testing.T) {
	d := newFixture(t)
	d.o.Level = new(slog.LevelVar)
	d.start()
	fault.Check(t, config.Set(d.o.Place.Settings(), "log_level", "debug"))
	_, err := api.Call(t.Context(), &api.Client{Place: d.o.Place, Dir: string(d.o.Repo.Root)}, api.Config, api.None{})
	fault.Check(t, err)
	fault.Same(t, "level", d.o.Level.Level(), slog.LevelDebug)
}
