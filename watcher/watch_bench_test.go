package watcher

import (
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/fault"
)

// BenchmarkStart opens a worktree of 2,000 folders and 4,000 files: list, watch, scan.
func BenchmarkStart(b *testing.B) {
	d := newRepository(b)
	for i := range 2000 {
		d.write(fmt.Sprintf("g%d/d%d/a.go", i%20, i), "x")
		d.write(fmt.Sprintf("g%d/d%d/b.go", i%20, i), "x")
	}
	d.git("add", "-A")
	d.age()
	r, err := OpenRepo(b.Context(), d.dir, d.env)
	fault.Check(b, err)
	for b.Loop() {
		w := NewWatcher(r, testOptions(r, WatchOptions{}))
		w.start = time.Now()
		w.openOrPoll()
		fault.Check(b, w.begin(b.Context()))
		if st := w.Status(); st.Watched < 2000 {
			b.Fatalf("status %+v", st)
		}
		_ = w.src.close()
	}
}
