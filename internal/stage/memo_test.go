package stage

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// clock is a time that tests move.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func write1(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func sumOf(t testing.TB, m *memo, name string) Sum {
	t.Helper()
	s, err := m.file(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestMemoReadsOnce: a file that came to rest is read once, and again when it changed.
func TestMemoReadsOnce(t *testing.T) {
	c := &clock{time.Now().Add(time.Hour)} // long after the file was written
	m := newMemo(c.now)
	name := filepath.Join(t.TempDir(), "f")
	write1(t, name, "one")
	first := sumOf(t, m, name)
	if sumOf(t, m, name) != first || m.reads() != 1 {
		t.Fatalf("read %d times", m.reads())
	}
	write1(t, name, "two")
	if sumOf(t, m, name) == first || m.reads() != 2 {
		t.Errorf("a changed file has the digest of the old one; read %d times", m.reads())
	}
	// Put back with size and time of the first: the system's own time of change tells, where it keeps one.
	was, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	write1(t, name, "owt")
	if err := os.Chtimes(name, was.ModTime(), was.ModTime()); err != nil {
		t.Fatal(err)
	}
	id, err := stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if id.ctime == 0 {
		t.Skip("this system keeps no time of change")
	}
	if sumOf(t, m, name); m.reads() != 3 {
		t.Errorf("a change with an old time was not seen; read %d times", m.reads())
	}
}

// TestMemoRacyWindow: what was read within the window of its last change is not trusted, however often it is asked
// for; it could change again and look the same. After the window it is read once more, and then known.
func TestMemoRacyWindow(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	write1(t, name, "one")
	id, err := stat(name)
	if err != nil {
		t.Fatal(err)
	}
	last := time.Unix(0, max(id.mtime, id.ctime))
	c := &clock{last}
	m := newMemo(c.now)
	for i := range 3 {
		sumOf(t, m, name)
		if m.reads() != int64(i+1) {
			t.Fatalf("within the window, question %d: read %d times", i+1, m.reads())
		}
	}
	c.at = last.Add(coarseWindow + time.Millisecond)
	sumOf(t, m, name)
	sumOf(t, m, name)
	if m.reads() != 4 {
		t.Errorf("after the window: read %d times, not once more", m.reads())
	}
	// A clock that went back trusts nothing that lies in its future.
	write1(t, name, "two")
	c.at = last.Add(-time.Hour)
	sumOf(t, m, name)
	sumOf(t, m, name)
	if m.reads() != 6 {
		t.Errorf("with a clock that went back: read %d times", m.reads())
	}
}

func TestSettledKnowsCoarseDisks(t *testing.T) {
	seen := time.Unix(1000, 0)
	for _, c := range []struct {
		mtime int64
		ago   time.Duration
		want  bool
	}{{1, 40 * time.Millisecond, false}, {1, 60 * time.Millisecond, true}, {0, time.Second, false}, {0, 3 * time.Second,
		true}} {
		at := seen.Add(-c.ago).UnixNano() + c.mtime
		if got := (identity{mtime: at}).reliable(seen); got != c.want {
			t.Errorf("changed %s ago, counted to %d ns: settled is %v", c.ago, c.mtime, got)
		}
	}
}

// wood is a tree of n files of 4 KB in folders of 50.
func wood(b *testing.B, n int) (root string, deps []dep) {
	b.Helper()
	root = b.TempDir()
	text := make([]byte, 4096)
	for i := range n {
		name := fmt.Sprintf("d%03d/f%05d.txt", i/50, i)
		copy(text, name)
		write1(b, filepath.Join(root, name), string(text))
		deps = append(deps, dep{name, filepath.Join(root, name)})
	}
	return root, deps
}

func BenchmarkDigest10kCold(b *testing.B) {
	_, deps := wood(b, 10_000)
	later := time.Now().Add(time.Hour)
	for b.Loop() {
		if _, err := newMemo(func() time.Time { return later }).parts(b.Context(), deps); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDigest10kWarm(b *testing.B) {
	_, deps := wood(b, 10_000)
	later := time.Now().Add(time.Hour)
	m := newMemo(func() time.Time { return later })
	for b.Loop() {
		p, err := m.parts(b.Context(), deps)
		if err != nil {
			b.Fatal(err)
		}
		_ = p.Key()
	}
	if m.reads() != 10_000 {
		b.Fatalf("read %d files", m.reads())
	}
}
