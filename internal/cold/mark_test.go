package cold

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

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
func harmed(t *testing.T, from string, harm func(dir string)) (events, blobs int, said, again *sink) {
	t.Helper()
	dir := t.TempDir()
	copyStore(t, filepath.Join(from, "aoa.db"), filepath.Join(dir, "aoa.db"))
	copyStore(t, filepath.Join(from, "cache.db"), filepath.Join(dir, "cache.db"))
	harm(dir)
	for _, warnings := range []**sink{&said, &again} {
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
			same(t, fmt.Sprintf("%s cut at %d/%d: lines about %d that are lost", name, cut, cuts, lost), len(said.records),
				min(lost, 1))
			if lost > 0 && !strings.Contains(line(said), fmt.Sprint("missing=", lost)) {
				t.Errorf("%s cut at %d/%d: %d are lost, %s", name, cut, cuts, lost, line(said))
			}
			same(t, "lines at the next start", len(again.records), 0)
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
		if len(said.records) != 1 || !strings.Contains(line(said), "moved_to=") {
			t.Errorf("%s: %d lines, want one: %s", name, len(said.records), line(said))
		}
		same(t, "lines at the next start", len(again.records), 0)
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
		s, met := &sink{}, make(chan struct{}, 1)
		o.Log, o.Damaged = slog.New(s), func() { met <- struct{}{} }
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
		same(t, name+": warnings", line(s), "")
		f = fault.Must(c.open(path, o))
		fault.Check(t, f.Close())
		if len(s.records) != 1 || !strings.Contains(line(s), "moved_to=") {
			t.Errorf("%s: %d lines, want one: %s", name, len(s.records), line(s))
		}
	}
}
