package cold

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// wordy are n events of one batch with some text.
func wordy(prefix string, n int) (batch []event.Event) {
	for i := range n {
		e := read(fmt.Sprint(prefix, i), noon.Add(time.Duration(i)*time.Second), "s", event.Path(fmt.Sprint("f", i%9)))
		eventtest.Set(&e, "Text", strings.Repeat("words ", 20))
		batch = append(batch, e)
	}
	return batch
}

// copied makes a closed log with 20 batches, its copy, and 20 batches after it.
func copied(t *testing.T) (path string, want []replayed) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "aoa.db")
	d, _ := openTest(t, path)
	for i := range 40 {
		if i == 20 {
			same(t, "made", fault.Must(d.Copy(t.Context())), true)
		}
		mustAppend(t, d, append(wordy(fmt.Sprint("e", i, "-"), 20), commit(i, noon, "f1",
			event.Path(fmt.Sprint("new", i))))...)
	}
	fault.Check(t, d.SetMeta(t.Context(), "writer", "me"))
	want = replayAll(t, d, 0)
	fault.Check(t, d.Close())
	return path, want
}

// TestCopy: once for the batches that there are, whole, and private like all of the store.
func TestCopy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "aoa")
	path := filepath.Join(dir, "aoa.db")
	d, _ := openTest(t, path)
	copyOf := func(want bool) {
		t.Helper()
		same(t, "made", fault.Must(d.Copy(t.Context())), want)
	}
	copyOf(false) // of nothing
	mustAppend(t, d, wordy("a", 300)...)
	fault.Check(t, os.WriteFile(path+partSuffix, []byte("left by one that was killed"), 0o600))
	copyOf(true)
	copyOf(false)
	mustAppend(t, d, wordy("b", 300)...)
	copyOf(true)
	fault.Check(t, os.Remove(path+copySuffix))
	copyOf(true)
	for name, want := range map[string]fs.FileMode{dir: 0o700, path: 0o600, path + "-wal": 0o600, path + copySuffix: 0o600} {
		if os.PathSeparator == '/' {
			same(t, "mode of "+name, fault.Must(os.Stat(name)).Mode().Perm(), want)
		}
	}
	if left, _ := filepath.Glob(path + partSuffix + "*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	other := filepath.Join(t.TempDir(), "aoa.db")
	copyFile(t, path+copySuffix, other)
	copyFile(t, markFile(path), markFile(other))
	c, s := openTest(t, other)
	same(t, "warnings", s.Warnings(), 0)
	same(t, "the copy", replayAll(t, c, 0), replayAll(t, d, 0))
	var vacuum int
	fault.Check(t, c.conn.QueryRowContext(t.Context(), "PRAGMA auto_vacuum").Scan(&vacuum))
	same(t, "free pages are given back in it, too", vacuum, 2)

	ended, end := context.WithCancel(t.Context())
	end()
	mustAppend(t, d, read("c", noon, "s", "x"))
	if made, err := d.Copy(ended); made || err == nil {
		t.Errorf("a copy that was called off: made %v, %v", made, err)
	}
	copyOf(true)
}

// harm is something that happens to a database.
type harm func(path string)

// TestRestore damages a log in many ways: the copy takes its place, else a fresh one, and one line
// says how many events are missing.
func TestRestore(t *testing.T) {
	sound, want := copied(t)
	last := want[len(want)-1].Seq
	all := func(harms ...harm) harm {
		return func(path string) {
			for _, h := range harms {
				h(path)
			}
		}
	}
	cut := func(n int64) harm { return func(path string) { fault.Check(t, os.Truncate(path, n)) } }
	page := func(row int) harm { return func(path string) { breakPage(t, path, row) } }
	header := func(path string) { noise(t, path, 100) }
	gone := func(path string) { fault.Check(t, os.Remove(path)) }
	ofCopy := func(h harm) harm { return func(path string) { h(path + copySuffix) } }
	text := func(path string) { fault.Check(t, os.WriteFile(path, bytes.Repeat([]byte("text\n"), 5000), 0o600)) }
	folder := func(path string) { fault.Check(t, os.MkdirAll(filepath.Join(path, "x"), 0o700)) }
	for _, c := range []struct {
		what    string
		harm    harm
		batches int // that are left at least, and wholly
		message string
		missing string
	}{
		{"garbage in the header", header, 20, copyWarning, "missing=420"},
		{"no bytes but some", cut(50), 20, copyWarning, "missing=420"},
		{"half of the file", cut(200 << 10), 20, copyWarning, "missing=420"},
		{"old pages", page(5), 20, copyWarning, "missing=420"},
		{"a page behind the copy", page(600), 20, copyWarning, "missing=420"},
		{"the file is gone", gone, 20, copyWarning, "missing=420"},
		{"another program's file", text, 20, copyWarning, "missing=420"},
		{"a folder", all(gone, folder), 20, copyWarning, "missing=420"},
		{"the header, without a copy", all(header, ofCopy(gone)), 0, freshWarning, "missing=840"},
		{"a page, without a copy", all(page(600), ofCopy(gone)), 0, freshWarning, "missing=840"},
		{"the header, and the copy", all(header, ofCopy(header)), 0, freshWarning, "missing=840"},
		{"the file and the copy are gone", all(gone, ofCopy(gone)), 0, goneWarning, "events=840"},
		{"nothing", all(), 40, "", ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "aoa.db")
			copyStore(t, sound, path)
			c.harm(path)
			d, s := openTest(t, path)
			got := replayAll(t, d, 0)
			if len(got) < c.batches {
				t.Fatalf("%d batches of %d are left, want %d", len(got), len(want), c.batches)
			}
			same(t, "what is left", append([]replayed{}, got[:c.batches]...), want[:c.batches])
			if c.message == "" {
				same(t, "warnings", s.Warnings(), 0)
				return
			}
			if s.Warnings() != 1 || !strings.Contains(s.String(), c.message) || !strings.Contains(s.String(), c.missing) {
				t.Errorf("%d lines, want one that says %q:\n%s", s.Warnings(), c.missing, s.String())
			}
			same(t, "made again", d.MadeAgain, c.message == copyWarning || c.what == "a page, without a copy")
			// The numbers go on behind those that other files of the store may know.
			seq, fresh := mustAppend(t, d, read("new", noon, "s", "f1"))
			if len(fresh) != 1 || seq != last+1 && c.message != goneWarning {
				t.Errorf("the next batch is %d", seq)
			}
			_, fresh = mustAppend(t, d, want[0].Batch...)
			same(t, "delivered again", len(fresh) == 0, c.batches > 0)
			works(t, d)
			fault.Check(t, d.Close())
			d, s = openTest(t, path)
			same(t, "warnings of the next start", s.Warnings(), 0)
			same(t, "a copy is due", fault.Must(d.Copy(t.Context())), true)
		})
	}
}

// overwrite changes bytes of a file.
func overwrite(t *testing.T, path string, at int64, with []byte) {
	t.Helper()
	f := fault.Must(os.OpenFile(path, os.O_RDWR, 0))
	defer f.Close()
	fault.Must(f.WriteAt(with, at))
}

// noise is what the first n bytes of a file become.
func noise(t *testing.T, path string, n int) {
	t.Helper()
	random := make([]byte, n)
	for i := range random {
		random[i] = byte(rand.Uint32())
	}
	overwrite(t, path, 0, random)
}

// breakPage makes the page unreadable that has a certain row of the events.
func breakPage(t *testing.T, path string, row int) {
	t.Helper()
	for _, p := range leaves(t, path, "events") {
		if row -= p[1]; row <= 0 {
			overwritePage(t, path, p[0])
			return
		}
	}
	t.Fatal("no such row")
}

// TestForgetDropsCopy: what is forgotten is in no copy, neither in the one that there is nor in one
// that is just being made.
func TestForgetDropsCopy(t *testing.T) {
	for range fault.Rounds() {
		d := remembered(t)
		copyHolds := func() bool { return holds(t, d.path+copySuffix+"*", secret) }
		fault.Must(d.Copy(t.Context()))
		if !copyHolds() {
			t.Fatal("the copy does not hold the secret to begin with")
		}
		mustAppend(t, d, read("one more", noon, "b", "y.go"))
		making := make(chan error)
		go func() {
			_, err := d.Copy(context.WithoutCancel(t.Context()))
			making <- err
		}()
		fault.Must(eraser(t, d).Forget(t.Context(), ForgetFilter{Path: secret}))
		if err := <-making; err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if copyHolds() {
			t.Fatal("a copy holds what was forgotten")
		}
		fault.Must(d.Copy(t.Context()))
		fault.Check(t, d.Scrub(t.Context()))
		if holds(t, d.path+"*", secret) {
			t.Fatal("what was forgotten is still there")
		}
		// A log that is damaged after that is restored without it.
		fault.Check(t, d.Close())
		noise(t, d.path, 100)
		d, _ = openTest(t, d.path)
		_, fresh := mustAppend(t, d, read("a1", noon, "a", secret))
		same(t, "what was forgotten and comes again", len(fresh), 0)
	}
}

// TestForgottenStaysAway: a log without a copy, and one of another version, are begun again. Past
// sessions are imported into it again, without what was forgotten.
func TestForgottenStaysAway(t *testing.T) {
	for what, harm := range map[string]harm{
		"another version": func(path string) { alter(t, path, "PRAGMA user_version = 77") },
		"a broken page":   func(path string) { breakPage(t, path, 1) },
	} {
		t.Run(what, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "aoa.db")
			d, _ := openTest(t, path)
			past := append(wordy("kept", 50), read("s1", noon, "secret", "x"), read("s2", noon, "secret", "y"))
			mustAppend(t, d, past...)
			fault.Must(eraser(t, d).Forget(t.Context(), ForgetFilter{Session: "secret"}))
			fault.Check(t, d.Close())
			harm(path)
			d, s := openTest(t, path)
			same(t, "warnings", s.Warnings(), 1)
			same(t, "made again", d.MadeAgain, true)
			_, fresh := mustAppend(t, d, past...)
			same(t, "imported again", len(fresh), 50)
		})
	}
}

// leaves are the leaf pages of a table in the order of their rows, each with the number of its
// rows.
func leaves(t *testing.T, path, table string) (pages [][2]int) {
	t.Helper()
	db := fault.Must(sql.Open("sqlite", dsn(path)))
	defer db.Close()
	found := fault.Must(db.QueryContext(t.Context(),
		"SELECT pageno, ncell FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path", table))
	for found.Next() {
		var p [2]int
		fault.Check(t, found.Scan(&p[0], &p[1]))
		pages = append(pages, p)
	}
	fault.Check(t, found.Err())
	return pages
}

func overwritePage(t *testing.T, path string, page int) {
	t.Helper()
	overwrite(t, path, int64(page-1)*4096, []byte{0x77, 1, 2, 3, 4, 5, 6, 7})
}

func alter(t *testing.T, path, statement string) {
	t.Helper()
	db := fault.Must(sql.Open("sqlite", dsn(path)))
	fault.Must(db.ExecContext(t.Context(), statement))
	fault.Check(t, db.Close())
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	fault.Check(t, os.WriteFile(to, fault.Must(os.ReadFile(from)), 0o600))
}

// copyStore copies a database with what lies beside it, as a kill leaves it.
func copyStore(t *testing.T, from, to string) {
	t.Helper()
	from, to = strings.TrimSuffix(from, ".db"), strings.TrimSuffix(to, ".db")
	for _, name := range fault.Must(filepath.Glob(from + "*")) {
		if suffix := strings.TrimPrefix(name, from); !strings.HasSuffix(suffix, "-shm") {
			copyFile(t, name, to+suffix)
		}
	}
}
