package hot_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

var benchNow = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// filled is an embedded store that knows n files, a fifth of them with eight partners, as a history
// import leaves it.
func filled(tb testing.TB, n int) (*hot.Store, []string) {
	tb.Helper()
	s := hot.New(nil)
	r := rand.New(rand.NewPCG(1, 2))
	files := make([]string, n)
	for i := range files {
		files[i] = fmt.Sprintf("services/module%03d/internal/package%02d/file%06d.go", i/200, i/20%10, i)
	}
	b := s
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
	return s, files
}

var benchSizes = []int{1000, 10000, 100000}

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
