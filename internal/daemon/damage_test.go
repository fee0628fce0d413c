package daemon_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// warned collects what a daemon logs from warnings on.
type warned struct {
	slog.Handler
	mu   sync.Mutex
	said []string
}

func (w *warned) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		text := r.Message
		r.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
		w.mu.Lock()
		w.said = append(w.said, text)
		w.mu.Unlock()
	}
	return w.Handler.Handle(ctx, r)
}

func (w *warned) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.said
	w.said = nil
	return out
}

// listen makes the fixture's log one that can be asked.
func (d *fixture) listen() *warned {
	w := &warned{Handler: d.o.Log.Handler()}
	d.o.Log = slog.New(w)
	return w
}

// alter changes the database of a stopped daemon.
func (d *fixture) alter(name string, statements ...string) {
	d.Helper()
	db, err := sql.Open("sqlite", "file://"+filepath.Join(d.o.Place.Store, name))
	fault.Check(d, err)
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
		batch = append(batch, read(fmt.Sprint("e", i), fmt.Sprint("s", i%5), d.o.Now(),
			event.Path([]string{"a.go", "b.go"}[i%2])))
	}
	call(d, api.Events, batch)
}

// asks uses what the daemon has learned, and reports what it warned of meanwhile.
func (d *fixture) asks(w *warned) []string {
	d.Helper()
	d.feed(1000, 2)
	call(d, api.Rank, event.Query{Session: "s1"})
	call(d, api.Log, api.LogRequest{})
	call(d, api.Sessions, api.SessionsRequest{})
	before, after := call(d, api.Threshold, api.None{}).Value, 0.0
	for range 3 {
		after = call(d, api.Feedback, api.FeedbackRequest{Session: "s1", File: "a.go"}).Value
	}
	if after <= before {
		d.Errorf("three times no help, and the threshold goes from %v to %v", before, after)
	}
	return w.take()
}

// TestSecondOpening: damage that only reading meets makes the daemon open its stores a second time. Nothing of the
// first time is used any more, and what was logged before the damage is kept.
func TestSecondOpening(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	w := d.listen()
	d.start()
	for i := range 30 {
		d.feed(100*i, 20)
	}
	d.stop()
	// So large that opening does not look at every page.
	d.noSnapshot()
	d.alter("aoa.db", "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) "+
		"INSERT INTO meta (key, value) SELECT i, printf('%.*c', 40000, 'x') FROM n", "PRAGMA wal_checkpoint(TRUNCATE)")
	file := filepath.Join(d.o.Place.Store, "aoa.db")
	breakLeaf(t, file, "e2811")
	w.take()
	d.start()
	warnings := slices.Concat(w.take(), d.asks(w))
	if len(warnings) != 1 || !strings.Contains(warnings[0], "moved aside") || !strings.Contains(warnings[0], "missing=") {
		t.Errorf("%d warnings, want one of the damaged store:\n%s", len(warnings), strings.Join(warnings, "\n"))
	}
	if st := call(d, api.Status, api.None{}); st.Events < 500 {
		t.Errorf("%d of 600 events are left", st.Events)
	}
}

// breakLeaf makes the page of the log that holds an event's row one that SQLite refuses.
func breakLeaf(t *testing.T, file, id string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	fault.Check(t, err)
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

// TestMissing: what was lost of the store between two runs is reported in one warning at the next start, and in none
// later.
func TestMissing(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	w := d.listen()
	d.start()
	d.feed(0, 48)
	d.prompt()
	d.stop() // this much is in the file itself
	d.late.Add(int64(2 * time.Hour))
	store := d.o.Place.Store
	d.start() // a copy is due
	d.until("the log is copied", func() bool { _, err := os.Stat(filepath.Join(store, "aoa.db.copy")); return err == nil })
	for i := range 20 {
		d.feed(100+10*i, 10)
	}
	killed := t.TempDir()
	d.until("the mark is written", func() bool {
		raw, err := os.ReadFile(filepath.Join(store, "aoa.mark"))
		n, perr := strconv.Atoi(strings.TrimSpace(string(raw)))
		return err == nil && perr == nil && n >= 20
	})
	copyFiles(t, store, killed) // as a kill would leave it
	d.stop()
	wal, err := os.Stat(filepath.Join(killed, "aoa.db-wal"))
	if err != nil || wal.Size() < 20_000 {
		t.Fatalf("no log to lose: %v", err)
	}
	for _, c := range []struct {
		what   string
		harm   func() error
		says   string
		events int64 // at least
	}{
		{"nothing", func() error { return nil }, "", 248},
		{"the write-ahead log is deleted", func() error { return os.Remove(filepath.Join(store, "aoa.db-wal")) },
			"the end of the event log is missing", 48},
		{"the write-ahead log is cut",
			func() error { return os.Truncate(filepath.Join(store, "aoa.db-wal"), wal.Size()/2) },
			"the end of the event log is missing", 49},
		{"the write-ahead log is damaged", func() error {
			return damage(filepath.Join(store, "aoa.db-wal"), wal.Size()/2)
		}, "the end of the event log is missing", 49},
		{"the write-ahead log and the mark are deleted", func() error { return removeAll(store, "aoa.db-wal", "aoa.mark") },
			"the mark beside a file of the store", 48},
		{"the write-ahead log of the cache is deleted", func() error { return removeAll(store, "cache.db-wal") },
			"the end of a file of the store is missing", 248},
		{"the write-ahead log and the mark of the cache are deleted", func() error {
			return removeAll(store, "cache.db-wal", "cache.mark")
		}, "the mark beside a file of the store", 248},
		{"the log is deleted", func() error {
			return removeAll(store, "aoa.db", "aoa.db-wal", "aoa.db-shm")
		}, "its daily copy took its place", 48},
		{"the log and its copy are deleted", func() error {
			return removeAll(store, "aoa.db", "aoa.db-wal", "aoa.db-shm", "aoa.db.copy")
		}, "the event log is gone", 0},
		{"the log, its copy and its mark are deleted", func() error {
			return removeAll(store, "aoa.db", "aoa.db-wal", "aoa.db-shm", "aoa.db.copy", "aoa.mark")
		}, "the event log is gone", 0},
		{"the key is damaged", func() error { return os.Truncate(locate.KeyFile(config.Lookup(d.o.Env)), 150) },
			"the key to stored prompts", 248},
		{"the key is deleted", func() error {
			return os.Remove(locate.KeyFile(config.Lookup(d.o.Env)))
		}, "the key to stored prompts", 248},
		{"all but the settings is deleted", func() error {
			if err := os.RemoveAll(filepath.Join(store, "contents")); err != nil {
				return err
			}
			found, _ := filepath.Glob(filepath.Join(store, "*.*"))
			for _, f := range found {
				if err := os.Remove(f); err != nil {
					return err
				}
			}
			return nil
		}, "", 0}, // nothing is left that says there was a store
	} {
		key, err := os.ReadFile(locate.KeyFile(config.Lookup(d.o.Env)))
		fault.Check(t, err)
		restoreStore(t, killed, store)
		if err := c.harm(); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		w.take()
		for start := range 2 {
			d.start()
			st := call(d, api.Status, api.None{})
			if st.Events < c.events {
				t.Errorf("%s: %d events are left, want at least %d", c.what, st.Events, c.events)
			}
			warnings := slices.Concat(w.take(), d.asks(w))
			switch {
			case start == 1 || c.says == "":
				if len(warnings) != 0 {
					t.Errorf("%s: warned of at start %d:\n%s", c.what, start, strings.Join(warnings, "\n"))
				}
			case len(warnings) != 1 || !strings.Contains(warnings[0], c.says) || !slices.Contains(st.Warnings, warnings[0]):
				t.Errorf("%s: %d warnings, want one that says %q:\n%s\nstatus: %q", c.what, len(warnings), c.says,
					strings.Join(warnings, "\n"), st.Warnings)
			}
			d.stop()
		}
		fault.Check(t, os.WriteFile(locate.KeyFile(config.Lookup(d.o.Env)), key, 0o600))
	}
}

// prompt logs a sealed text.
func (d *fixture) prompt() {
	d.Helper()
	call(d, api.Events, []event.Event{{ID: "prompt", Time: d.o.Now(), Agent: "test", Session: "s1",
		Body: event.Prompt{Text: "some words"}}})
}

func restoreStore(t *testing.T, from, store string) {
	t.Helper()
	fault.Check(t, os.RemoveAll(store))
	copyFiles(t, from, store)
}

// copyFiles copies the regular files of a folder.
func copyFiles(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(name string, e fs.DirEntry, err error) error {
		rel, rerr := filepath.Rel(from, name)
		switch {
		case err != nil || rerr != nil:
			return errors.Join(err, rerr)
		case e.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		case !e.Type().IsRegular():
			return nil
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), raw, 0o600)
	})
	fault.Check(t, err)
}

func removeAll(dir string, names ...string) error {
	for _, n := range names {
		if err := os.Remove(filepath.Join(dir, n)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

// damage changes a few bytes of a file.
func damage(file string, at int64) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteAt([]byte{1, 2, 3, 4, 5, 6, 7, 8}, at)
	return err
}

// TestCacheDeleted: without its cache a daemon says so once, and makes the states of sessions and the sequences again
// from the log.
func TestCacheDeleted(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	w := d.listen()
	d.start()
	d.fill()
	want := d.count()
	d.stop()
	files, err := filepath.Glob(filepath.Join(d.o.Place.Store, "cache.db*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, name := range files {
		fault.Check(t, os.Remove(name))
	}
	w.take()
	d.start()
	d.until("the sequences are made again from the log", func() bool { return d.count()["sequences"] == want["sequences"] })
	got := d.count()
	if got["items"] != 0 || got["sessions"] != want["sessions"] || got["segments"] != want["segments"] {
		t.Errorf("%v, before %v", got, want)
	}
	if warnings := w.take(); len(warnings) != 1 || !strings.Contains(warnings[0], "the cache is gone") {
		t.Errorf("%q", warnings)
	}
	d.stop()
}
