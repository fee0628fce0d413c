package rank

import (
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

// BenchmarkRank asks a repository of n known files, a fifth of them with partners, 8 on average.
func BenchmarkRank(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		w := crowd(b, n)
		r := w.ranker(Options{})
		for name, q := range map[string]event.Query{
			"open": {Task: event.TaskOpen, Session: "s", Current: file(0), At: epoch},
			"prompt": {Task: event.TaskPrompt, Session: "s", Prompt: "make the retry of package 3 honest, see pkg001/name2.go",
				At: epoch},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				if a := rankOf(b, r, q); len(a.Suggestions) == 0 {
					b.Fatal("nothing to rank")
				}
				b.ReportAllocs()
				for b.Loop() {
					rankOf(b, r, q)
				}
			})
		}
	}
}

func file(i int) event.Path { return event.Path(fmt.Sprintf("pkg%03d/name%d.go", i/40, i)) }

// crowd fills a store with n files and a session that works in a corner of it.
func crowd(b *testing.B, n int) *world {
	w := newWorld(b)
	batch := hot.NewBatch()
	files := make([]event.Path, n)
	for i := range files {
		files[i] = file(i)
		at := epoch.Add(-time.Duration(i%700) * time.Hour)
		batch.Stamp(hot.Recency, string(files[i]), at)
		batch.Stamp(hot.Committed, string(files[i]), at)
		batch.Add(hot.Frequency, "", string(files[i]), at, 2)
		batch.Add(hot.Changes, "", string(files[i]), at, 3)
		batch.Add(hot.Sessions, "", string(files[i]), at, 3)
		if i%5 == 0 || i < 40 {
			for k := range 8 {
				other := string(file((i + k*k + 1) % n))
				for _, f := range []*hot.Family{hot.Comod, hot.Coaccess} {
					batch.Add(f, string(files[i]), other, at, 1)
				}
			}
		}
	}
	w.tree.Add(files...)
	w.store.Apply(batch)
	w.prompt("s", epoch.Add(-time.Hour), "why does the retry of package 3 give up, see pkg002/name81.go")
	for i := range 12 {
		w.open("s", epoch.Add(time.Duration(i-60)*time.Minute), file(i))
	}
	w.search("s", epoch.Add(-time.Minute), "retry", nil, files[20:60])
	return w
}
