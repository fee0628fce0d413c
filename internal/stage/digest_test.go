package stage

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/fault"
)

// clock is a time that tests move.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func write1(t testing.TB, name, text string) {
	t.Helper()
	fault.Check(t, os.MkdirAll(filepath.Dir(name), 0o755))
	fault.Check(t, os.WriteFile(name, []byte(text), 0o644))
}

// TestRacyWindow: a digest that was computed within the window of the file's last change is not remembered, however
// often it is asked for: the file could change again and look the same. After the window it is.
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
