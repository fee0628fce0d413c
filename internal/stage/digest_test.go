package stage

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// clock is a time that tests move.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// TestRacyWindow: a digest that was computed within the window of the file's last change is not
// remembered, however often it is asked for: the file could change again and look the same. After
// the window it is.
func TestRacyWindow(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	fault.Write(t, name, "one")
	id := fault.Must(stat(name))
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
	fault.Write(t, name, "two")
	if sum, err := d.file(name); err != nil || sum != digest("two") || len(d.known) != 0 {
		t.Errorf("%q, %v, %d remembered", sum, err, len(d.known))
	}
}

// TestParts: what a dependency is, and what its digest says of it.
func TestParts(t *testing.T) {
	dir := t.TempDir()
	name := func(base string) string { return filepath.Join(dir, base) }
	fault.Write(t, name("file"), "text")
	fault.Write(t, name("program"), "text")
	fault.Check(t, os.Chmod(name("program"), 0o710))
	fault.Check(t, os.Symlink("file", name("link")))
	d := &digests{now: time.Now}
	kinds := map[string]string{}
	for base, want := range map[string]string{"file": kindFile, "program": kindProgram, "link": kindLink, "none": kindAbsent,
		"file/below": kindAbsent} {
		p := fault.Must(d.part(dep{name: base, abs: name(base)}))
		fault.Same(t, base, p.Kind, want)
		kinds[base] = p.Sum
	}
	fault.Same(t, "the same content", kinds["file"] == kinds["program"], true)
	if _, err := d.part(dep{name: "folder", abs: dir}); err == nil {
		t.Error("a folder is a file")
	}
	for mode, want := range map[os.FileMode]os.FileMode{0o644: 0, 0o600: 0, 0o755: 0o111, 0o710: 0o110} {
		fault.Check(t, os.Chmod(name("file"), mode))
		fault.Same(t, mode.String(), fault.Must(stat(name("file"))).mode, want)
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

func TestRecordComesBack(t *testing.T) {
	r := NewRecorder(1 << 10)
	out, errs := r.Writer(Stdout, nil), r.Writer(Stderr, nil)
	for _, s := range []string{"a", "b"} {
		_, _ = out.Write([]byte(s)) // kept, not passed on
	}
	_, _ = errs.Write([]byte("talk"))
	_, _ = out.Write([]byte("c\x00"))
	r.add(File{Path: "x/y", Mode: 0o751, Data: []byte("data")})
	r.add(File{Path: "l", Mode: 0o777, Link: true, Data: []byte("x/y")})
	rec, ok, err := r.Record()
	if !ok || err != nil || len(rec.Frames) != 3 {
		t.Fatalf("kept %v, %v, %d frames", ok, err, len(rec.Frames))
	}
	if string(rec.Output(Stdout)) != "abc\x00" || string(rec.Output(Stderr)) != "talk" {
		t.Errorf("stdout %q, stderr %q", rec.Output(Stdout), rec.Output(Stderr))
	}
}

func TestRecorderIsBounded(t *testing.T) {
	var passed bytes.Buffer
	r := NewRecorder(10)
	w := r.Writer(Stdout, &passed)
	for range 5 {
		if _, err := w.Write([]byte("1234")); err != nil {
			t.Fatal(err)
		}
	}
	if rec, ok, _ := r.Record(); ok || len(rec.Frames) != 0 || passed.Len() != 20 {
		t.Errorf("kept %v, %d frames, passed on %d of 20 bytes", ok, len(rec.Frames), passed.Len())
	}
}

// TestRestoreStaysInside: a record that names files elsewhere is refused, and a link that leads out
// is not followed.
func TestRestoreStaysInside(t *testing.T) {
	for _, name := range []string{"../out", "/etc/x", "a/../../out", ".git/config", ""} {
		if (&Record{Files: []File{{Path: event.Path(name)}}}).check() == nil {
			t.Errorf("a file called %q passes", name)
		}
	}
	top := t.TempDir()
	root := filepath.Join(top, "root")
	fault.Write(t, filepath.Join(root, "in"), "in")
	fault.Write(t, filepath.Join(top, "outside", "f"), "safe")
	fault.Check(t, os.Symlink(filepath.Join(top, "outside"), filepath.Join(root, "way")))
	if err := Restore(root, []File{{Path: "way/f", Mode: 0o644, Data: []byte("gone")}}); err == nil {
		t.Error("a link led out")
	}
	if b, _ := os.ReadFile(filepath.Join(top, "outside", "f")); string(b) != "safe" {
		t.Errorf("the file outside holds %q", b)
	}
}

// TestRestoreUnderSwaps: the folder of an output is swapped with a link that leads out while it is
// restored.
func TestRestoreUnderSwaps(t *testing.T) {
	book := fault.Open(t, "output of a stage restored while its folder is swapped with a link")
	top := t.TempDir()
	root, outside := filepath.Join(top, "root"), filepath.Join(top, "outside")
	way, aside := filepath.Join(root, "way"), filepath.Join(root, "aside")
	fault.Write(t, filepath.Join(way, "f"), "in")
	fault.Write(t, filepath.Join(outside, "f"), "safe")
	ctx, cancel := context.WithCancel(t.Context())
	var swaps sync.WaitGroup
	swaps.Go(func() {
		for ctx.Err() == nil { // Restore makes the folder again where it finds none, so a step may fail
			_ = os.Rename(way, aside)
			_ = os.Symlink(outside, way)
			_ = os.Remove(way)
			_ = os.Rename(aside, way)
		}
	})
	for i := range 30 * fault.Rounds() {
		verdict := fault.Whole
		if Restore(root, []File{{Path: "way/f", Mode: 0o644, Data: []byte(strconv.Itoa(i))}}) != nil {
			verdict = fault.Refused
		}
		left, err := os.ReadDir(outside)
		if b, _ := os.ReadFile(filepath.Join(outside, "f")); string(b) != "safe" || err != nil || len(left) != 1 {
			t.Errorf("round %d: the file outside holds %q, beside it %v, %v", i, b, left, err)
			verdict = fault.Wrong
		}
		book.Add(verdict, 1)
	}
	cancel()
	swaps.Wait()
}
