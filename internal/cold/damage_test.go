package cold

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// filled makes a closed store with some content and returns its file's bytes.
func filled(t testing.TB) (path string, content []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "aoa.db")
	d, _ := openTest(t, path)
	var events []event.Event
	for i := range 300 {
		events = append(events, read(fmt.Sprint("r", i), noon, fmt.Sprint("s", i%7),
			event.Path(fmt.Sprint("dir/file", i%40))),
			commit(i, noon, event.Path(fmt.Sprint("dir/file", i%40)), event.Path(fmt.Sprint("doc/file", i%30))))
	}
	mustAppend(t, d, events...)
	fault.Check(t, d.Close())
	content, err := os.ReadFile(path)
	fault.Check(t, err)
	return path, content
}

// survives opens a file in whatever state and works with it. Damage that shows only at work is
// reported as such and heals at the next Open.
func survives(t *testing.T, what, path string) (fresh bool) {
	t.Helper()
	d, s := openTest(t, path)
	for range 2 {
		_, _, err := d.Append(t.Context(), []event.Event{read("new", noon, "s", "dir/file1"),
			commit(9999, noon, "dir/file1", "b")})
		if err == nil {
			err = d.Replay(t.Context(), 0, func(int64, []event.Event) error { return nil })
		}
		fault.Check(t, d.Close())
		if err == nil {
			return len(s.records) > 0
		}
		if !errors.Is(err, ErrDamaged) {
			t.Fatalf("%s: an error that is not called damage: %v", what, err)
		}
		d, s = openTest(t, path)
	}
	// The checks of SQLite see structure, not meaning: a flipped bit inside a packed list is met at
	// work only.
	t.Logf("%s: damage inside a value stays and is reported", what)
	return false
}

func TestTruncatedAndFlippedFiles(t *testing.T) {
	_, whole := filled(t)
	r := rand.New(rand.NewPCG(3, 4))
	fresh := 0
	files := fault.Size(24, 60)
	for i := range files {
		path := filepath.Join(t.TempDir(), "aoa.db")
		b := append([]byte(nil), whole...)
		what := ""
		if i%2 == 0 {
			b = b[:r.IntN(len(b))]
			what = fmt.Sprintf("cut at %d", len(b))
		} else {
			n := 1 + r.IntN(64)
			for range n {
				b[r.IntN(len(b))] ^= byte(1 << r.IntN(8))
			}
			what = fmt.Sprintf("%d bits flipped", n)
		}
		fault.Check(t, os.WriteFile(path, b, 0o600))
		if survives(t, what, path) {
			fresh++
		}
	}
	if 5*fresh < 2*files { // every truncation but the one that leaves nothing is seen
		t.Fatalf("only %d of %d were replaced", fresh, files)
	}
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
