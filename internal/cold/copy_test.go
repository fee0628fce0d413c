package cold

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
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
			made, err := d.Copy(t.Context())
			fault.Check(t, err)
			same(t, "made", made, true)
		}
		mustAppend(t, d, append(wordy(fmt.Sprint("e", i, "-"), 20), commit(i, noon, "f1",
			event.Path(fmt.Sprint("new", i))))...)
	}
	fault.Check(t, d.SetMeta(t.Context(), "writer", "me"))
	want = replayAll(t, d, 0)
	fault.Check(t, d.Close())
	return path, want
}

// TestCopy: once for the batches that there are, whole, and private.
func TestCopy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "aoa.db")
	d, _ := openTest(t, path)
	copyOf := func(want bool) {
		t.Helper()
		made, err := d.Copy(t.Context())
		fault.Check(t, err)
		same(t, "made", made, want)
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
	info, err := os.Stat(path + copySuffix)
	fault.Check(t, err)
	if os.PathSeparator == '/' {
		same(t, "mode", info.Mode().Perm(), fs.FileMode(0o600))
	}
	if left, _ := filepath.Glob(path + partSuffix + "*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	other := filepath.Join(t.TempDir(), "aoa.db")
	copyFile(t, path+copySuffix, other)
	copyFile(t, markFile(path), markFile(other))
	c, s := openTest(t, other)
	same(t, "warnings", len(s.records), 0)
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

// TestRestore damages a log in many ways: the copy takes its place, else a fresh one, and one line
// says how many events are missing.
func TestRestore(t *testing.T) {
	sound, want := copied(t)
	all := len(want)
	cut := func(n int64) func(string) {
		return func(path string) { fault.Check(t, os.Truncate(path, n)) }
	}
	for _, c := range []struct {
		what    string
		harm    func(path string)
		batches int // that are left at least, and wholly
		message string
		missing string
	}{
		{"garbage in the header", func(path string) { overwrite(t, path, 0, 100) }, 20, copyWarning,
			"missing=420"},
		{"no bytes but some", cut(50), 20, copyWarning, "missing=420"},
		{"half of the file", cut(200 << 10), 20, copyWarning, "missing=420"},
		{"old pages", func(path string) { breakPage(t, path, 5) }, 20, copyWarning, "missing=420"},
		{"a page behind the copy", func(path string) { breakPage(t, path, 600) }, 20, copyWarning, "missing=420"},
		{"the file is gone", func(path string) { fault.Check(t, os.Remove(path)) }, 20, copyWarning, "missing=420"},
		{"another program's file", func(path string) {
			fault.Check(t, os.WriteFile(path, bytes.Repeat([]byte("text\n"), 5000),
				0o600))
		}, 20,
			copyWarning, "missing=420"},
		{"a folder", func(path string) {
			fault.Check(t, errors.Join(os.Remove(path),
				os.MkdirAll(filepath.Join(path, "x"), 0o700)))
		}, 20,
			copyWarning, "missing=420"},
		{"the header, without a copy", func(path string) {
			overwrite(t, path, 0, 100)
			fault.Check(t, os.Remove(path+copySuffix))
		}, 0, freshWarning, "missing=840"},
		{"a page, without a copy", func(path string) {
			breakPage(t, path, 600)
			fault.Check(t, os.Remove(path+copySuffix))
		}, 0, freshWarning, "missing=840"},
		{"the header, and the copy", func(path string) {
			overwrite(t, path, 0, 100)
			overwrite(t, path+copySuffix, 0, 100)
		}, 0, freshWarning, "missing=840"},
		{"the file and the copy are gone", func(path string) {
			fault.Check(t, errors.Join(os.Remove(path), os.Remove(path+copySuffix)))
		}, 0, goneWarning, "events=840"},
		{"nothing", func(string) {}, 40, "", ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "aoa.db")
			for _, suffix := range []string{"", copySuffix} {
				copyFile(t, sound+suffix, path+suffix)
			}
			copyFile(t, markFile(sound), markFile(path))
			c.harm(path)
			d, s := openTest(t, path)
			got := replayAll(t, d, 0)
			if len(got) < c.batches {
				t.Fatalf("%d batches of %d are left, want %d", len(got), all, c.batches)
			}
			same(t, "what is left", append([]replayed{}, got[:c.batches]...), want[:c.batches])
			if c.message == "" {
				same(t, "warnings", len(s.records), 0)
				return
			}
			said := line(s)
			if len(s.records) != 1 || s.records[0].Message != c.message || !strings.Contains(said, c.missing) {
				t.Errorf("%d lines, want one that says %q:\n%s", len(s.records), c.missing, said)
			}
			same(t, "made again", d.MadeAgain, c.message == copyWarning || c.what == "a page, without a copy")
			// The numbers go on behind those that other files of the store may know.
			seq, fresh := mustAppend(t, d, read("new", noon, "s", "f1"))
			if len(fresh) != 1 || seq != want[all-1].Seq+1 && c.message != goneWarning {
				t.Errorf("the next batch is %d", seq)
			}
			_, fresh = mustAppend(t, d, want[0].Batch...)
			same(t, "delivered again", len(fresh) == 0, c.batches > 0)
			works(t, d)
			fault.Check(t, d.Close())
			d, s = openTest(t, path)
			same(t, "warnings of the next start", len(s.records), 0)
			made, err := d.Copy(t.Context())
			fault.Check(t, err)
			same(t, "a copy is due", made, true)
		})
	}
}

// line is a warning with its attributes.
func line(s *sink) string {
	var b bytes.Buffer
	for _, r := range s.records {
		fmt.Fprint(&b, r.Message)
		r.Attrs(func(a slog.Attr) bool { fmt.Fprint(&b, " ", a); return true })
		fmt.Fprintln(&b)
	}
	return b.String()
}

// overwrite puts noise into a file.
func overwrite(t *testing.T, path string, at int64, n int) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	fault.Check(t, err)
	defer f.Close()
	noise := make([]byte, n)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	_, err = f.WriteAt(noise, at)
	fault.Check(t, err)
}

// breakPage makes the page unreadable that has a certain row of the events.
func breakPage(t *testing.T, path string, row int) {
	t.Helper()
	pages := leaves(t, path, "events")
	for _, p := range pages {
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
		copyHolds := func() bool {
			found, err := filepath.Glob(d.path + copySuffix + "*")
			fault.Check(t, err)
			for _, name := range found {
				b, err := os.ReadFile(name)
				fault.Check(t, err)
				if bytes.Contains(b, []byte(secret)) {
					return true
				}
			}
			return false
		}
		_, err := d.Copy(t.Context())
		fault.Check(t, err)
		if !copyHolds() {
			t.Fatal("the copy does not hold the secret to begin with")
		}
		mustAppend(t, d, read("one more", noon, "b", "y.go"))
		making := make(chan error)
		go func() {
			_, err := d.Copy(context.WithoutCancel(t.Context()))
			making <- err
		}()
		_, err = eraser(t, d).Forget(t.Context(), ForgetFilter{Path: secret})
		fault.Check(t, err)
		if err := <-making; err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if copyHolds() {
			t.Fatal("a copy holds what was forgotten")
		}
		_, err = d.Copy(t.Context())
		fault.Check(t, err)
		fault.Check(t, d.Scrub(t.Context()))
		if copyHolds() || holds(t, d, secret) {
			t.Fatal("what was forgotten is still there")
		}
		// A log that is damaged after that is restored without it.
		fault.Check(t, d.Close())
		overwrite(t, d.path, 0, 100)
		d, _ = openTest(t, d.path)
		_, fresh := mustAppend(t, d, read("a1", noon, "a", secret))
		same(t, "what was forgotten and comes again", len(fresh), 0)
	}
}

// TestForgottenStaysAway: a log without a copy, and one of another version, are begun anew. Past
// sessions are imported into it again, without what was forgotten.
func TestForgottenStaysAway(t *testing.T) {
	for what, harm := range map[string]func(path string){
		"another version": func(path string) { alter(t, path, "PRAGMA user_version = 77") },
		"a broken page":   func(path string) { breakPage(t, path, 1) },
	} {
		t.Run(what, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "aoa.db")
			d, _ := openTest(t, path)
			mustAppend(t, d, wordy("kept", 50)...)
			secrets := []event.Event{read("s1", noon, "secret", "x"), read("s2", noon, "secret", "y")}
			mustAppend(t, d, secrets...)
			_, err := eraser(t, d).Forget(t.Context(), ForgetFilter{Session: "secret"})
			fault.Check(t, err)
			fault.Check(t, d.Close())
			harm(path)
			d, s := openTest(t, path)
			same(t, "warnings", len(s.records), 1)
			same(t, "made again", d.MadeAgain, true)
			_, fresh := mustAppend(t, d, append(wordy("kept", 50), secrets...)...)
			same(t, "imported again", len(fresh), 50)
		})
	}
}

// leaves are the leaf pages of a table in the order of their rows, each with the number of its
// rows.
func leaves(t *testing.T, path, table string) (pages [][2]int) {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(path))
	fault.Check(t, err)
	defer db.Close()
	found, err := db.QueryContext(t.Context(),
		"SELECT pageno, ncell FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path", table)
	fault.Check(t, err)
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
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	fault.Check(t, err)
	defer f.Close()
	_, err = f.WriteAt([]byte{0x77, 1, 2, 3, 4, 5, 6, 7}, int64(page-1)*4096)
	fault.Check(t, err)
}

func alter(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(path))
	fault.Check(t, err)
	_, err = db.ExecContext(t.Context(), statement)
	fault.Check(t, err)
	fault.Check(t, db.Close())
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	fault.Check(t, err)
	defer in.Close()
	out, err := os.Create(to)
	fault.Check(t, err)
	_, err = io.Copy(out, in)
	fault.Check(t, errors.Join(err, out.Close()))
}

func TestModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "aoa")
	d, _ := openTest(t, filepath.Join(dir, "aoa.db"))
	mustAppend(t, d, read("a", noon, "s", "x"))
	for name, want := range map[string]os.FileMode{dir: 0o700, d.path: 0o600, d.path + "-wal": 0o600} {
		info, err := os.Stat(name)
		fault.Check(t, err)
		if got := info.Mode().Perm(); got != want && os.PathSeparator == '/' {
			t.Errorf("%s has mode %o, want %o", name, got, want)
		}
	}
}
