package watcher

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// BenchmarkBurst writes 10,000 files and waits until all are emitted.
func BenchmarkBurst(b *testing.B) {
	const n = 10_000
	d := newCheckout(b)
	names := make([]string, n)
	for i := range n {
		names[i] = fmt.Sprintf("d%d/f%d.go", i%100, i)
		d.write(names[i], "x")
	}
	d.git("add", "-A")
	d.age()
	s := d.watch(WatchOptions{}, func(w *Watcher) { w.bulk = n + 1 })
	round := 0
	for b.Loop() {
		round++
		s.seen = nil
		content := []byte(fmt.Sprint("round ", round))
		for _, name := range names {
			if err := os.WriteFile(d.abs(name), content, 0o644); err != nil {
				b.Fatal(err)
			}
		}
		s.until("all saves", func() bool { return len(s.seen) >= n })
	}
	b.ReportMetric(float64(n*round)/b.Elapsed().Seconds(), "files/s")
}

// BenchmarkNote is what the draining goroutine does for one report.
func BenchmarkNote(b *testing.B) {
	in := newReports(&Repo{Root: "/r", GitDir: "/r/.git", CommonDir: "/r/.git"}, 100*time.Millisecond, 2*time.Second)
	names := make([]string, 10_000)
	for i := range names {
		names[i] = fmt.Sprintf("/r/some/folder%d/with/a/file%d.go", i%100, i)
	}
	i := 0
	for b.Loop() {
		in.add(fsnotify.Event{Name: names[i%len(names)], Op: fsnotify.Write}, noon)
		i++
	}
}

// BenchmarkStart opens a worktree of 2,000 folders and 4,000 files: list, watch, scan.
func BenchmarkStart(b *testing.B) {
	d := newCheckout(b)
	for i := range 2000 {
		d.write(fmt.Sprintf("g%d/d%d/a.go", i%20, i), "x")
		d.write(fmt.Sprintf("g%d/d%d/b.go", i%20, i), "x")
	}
	d.git("add", "-A")
	d.age()
	r, err := OpenRepo(b.Context(), d.root, d.env)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		w := NewWatcher(r, testOptions(r, WatchOptions{}))
		w.start = time.Now()
		w.openOrPoll()
		if err := w.begin(b.Context()); err != nil {
			b.Fatal(err)
		}
		if st := w.Status(); st.Watched < 2000 {
			b.Fatalf("status %+v", st)
		}
		_ = w.src.close()
	}
}
