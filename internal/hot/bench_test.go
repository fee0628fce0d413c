package hot_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/scripts/fault"
)

var benchNow = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// filled is an embedded store that knows n files, a fifth of them with eight partners, as a history import leaves it.
func filled(tb testing.TB, n int) (*hot.Store, []string) {
	tb.Helper()
	s := hot.New(nil)
	r := rand.New(rand.NewPCG(1, 2))
	files := make([]string, n)
	for i := range files {
		files[i] = fmt.Sprintf("services/module%03d/internal/package%02d/file%06d.go", i/200, i/20%10, i)
	}
	b := hot.NewBatch()
	for i, f := range files {
		at := benchNow.Add(-time.Duration(r.IntN(1e7)) * time.Second)
		b.Stamp(hot.Recency, f, at)
		b.Stamp(hot.Committed, f, at)
		for _, fam := range []*hot.Family{hot.Frequency, hot.Churn, hot.Changes, hot.Sessions} {
			b.Add(fam, "", f, at, 1)
		}
		for range 8 {
			if i%5 == 0 {
				p := files[r.IntN(n)]
				b.Add(hot.Comod, f, p, at, r.Float64())
				b.Add(hot.Coaccess, f, p, at, r.Float64())
			}
		}
	}
	for i := range 200 {
		for range 64 {
			b.Add(hot.TermFiles, fmt.Sprintf("term%d", i), files[r.IntN(n)], benchNow, 1)
			b.Add(hot.TagFiles, fmt.Sprintf("tag%d", i%10), files[r.IntN(n)], benchNow, 1)
		}
	}
	s.Apply(b)
	return s, files
}

var benchSizes = []int{1000, 10000, 100000}

// BenchmarkApply is an open of a file with ten partners in its session, one batch each.
func BenchmarkApply(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, files := filled(b, n)
			r := rand.New(rand.NewPCG(3, 4))
			seq := int64(1)
			for b.Loop() {
				at := benchNow.Add(time.Duration(seq) * time.Second)
				f := files[r.IntN(n)]
				batch := hot.NewBatch()
				batch.Stamp(hot.Recency, f, at)
				for _, fam := range []*hot.Family{hot.Frequency, hot.Sessions} {
					batch.Add(fam, "", f, at, 1)
				}
				for range 10 {
					p := files[r.IntN(n)]
					batch.Add(hot.Coaccess, f, p, at, 1)
					batch.Add(hot.Coaccess, p, f, at, 1)
				}
				batch.Add(hot.TagFiles, "go", f, at, 1)
				batch.Add(hot.FileTags, f, "go", at, 1)
				seq++
				s.Apply(batch)
				if seq%1000 == 0 {
					tick := hot.NewBatch()
					tick.Trim(at)
					seq++
					s.Apply(tick)
				}
			}
		})
	}
}

// BenchmarkView is the shape of a query: 20 owned sets, then four global scores of 150 candidates.
func BenchmarkView(b *testing.B) {
	for _, n := range benchSizes {
		s, files := filled(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(5, 6))
			candidates := make([]string, 150)
			b.ReportAllocs()
			for b.Loop() {
				v := s.View(benchNow)
				for i := range 5 {
					f := files[r.IntN(n)/5*5]
					v.Top(hot.Comod, f, 64)
					v.Top(hot.Coaccess, f, 64)
					v.Top(hot.TermFiles, fmt.Sprintf("term%d", i), 64)
				}
				for i := range candidates {
					candidates[i] = files[r.IntN(n)]
				}
				for _, fam := range []*hot.Family{hot.Recency, hot.Frequency, hot.Churn, hot.Changes} {
					v.Of(fam, candidates)
				}
				fault.Check(b, v.Load(b.Context()))
			}
		})
	}
}

// BenchmarkSnapshot encodes 100,000 files.
func BenchmarkSnapshot(b *testing.B) {
	s, _ := filled(b, 100000)
	for b.Loop() {
		b.ReportMetric(float64(len(snapshot(b, s)))/1e6, "MB")
	}
}

// BenchmarkRestore loads 100,000 files.
func BenchmarkRestore(b *testing.B) {
	s, _ := filled(b, 100000)
	data := snapshot(b, s)
	for b.Loop() {
		fault.Check(b, hot.New(nil).Restore(data))
	}
}

// BenchmarkHeap is what 100,000 files take, learned in one batch and restored from their snapshot.
func BenchmarkHeap(b *testing.B) {
	heap := func() float64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / 1e6
	}
	for b.Loop() {
		before := heap()
		s, _ := filled(b, 100000)
		b.ReportMetric(heap()-before, "learned-MB")
		data := snapshot(b, s)
		s = hot.New(nil)
		before = heap()
		fault.Check(b, s.Restore(data))
		b.ReportMetric(heap()-before, "restored-MB")
		runtime.KeepAlive(data)
		runtime.KeepAlive(s)
	}
}
