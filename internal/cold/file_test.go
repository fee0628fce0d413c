package cold

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// boxes is a small schema of a store's own.
const boxes = "-- Boxes.\nCREATE TABLE box (name TEXT PRIMARY KEY, n INTEGER NOT NULL CHECK (n >= 0)) STRICT;\n"

// Statements of the test.
const (
	putBox   = "INSERT INTO box (name, n) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET n = ?2"
	boxOf    = "SELECT n FROM box WHERE name = ?"
	allBoxes = "SELECT name, n FROM box ORDER BY name"
)

func openBoxes(t testing.TB, path string) (*File, *fault.Log) {
	t.Helper()
	s := &fault.Log{}
	f := fault.Must(openFile(t.Context(), path, boxes, Options{Now: fixed, Log: s.Logger()}))
	t.Cleanup(func() { _ = f.Close() })
	return f, s
}

func put(ctx context.Context, f *File, name string, n int) error {
	return f.Write(ctx, "put box", func(tx *Tx) error {
		_, err := tx.Exec(putBox, name, n)
		return err
	})
}

func content(t testing.TB, f *File) string {
	t.Helper()
	var out []string
	fault.Check(t, f.Each(t.Context(), allBoxes, nil, func(rows Row) error {
		var name string
		var n int
		err := rows.Scan(&name, &n)
		out = append(out, fmt.Sprint(name, n))
		return err
	}))
	return strings.Join(out, " ")
}

func TestFileKeepsAllOrNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "box.db")
	f, s := openBoxes(t, path)
	same(t, "warnings", s.Warnings(), 0)
	fault.Check(t, put(t.Context(), f, "a", 1))
	mine := errors.New("enough")
	undone := 0
	f.undone = func() { undone++ }
	err := f.Write(t.Context(), "put box", func(tx *Tx) error {
		if _, err := tx.Exec(putBox, "b", 2); err != nil {
			return err
		}
		var n int
		found := fault.Must(tx.Scan(boxOf, []any{"b"}, &n))
		same(t, "seen inside its own transaction", [2]any{found, n}, [2]any{true, 2})
		same(t, "a row that is not there", fault.Must(tx.Scan(boxOf, []any{"nobody"}, &n)), false)
		return mine
	})
	if err != mine { // as it is, not wrapped
		t.Fatalf("the caller's own error came back as %v", err)
	}
	err = put(t.Context(), f, "c", -1)
	if err == nil || !strings.HasPrefix(err.Error(), "put box: "+path) {
		t.Fatalf("a constraint: %v", err)
	}
	same(t, "undone", undone, 2)
	same(t, "kept", content(t, f), "a1")
	same(t, "a row that is not there", fault.Must(f.Scan(t.Context(), boxOf, []any{"b"}, new(int))), false)
	fault.Check(t, f.Close())
	f, _ = openBoxes(t, path)
	same(t, "kept over a restart", content(t, f), "a1")
	if err := f.Each(t.Context(), allBoxes, nil, func(Row) error { return mine }); !errors.Is(err, mine) {
		t.Fatalf("the reader's own error came back as %v", err)
	}
}

// TestFileOfAnotherVersion: an older and a newer file are moved aside whole, with one warning.
func TestFileOfAnotherVersion(t *testing.T) {
	for _, version := range []int{schemaVersion - 1, schemaVersion + 1} {
		path := filepath.Join(t.TempDir(), "box.db")
		f, _ := openBoxes(t, path)
		fault.Check(t, put(t.Context(), f, "a", 1))
		fault.Check(t, f.Close())
		alter(t, path, fmt.Sprint("PRAGMA user_version = ", version))
		f, s := openBoxes(t, path)
		same(t, "warnings", s.Warnings(), 1)
		same(t, "the warning", strings.Contains(s.String(), fileVersionWarning), true)
		same(t, "content", content(t, f), "")
		aside := fault.Must(filepath.Glob(path + ".version-*"))
		same(t, "moved aside", len(aside), 1)
		alter(t, aside[0], fmt.Sprint("PRAGMA user_version = ", schemaVersion))
		f, _ = openBoxes(t, aside[0])
		same(t, "content of the other", content(t, f), "a1")
		fault.Check(t, f.Close())
		f, s = openBoxes(t, path)
		same(t, "warnings of the next start", s.Warnings(), 0)
		fault.Check(t, f.Close())
		fault.Check(t, removeAside(filepath.Dir(path)))
		same(t, "the other after forgetting", exists(aside[0]), false)
	}
}

// TestFileIsCheckedAfterDamage: what a run met, the next start looks at closely, once.
func TestFileIsCheckedAfterDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "box.db")
	f, _ := openBoxes(t, path)
	warned := 0
	f.damaged = func() { warned++ }
	err := f.Write(t.Context(), "look", func(*Tx) error { return fmt.Errorf("%w: a box holds a cat", ErrDamaged) })
	if !errors.Is(err, ErrDamaged) || warned != 1 {
		t.Fatalf("damage met at work: %v, warned %d times", err, warned)
	}
	fault.Check(t, f.Close())
	same(t, "a note is left", lookBefore(path).damaged, true)
	_, s := openBoxes(t, path)
	same(t, "warnings of a file that proved sound", s.Warnings(), 0)
	same(t, "the note is left", lookBefore(path).damaged, false)
}

// TestTwoFilesOnOnePath is a daemon and a command at once: each counts inside its own transaction.
func TestTwoFilesOnOnePath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "box.db")
	a, _ := openBoxes(t, path)
	b, _ := openBoxes(t, path)
	fault.Check(t, put(t.Context(), a, "a", 0))
	var wg sync.WaitGroup
	for _, f := range []*File{a, b} {
		for range 4 {
			wg.Go(func() {
				for range 10 {
					fault.Check(t, f.Write(t.Context(), "count", func(tx *Tx) error {
						var n int
						fault.Must(tx.Scan(boxOf, []any{"a"}, &n))
						_, err := tx.Exec(putBox, "a", n+1)
						return err
					}))
				}
			})
		}
	}
	wg.Wait()
	same(t, "counted", content(t, a), "a80")
	same(t, "counted", content(t, b), "a80")
}

func TestSpaceComesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "box.db")
	f, _ := openBoxes(t, path)
	run := func(query string) {
		fault.Check(t, f.Write(t.Context(), "change boxes", func(tx *Tx) error {
			_, err := tx.Exec(query)
			return err
		}))
	}
	run("WITH RECURSIVE c (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < 20000)" +
		" INSERT INTO box SELECT 'a box with a secret and the number ' || i, i FROM c")
	full := fault.Must(f.Used(t.Context()))
	run("DELETE FROM box")
	fault.Check(t, f.GiveBack(t.Context()))
	used, size := fault.Must(f.Used(t.Context())), fault.Must(os.Stat(path)).Size()
	if used*10 > full || size*10 > full {
		t.Fatalf("%d bytes were used, %d are, the file has %d", full, used, size)
	}
	fault.Check(t, f.Scrub(t.Context()))
	same(t, "what was deleted is there", holds(t, path+"*", "secret"), false)
}

// TestPanic: a callback that panics leaves no transaction and no reader behind: everything can be
// read and written.
func TestPanic(t *testing.T) {
	path := filepath.Join(t.TempDir(), "box.db")
	f, _ := openBoxes(t, path)
	fault.Check(t, put(t.Context(), f, "a", 1))
	fault.Check(t, put(t.Context(), f, "b", 2))
	broken := func(what string, fn func() error) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%s: the panic was swallowed", what)
			}
		}()
		t.Errorf("%s: returned %v", what, fn())
	}
	for range 10 { // more often than there are connections
		broken("write", func() error {
			return f.Write(t.Context(), "put box", func(tx *Tx) error {
				fault.Must(tx.Exec(putBox, "c", 3))
				panic("in the middle")
			})
		})
		broken("rows of a writer", func() error {
			return f.Write(t.Context(), "put box", func(tx *Tx) error {
				return tx.Each(allBoxes, nil, func(Row) error { panic("at a row") })
			})
		})
		broken("rows of a reader", func() error {
			return f.Each(t.Context(), allBoxes, nil, func(Row) error { panic("at a row") })
		})
	}
	fault.Check(t, put(t.Context(), f, "d", 4))
	same(t, "content", content(t, f), "a1 b2 d4")
	fault.Check(t, f.Close())
}
