package daemon_test

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// alter changes the database of a stopped daemon.
func (d *fixture) alter(name string, statements ...string) {
	d.Helper()
	db := fault.Must(sql.Open("sqlite", "file://"+filepath.Join(d.Options.Place.Store, name)))
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(d.Context(), s); err != nil {
			d.Fatalf("%s: %v", s, err)
		}
	}
}

// noSnapshot makes the next start replay the whole log, as after a kill in the first minute.
func (d *fixture) noSnapshot() {
	d.Helper()
	d.alter("cache.db", "DELETE FROM blobs WHERE owner = 'states'")
}

func (d *fixture) feed(from, n int) {
	d.Helper()
	var batch []event.Event
	for i := from; i < from+n; i++ {
		batch = append(batch, read(fmt.Sprint("e", i), fmt.Sprint("s", i%5), d.Options.Now(),
			event.Path([]string{"a.go", "b.go"}[i%2])))
	}
	call(d, api.Events, batch)
}

// asks uses what the daemon has learned.
func (d *fixture) asks() {
	d.Helper()
	d.feed(1000, 2)
	call(d, api.Rank, event.Query{Session: "s1"})
	call(d, api.Log, cold.LogFilter{})
	call(d, api.Sessions, api.SessionsRequest{})
	before, after := call(d, api.Threshold, api.None{}).Value, 0.0
	for range 3 {
		after = call(d, api.Feedback, api.FeedbackRequest{Session: "s1", File: "a.go"}).Value
	}
	if after <= before {
		d.Errorf("three times no help, and the threshold goes from %v to %v", before, after)
	}
}

// TestSecondOpening: damage that only reading meets makes the daemon open its stores a second time.
// Nothing of the first time is used any more, and the daily copy takes the place of the log.
func TestSecondOpening(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	var log fault.Log
	d.Options.Log = log.Logger()
	d.Start()
	for i := range 30 {
		d.feed(100*i, 20)
	}
	d.Stop()
	file := filepath.Join(d.Options.Place.Store, "aoa.db")
	seal := fault.Must(cold.OpenSeal(locate.KeyFile(config.Lookup(d.Options.Env))))
	db, err := cold.Open(t.Context(), file, cold.Options{Now: d.Options.Now, Seal: seal})
	fault.Check(t, err)
	_, err = db.Copy(t.Context())
	fault.Check(t, errors.Join(err, db.Close()))
	// So large that opening does not look at every page.
	d.noSnapshot()
	d.alter("aoa.db", "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) "+
		"INSERT INTO meta (key, value) SELECT i, printf('%.*c', 40000, 'x') FROM n", "PRAGMA wal_checkpoint(TRUNCATE)")
	breakLeaf(t, file, "e2811")
	log.Take()
	d.Start()
	d.asks()
	if log.Warnings() != 1 || !strings.Contains(log.String(), "its daily copy took its place") {
		t.Errorf("%d warnings, want one of the damaged store:\n%s", log.Warnings(), &log)
	}
	if st := call(d, api.Status, api.None{}); st.Events < 500 {
		t.Errorf("%d of 600 events are left", st.Events)
	}
}

// breakLeaf makes the page of the log that holds an event's row one that SQLite refuses.
func breakLeaf(t *testing.T, file, id string) {
	t.Helper()
	raw := fault.Must(os.ReadFile(file))
	size := int(binary.BigEndian.Uint16(raw[16:]))
	for at := size; at < len(raw); at += size {
		page := raw[at : at+size]
		if page[0] == 0x0d && bytes.Contains(page, []byte(id)) { // a leaf of a table
			copy(page[:8], []byte{0x77, 1, 2, 3, 4, 5, 6, 7})
			fault.Check(t, os.WriteFile(file, raw, 0o600))
			return
		}
	}
	t.Fatal("no such page")
}

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
				batch = append(batch, event.Event{ID: fmt.Sprint("e", sessions, "-", i), Time: d.Options.Now(), Agent: "tool",
					Session: session, Body: event.Call{Act: event.ActEdit, Paths: []event.Path{f}}})
			}
			call(d, api.Events, append(batch, event.Event{ID: "end" + session, Time: d.Options.Now(), Agent: "tool",
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
			d.Stop()
			defer d.Begin()
		}
		d.Late.Add(int64(by))
	}
	d.Begin()
	work(5, "a.go", "in/side/c.go")
	if before := ask("before"); before < 0.2 {
		t.Fatalf("nothing was learned: %.2f", before)
	}
	turn(jump)
	work(3, "b.go")
	turn(-jump)
	after := ask("after the jump")
	d.Stop()
	d.Begin()
	ask("after a start")
	// events under a clock that was behind are older than events are kept
	if got := call(d, api.Status, api.None{}).Events; got < 5*3 {
		t.Errorf("%d events are there", got)
	}
	return after
}
