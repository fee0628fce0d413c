package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// check compares a file's content and mode, and that nothing else is beside it.
func check(t *testing.T, name, content string, mode fs.FileMode) {
	t.Helper()
	got := fault.Must(os.ReadFile(name))
	info := fault.Must(os.Stat(name))
	if string(got) != content || info.Mode().Perm() != mode && os.PathSeparator == '/' {
		t.Errorf("%q with mode %o, want %q with %o", got, info.Mode().Perm(), content, mode)
	}
	fault.Same(t, "files in the folder", len(fault.Must(os.ReadDir(filepath.Dir(name)))), 1)
}

func TestWrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	fault.Check(t, WriteBytes(name, Options{}, []byte("one")))
	check(t, name, "one", 0o600)
	fault.Check(t, os.Chmod(name, 0o640))
	fault.Check(t, WriteBytes(name, Options{Mode: 0o644}, []byte("two")))
	check(t, name, "two", 0o640)
	fault.Check(t, WriteBytes(name, Options{}, []byte("private")))
	check(t, name, "private", 0o600)
	fault.Check(t, WriteBytes(name, Options{Mode: 0o755, SetMode: true, Unsynced: true}, []byte("three")))
	check(t, name, "three", 0o755)

	mine := errors.New("enough")
	if err := Write(name, Options{},
		func(to io.Writer) error { _, _ = to.Write([]byte("half")); return mine }); !errors.Is(err, mine) {
		t.Errorf("the caller's own error came back as %v", err)
	}
	if err := WriteBytes(name, Options{Check: func() error { return mine }}, []byte("four")); !errors.Is(err, mine) {
		t.Errorf("the check's error came back as %v", err)
	}
	if err := WriteBytes(name, Options{New: true}, []byte("five")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a new file in place of another: %v", err)
	}
	check(t, name, "three", 0o755)
	if err := WriteBytes(filepath.Join(name, "x"), Options{}, nil); err == nil {
		t.Error("written into a file")
	}
	long := filepath.Join(t.TempDir(), strings.Repeat("é", 127))
	fault.Check(t, WriteBytes(long, Options{Mode: 0o644}, []byte("long")))
	check(t, long, "long", 0o644)
}

// TestOneNewFile: of many that make the same file, one wins.
func TestOneNewFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	var wg sync.WaitGroup
	won := make(chan bool, 20)
	for range cap(won) {
		wg.Go(func() {
			err := WriteBytes(name, Options{New: true}, []byte("x"))
			if err != nil && !errors.Is(err, fs.ErrExist) {
				t.Error(err)
			}
			won <- err == nil
		})
	}
	wg.Wait()
	n := 0
	for range cap(won) {
		if <-won {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d made it", n)
	}
	check(t, name, "x", 0o600)
}

// TestBelow: no name and no link leads out of the folder.
func TestBelow(t *testing.T) {
	top := t.TempDir()
	fault.Check(t, os.MkdirAll(filepath.Join(top, "in", "sub"), 0o755))
	if err := os.Symlink(top, filepath.Join(top, "in", "out")); err != nil {
		t.Skip(err)
	}
	dir := fault.Must(os.OpenRoot(filepath.Join(top, "in")))
	defer dir.Close()
	fault.Check(t, WriteBytesIn(dir, "sub/file", Options{}, []byte("x")))
	check(t, filepath.Join(top, "in", "sub", "file"), "x", 0o600)
	for _, name := range []string{"../file", "out/file"} {
		if err := WriteBytesIn(dir, name, Options{}, nil); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

func TestRename(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	fault.Check(t, errors.Join(os.WriteFile(from, []byte("new"), 0o600), os.WriteFile(to, []byte("old"), 0o600)))
	fault.Check(t, Rename(from, to))
	check(t, to, "new", 0o600)
	if err := Rename(from, to); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestClean: what a killed writer has left goes; what one is about to write stays, and so does
// every other file.
func TestClean(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	old, young, other := filepath.Join(dir, partOf("a-b.json")), filepath.Join(dir, partOf("c")), filepath.Join(dir,
		".aoa-x")
	for _, name := range []string{old, young, other} {
		fault.Check(t, os.WriteFile(name, nil, 0o600))
	}
	fault.Check(t, os.Chtimes(old, now, now.Add(-2*leftAfter)))
	fault.Check(t, os.Chtimes(other, now, now.Add(-2*leftAfter)))
	if name, ok := PartOf(filepath.Base(old)); !ok || name != "a-b.json" {
		t.Errorf("it was to be %q, %v", name, ok)
	}
	fault.Check(t, Clean(dir))
	for name, want := range map[string]bool{old: false, young: true, other: true} {
		if _, err := os.Stat(name); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	fault.Check(t, Clean(filepath.Join(dir, "none")))
}
