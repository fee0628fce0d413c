package stage

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// clock is a time that tests move.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func write1(t testing.TB, name, text string) {
	t.Helper()
	fault.Check(t, os.MkdirAll(filepath.Dir(name), 0o755))
	fault.Check(t, os.WriteFile(name, []byte(text), 0o644))
}

// TestRacyWindow: a digest that was computed within the window of the file's last change is not
// remembered, however often it is asked for: the file could change again and look the same. After
// the window it is.
func TestRacyWindow(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	write1(t, name, "one")
	id, err := stat(name)
	fault.Check(t, err)
	last := time.Unix(0, max(id.mtime, id.ctime))
	c := &clock{}
	d := &digests{now: c.now}
	for _, at := range []struct {
		after      time.Duration
		remembered int
	}{{0, 0}, {0, 0}, {coarseWindow + time.Millisecond, 1}, {-time.Hour, 1}} {
		c.at = last.Add(at.after)
		if sum, err := d.file(name); err != nil || sum != digest("one") {
			t.Fatalf("%q, %v", sum, err)
		}
		fault.Same(t, fmt.Sprintf("%s after the change", at.after), len(d.known), at.remembered)
	}
	// A clock that went back remembers nothing that lies in its future.
	write1(t, name, "two")
	if sum, err := d.file(name); err != nil || sum != digest("two") || len(d.known) != 0 {
		t.Errorf("%q, %v, %d remembered", sum, err, len(d.known))
	}
}

// TestParts: what a dependency is, and what its digest says of it.
func TestParts(t *testing.T) {
	dir := t.TempDir()
	name := func(base string) string { return filepath.Join(dir, base) }
	write1(t, name("file"), "text")
	write1(t, name("program"), "text")
	fault.Check(t, os.Chmod(name("program"), 0o710))
	fault.Check(t, os.Symlink("file", name("link")))
	d := &digests{now: time.Now}
	kinds := map[string]string{}
	for base, want := range map[string]string{"file": kindFile, "program": kindProgram, "link": kindLink, "none": kindAbsent,
		"file/below": kindAbsent} {
		p, err := d.part(dep{name: base, abs: name(base)})
		fault.Check(t, err)
		fault.Same(t, base, p.Kind, want)
		kinds[base] = p.Sum
	}
	fault.Same(t, "the same content", kinds["file"] == kinds["program"], true)
	if _, err := d.part(dep{name: "folder", abs: dir}); err == nil {
		t.Error("a folder is a file")
	}
	for mode, want := range map[os.FileMode]os.FileMode{0o644: 0, 0o600: 0, 0o755: 0o111, 0o710: 0o110} {
		fault.Check(t, os.Chmod(name("file"), mode))
		id, err := stat(name("file"))
		fault.Check(t, err)
		fault.Same(t, mode.String(), id.mode, want)
	}
	if _, _, err := read(name("none")); err == nil {
		t.Error("what is not there is read")
	}
}

func TestReliableKnowsCoarseDisks(t *testing.T) {
	seen := time.Unix(1000, 0)
	for _, c := range []struct {
		mtime int64
		ago   time.Duration
		want  bool
	}{{1, 40 * time.Millisecond, false}, {1, 60 * time.Millisecond, true}, {0, time.Second, false}, {0, 3 * time.Second,
		true}} {
		at := seen.Add(-c.ago).UnixNano() + c.mtime
		if got := (identity{mtime: at}).reliable(seen); got != c.want {
			t.Errorf("changed %s ago, counted to %d ns: reliable is %v", c.ago, c.mtime, got)
		}
	}
}
