package cold

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// noon is the time of the tests.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func openTest(t testing.TB, path string) (*DB, *fault.Log) {
	t.Helper()
	return openSealed(t, path, nil)
}

func openSealed(t testing.TB, path string, seal *Seal) (*DB, *fault.Log) {
	t.Helper()
	s := &fault.Log{}
	d, err := Open(t.Context(), path, Options{Now: fixed, Log: s.Logger(), Seal: seal})
	fault.Check(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d, s
}

func newTest(t testing.TB) *DB {
	t.Helper()
	d, s := openTest(t, filepath.Join(t.TempDir(), "aoa", "aoa.db"))
	if s.Warnings() != 0 {
		t.Fatalf("a new store warns: %s", s)
	}
	return d
}

func mustAppend(t testing.TB, d *DB, events ...event.Event) (int64, []event.Event) {
	t.Helper()
	seq, fresh, err := d.Append(t.Context(), events)
	fault.Check(t, err)
	return seq, fresh
}

func read(id string, at time.Time, session string, paths ...event.Path) event.Event {
	return event.Event{ID: id, Time: at, Agent: "claude", Session: session,
		Body: event.Call{Act: event.ActRead, Tool: "Read", Paths: paths}}
}

func sha(n int) string {
	b := make([]byte, 20)
	for i := range b {
		b[i] = byte(n >> (8 * (i % 4)) * (i + 1))
	}
	b[0], b[1], b[2] = byte(n), byte(n>>8), byte(n>>16)
	return hex.EncodeToString(b)
}

func commit(n int, at time.Time, paths ...event.Path) event.Event {
	subject := fmt.Sprintf("repair the %dth wheel", n)
	return event.Event{ID: "commit:" + sha(n), Time: at, Agent: "git",
		Body: event.Commit{Paths: paths, Author: at.Add(-time.Hour), Text: subject, Terms: index.Terms(subject, 8)}}
}

func uncommit(n int) event.Event {
	return event.Event{ID: "uncommit:" + sha(n) + ":" + sha(99), Time: noon, Agent: "git", Body: event.Uncommit{}}
}

func rename(id string, at time.Time, from, to event.Path) event.Event {
	return event.Event{ID: id, Time: at, Body: event.Rename{From: []event.Path{from}, To: []event.Path{to}}}
}

type replayed struct {
	Seq   int64
	Batch []event.Event
}

func replayAll(t testing.TB, d *DB, after int64) []replayed {
	t.Helper()
	var out []replayed
	fault.Check(t, d.Replay(t.Context(), after, func(seq int64, batch []event.Event) error {
		out = append(out, replayed{seq, batch})
		return nil
	}))
	return out
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

func TestCursor(t *testing.T) {
	d := newTest(t)
	_, _, err := d.AppendCommits(t.Context(), []event.Event{commit(1, noon, "a")},
		map[string]string{"HEAD": "1", "origin/HEAD": "0"})
	fault.Check(t, err)
	_, _, err = d.AppendCommits(t.Context(), nil, map[string]string{"HEAD": "2", "origin/HEAD": ""})
	fault.Check(t, err)
	same(t, "cursor", fault.Must(d.Cursor(t.Context())), map[string]string{"HEAD": "2"})
}

func everything(event.Path) bool { return true }

// together counts the commits of two files.
func together(t *testing.T, d *DB, a, b event.Path) (both, of int) {
	t.Helper()
	n := fault.Must(d.History(t.Context(), nil, everything, nil)).Count(a, b)
	return n.Both, n.Of
}

func TestReplayIsExact(t *testing.T) {
	for seed := range uint64(6) {
		s := eventtest.NewSequence(seed)
		d := newTest(t)
		var batch []event.Event
		var want []replayed
		for i := range 25 {
			batch = append(batch[:len(batch)/3], s.Events(s.IntN(12))...) // some come again
			seq, fresh := mustAppend(t, d, batch...)
			if len(fresh) > 0 {
				want = append(want, replayed{seq, fresh})
			}
			if i == 12 {
				fault.Check(t, d.Close())
				d, _ = openTest(t, d.path)
			}
		}
		if len(want) < 10 {
			t.Fatalf("seed %d made only %d batches", seed, len(want))
		}
		same(t, fmt.Sprint("replay of seed ", seed), replayAll(t, d, 0), want)
		half := want[len(want)/2].Seq
		same(t, "tail", replayAll(t, d, half), want[len(want)/2+1:])
		checkChanges(t, d)
	}
}

// checkChanges compares the touches of commits with what the counted commits say.
func checkChanges(t *testing.T, d *DB) {
	t.Helper()
	want, got, ids := map[touch]bool{}, map[touch]bool{}, map[event.Path]int64{}
	for id, p := range fault.Must(d.paths(t.Context())) {
		ids[p] = id
	}
	fault.Check(t, d.each(t.Context(), d.reader, "SELECT "+rowColumns+" FROM events WHERE counted IS NOT NULL", nil,
		func(from Row) error {
			var r row
			fault.Check(t, r.scan(from))
			e, err := r.folded()
			for _, p := range touchedBy(e) {
				if r.counted.Int64 != 0 {
					want[touch{ids[p], r.counted.Int64, r.id}] = true
				}
			}
			return err
		}))
	fault.Check(t, d.each(t.Context(), d.reader, "SELECT file, counted, event FROM touches WHERE counted <> 0", nil,
		func(row Row) error {
			var k touch
			err := row.Scan(&k.file, &k.counted, &k.event)
			got[k] = true
			return err
		}))
	if len(want) == 0 {
		t.Fatal("no commit is counted")
	}
	fault.Same(t, "touches of commits", got, want)
}

func fixed() time.Time { return noon }

// TestOneBadEventIsLeftOut: an event that cannot be encoded is left out with a warning. Those
// beside it are logged.
func TestOneBadEventIsLeftOut(t *testing.T) {
	d := newTest(t)
	bad := commit(2, noon, "b.go")
	bad.Body = event.Commit{Author: time.Unix(253402300800, 0)} // Normalize would have moved it
	good := []event.Event{commit(1, noon, "a.go"), read("r", noon, "s", "a.go"), commit(3, noon, "c.go")}
	seq, fresh, err := d.AppendCommits(t.Context(), []event.Event{good[0], good[1], bad, good[2]},
		map[string]string{"main": sha(3)})
	fault.Check(t, err)
	same(t, "fresh", fresh, good)
	same(t, "replay", replayAll(t, d, 0), []replayed{{seq, good}})
	same(t, "cursor", fault.Must(d.Cursor(t.Context())), map[string]string{"main": sha(3)})
	if _, fresh := mustAppend(t, d, bad); len(fresh) > 0 {
		t.Errorf("alone it became %v", fresh)
	}
}

// foreign is an event of another clone.
func foreign(origin string, n int, at time.Time, p event.Path) event.Event {
	return event.Event{ID: fmt.Sprint(origin, ":", n), Time: at.UTC(), Origin: origin,
		Session: event.ForeignSession(origin, "s"),
		Body:    event.Call{Act: event.ActRead, Paths: []event.Path{p}}}
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
	peers := fault.Must(d.Peers(t.Context()))
	for _, p := range peers {
		if p.Origin == "FLOOD" && p.Events == 100 || p.Origin == "SMALL" && p.Events != 2 {
			t.Errorf("left: %+v", peers)
		}
	}
	if len(peers) == 0 {
		t.Error("nothing is left")
	}
}
