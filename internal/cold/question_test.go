package cold

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestSnapshot: a state comes back with the number of its batch. It does not count in another log, in
// one that ends earlier, once it was dropped, and while something is forgotten, even if a power cut
// brings it back then.
func TestSnapshot(t *testing.T) {
	s := openStores(t, t.TempDir())
	save := func(seq int64, state string) {
		t.Helper()
		fault.Check(t, s.state.Save(t.Context(), seq, []byte(state)))
	}
	load := func(what string, from *Snapshot, want int64) {
		t.Helper()
		state, seq, err := from.Load(t.Context())
		fault.Check(t, err)
		if seq != want || want > 0 && string(state) != "state" {
			t.Errorf("%s: %q at %d, want %d", what, state, seq, want)
		}
	}
	load("a new log", s.state, 0)
	mustAppend(t, s.DB, read("a", noon, "s", "x"))
	save(1, "other")
	save(1, "state")
	load("saved", s.state, 1)
	save(2, "state")
	load("more than the log has", s.state, 0)
	load("dropped", s.state, 0)
	save(1, "state")
	load("another log", NewSnapshot(newTest(t), s.Blobs, "scores"), 0)
	save(1, "state")
	fault.Check(t, s.state.Drop(t.Context()))
	load("dropped at once", s.state, 0)
	save(1, "state")
	fault.Must(s.DB.Forget(t.Context(), ForgetFilter{Session: "s"}))
	load("something was forgotten", s.state, 0)
	save(1, "state")
	load("brought back", s.state, 0)
	fault.Check(t, s.DB.Overwrite(t.Context(), s.Blobs))
	save(1, "state")
	load("saved when it was over", s.state, 1)
}

// TestReadersDoNotWait reads while a write transaction is open.
func TestReadersDoNotWait(t *testing.T) {
	d := newTest(t)
	mustAppend(t, d, read("a", noon, "s", "x"))
	fault.Check(t, d.Write(t.Context(), "hold", func(tx *Tx) error {
		if err := tx.run([]any{"k", "v"}, setMeta); err != nil {
			return err
		}
		same(t, "replay inside a write", len(replayAll(t, d, 0)), 1)
		v, err := d.Meta(t.Context(), "k")
		same(t, "not yet visible", v, "")
		return err
	}))
}

// FuzzRow: whatever a row holds, reading it is an event or an error, and an event is written and read
// the same, whatever bytes it has.
func FuzzRow(f *testing.F) {
	same := func(t testing.TB, e event.Event) (r *row) {
		r = fault.Must(encodeRow(e, nil))
		fault.Same(t, "read back", fault.Must(r.withText(nil)), e, cmpopts.EquateNaNs(), cmpopts.EquateEmpty())
		return r
	}
	hint := event.Hint{Paths: []event.Path{"\xff.go"}, Text: "\xff\x00", Scores: []float64{math.NaN(), math.Copysign(0, -1)}}
	for _, e := range []event.Event{read("id", noon, "s", "a", "b"), commit(1, noon, "a", "b"), {ID: "日本", Time: noon, Body: hint},
		{ID: "x", Time: moment(-1), Body: event.Call{Act: event.ActSearch, Tags: []string{"a", ""}}}} {
		f.Add(same(f, e).body, []byte{0, 'x'})
	}
	f.Add([]byte{0xbb, 255, 255, 255, 255, 15}, []byte{})
	f.Fuzz(func(t *testing.T, body, text []byte) {
		kinds := event.Kinds()
		r := row{kind: kinds[len(text)%len(kinds)], body: body, text: text}
		e, err := r.withText(nil)
		if e.Kind() != r.kind {
			t.Fatalf("%+v is no %s", e, r.kind)
		}
		if err == nil {
			same(t, e)
		}
	})
}

func TestEveryFieldIsStored(t *testing.T) {
	d := newTest(t)
	for _, k := range event.Kinds() {
		full := event.Event{ID: "id " + string(k), Time: noon, Agent: "a", Session: "s", Subagent: "u", Turn: "n",
			Body: eventtest.Full(k, 2)}
		switch k {
		case event.KindCommit:
			full.ID = "commit:" + sha(1)
		case event.KindUncommit:
			full.ID = "uncommit:" + sha(1) + ":1"
		}
		from, _ := mustAppend(t, d, full)
		if k != event.KindUncommit { // it is the commit that it takes back
			same(t, string(k), replayAll(t, d, from-1)[0].Batch, []event.Event{full.WithoutText()})
			got := fault.Must(d.Log(t.Context(), LogFilter{Kinds: []event.Kind{k}, Limit: 1}))
			same(t, string(k)+" with its text", got, []event.Event{full})
		}
		full.Origin, full.ID = "o", "o:"+full.ID
		from, _, err := d.Append(t.Context(), []event.Event{full})
		fault.Check(t, err)
		same(t, string(k)+" of another clone", replayAll(t, d, from-1)[0].Batch, []event.Event{full.WithoutText()})
	}
}

// killedStores are a log and a cache with a write-ahead log each, as a kill leaves them. It returns
// their folder and how many events and blobs there are.
func killedStores(t *testing.T) (dir string, events, blobs int) {
	t.Helper()
	dir = t.TempDir()
	s := openStores(t, dir)
	for i := range 40 {
		if i == 10 { // all before this is in the file
			fault.Must(s.DB.Copy(t.Context()))
		}
		mustAppend(t, s.DB, wordy(fmt.Sprint("e", i, "-"), 1+i%5)...)
		s.put(fmt.Sprint("b", i/2), "s", fmt.Sprint("blob ", i)) // each one twice
		events, blobs = events+1+i%5, i+1
	}
	return dir, events, blobs
}

// harmed opens a copy of such a folder after harm has changed it, and returns what is left and what
// was said, now and at the next start.
func harmed(t *testing.T, from string, harm func(dir string)) (events, blobs int, said, again *fault.Log) {
	t.Helper()
	dir := t.TempDir()
	copyStore(t, filepath.Join(from, "aoa.db"), filepath.Join(dir, "aoa.db"))
	copyStore(t, filepath.Join(from, "cache.db"), filepath.Join(dir, "cache.db"))
	harm(dir)
	for _, warnings := range []**fault.Log{&said, &again} {
		s := openStores(t, dir)
		blobs = 0
		for _, b := range list(t, s.items, Selection{}) {
			v, _ := get(t, s.items, b.Key)
			var n int
			_, _ = fmt.Sscanf(string(v.Data), "blob %d", &n)
			blobs = max(blobs, n+1)
		}
		events, *warnings = len(s.ids()), s.warn
		fault.Check(t, s.DB.Close())
		fault.Check(t, s.Blobs.Close())
	}
	return events, blobs, said, again
}

// TestCutLog: a write-ahead log of either file that was cut anywhere ends the file earlier, and one
// line says so, once. A cut that costs nothing is silent.
func TestCutLog(t *testing.T) {
	from, events, blobs := killedStores(t)
	for _, name := range []string{"aoa.db", "cache.db"} {
		wal := fault.Must(os.Stat(filepath.Join(from, name+"-wal")))
		cuts := int64(fault.Size(10, 30))
		for cut := range cuts + 1 {
			e, b, said, again := harmed(t, from, func(dir string) {
				fault.Check(t, os.Truncate(filepath.Join(dir, name+"-wal"), wal.Size()*cut/cuts))
			})
			lost := events - e + blobs - b
			if e < 30 {
				t.Errorf("%s cut at %d/%d: %d events and %d blobs are left", name, cut, cuts, e, b)
			}
			same(t, fmt.Sprintf("%s cut at %d/%d: lines about %d that are lost", name, cut, cuts, lost), said.Warnings(),
				min(lost, 1))
			if lost > 0 && !strings.Contains(said.String(), fmt.Sprint("missing=", lost)) {
				t.Errorf("%s cut at %d/%d: %d are lost, %s", name, cut, cuts, lost, said.String())
			}
			same(t, "lines at the next start", again.Warnings(), 0)
		}
	}
}

// TestAnotherProgram: a database of another program is known at the start, and what is stored after
// it is stored.
func TestAnotherProgram(t *testing.T) {
	from, _, _ := killedStores(t)
	for _, name := range []string{"aoa.db", "cache.db"} {
		_, _, said, again := harmed(t, from, func(dir string) {
			alter(t, filepath.Join(dir, name), "PRAGMA application_id = 42")
		})
		if said.Warnings() != 1 || !strings.Contains(said.String(), "moved_to=") {
			t.Errorf("%s: %d lines, want one: %s", name, said.Warnings(), said.String())
		}
		same(t, "lines at the next start", again.Warnings(), 0)
	}
}

// TestLargeFileIsChecked: a file that is too large to be read when it is opened is read after that.
// Damage is reported, and the next opening moves the file aside.
func TestLargeFileIsChecked(t *testing.T) {
	from, _, _ := killedStores(t)
	o := Options{Now: fixed, checked: 1}
	for name, c := range map[string]struct {
		table string
		open  func(path string, o Options) (io.Closer, error)
	}{
		"aoa.db": {"touches", func(path string, o Options) (io.Closer, error) { return Open(t.Context(), path, o) }},
		"cache.db": {"blobs_key", func(path string, o Options) (io.Closer, error) {
			return openFile(t.Context(), path, blobSchema, o)
		}},
	} {
		path := filepath.Join(t.TempDir(), name)
		copyStore(t, filepath.Join(from, name), path)
		alter(t, path, "PRAGMA wal_checkpoint(TRUNCATE)")
		s, met := &fault.Log{}, make(chan struct{}, 1)
		o.Log, o.Damaged = s.Logger(), func() { met <- struct{}{} }
		f := fault.Must(c.open(path, o))
		fault.Check(t, f.Close())
		same(t, name+": reports of a sound file", len(met), 0)
		overwritePage(t, path, leaves(t, path, c.table)[0][0])
		f = fault.Must(c.open(path, o))
		select {
		case <-met:
		case <-time.After(time.Minute):
			t.Fatalf("%s: nothing was reported", name)
		}
		fault.Check(t, f.Close())
		same(t, name+": warnings", s.String(), "")
		f = fault.Must(c.open(path, o))
		fault.Check(t, f.Close())
		if s.Warnings() != 1 || !strings.Contains(s.String(), "moved_to=") {
			t.Errorf("%s: %d lines, want one: %s", name, s.Warnings(), s.String())
		}
	}
}
