package recorded

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
)

// Each calls fn for 0 to n-1, as many at once as there are processors, and returns the first error. An error cancels
// the context of the others.
func Each(ctx context.Context, n int, fn func(ctx context.Context, i int) error) error {
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		all.Go(func() error { return fn(ctx, i) })
	}
	return all.Wait()
}

// Ratio is a sum over questions and their number.
type Ratio struct{ Sum, N float64 }

// Value is the mean, 0 without questions.
func (r Ratio) Value() float64 {
	if r.N == 0 {
		return 0
	}
	return r.Sum / r.N
}

// draws of the bootstrap: more does not change the second digit.
const draws = 1000

// Interval is a 95 % interval of the mean over repositories, each given by the sums of its clusters: sessions, or
// commits. It draws repositories, and in each as many clusters as it has, both with replacement. A fixed seed: the same
// record gives the same interval.
func Interval(repos [][]Ratio) [2]float64 {
	random := rand.New(rand.NewPCG(1, uint64(len(repos))))
	means := make([]float64, 0, draws)
	for range draws {
		sum, n := 0.0, 0.0
		for range repos {
			clusters := repos[random.IntN(len(repos))]
			var r Ratio
			for range clusters {
				c := clusters[random.IntN(len(clusters))]
				r.Sum, r.N = r.Sum+c.Sum, r.N+c.N
			}
			if r.N > 0 {
				sum, n = sum+r.Value(), n+1
			}
		}
		if n > 0 {
			means = append(means, sum/n)
		}
	}
	if len(means) == 0 {
		return [2]float64{}
	}
	slices.Sort(means)
	return [2]float64{means[len(means)*25/1000], means[min(len(means)-1, len(means)*975/1000)]}
}
