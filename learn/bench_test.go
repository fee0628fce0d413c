package learn_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/scripts/eventtest"
)

// BenchmarkLearn folds the mixed events of three sessions, in the batches that 100 ms of a busy day make and alone.
func BenchmarkLearn(b *testing.B) {
	for _, size := range []int{1, 64, 500} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			l, sessions := learn.New(hot.New(nil)), session.New()
			s := eventtest.NewSequence(1)
			n := 0
			for b.Loop() {
				batch := make([]event.Event, size)
				for i := range batch {
					for batch[i] = s.Next(); batch[i].Kind() == event.KindRename; {
						batch[i] = s.Next()
					}
				}
				l.Learn(sessions, batch...)
				n += size
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkImport folds 20,000 commits of one to eight files out of 5,000 in one batch.
func BenchmarkImport(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	commits := make([]event.Event, 20000)
	for i := range commits {
		e := event.Event{Time: start.Add(-time.Duration(i) * time.Hour),
			Body: event.Commit{Terms: []string{eventtest.Words[i%6]}}}
		area := r.IntN(250)
		for range 1 + r.IntN(8) {
			f := area*20 + r.IntN(20)
			eventtest.Set(&e, "Paths", append(e.Paths(),
				event.Path(fmt.Sprintf("internal/area%03d/package/file%04d.go", area, f))))
		}
		commits[i] = e
	}
	for b.Loop() {
		learn.New(hot.New(nil)).Learn(session.New(), commits...)
	}
	b.ReportMetric(float64(len(commits)*b.N)/b.Elapsed().Seconds(), "commits/s")
}
