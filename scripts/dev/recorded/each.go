package recorded

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/aoa-dev/aoa/rank"
)

// Each calls fn for 0 to n-1, as many at once as there are processors, and returns the first error.
// An error cancels the context of the others.
func Each(ctx context.Context, n int, fn func(ctx context.Context, i int) error) error {
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		all.Go(func() error { return fn(ctx, i) })
	}
	return all.Wait()
}

// Weights returns o with the weights in dir that were fitted without a repository (train fit
// -left), from the file OWNER+NAME.json. Without dir these are the shipped weights.
func Weights(o Options, dir, name string) (Options, error) {
	if dir == "" {
		return o, nil
	}
	data, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(name, "/", "+")+".json"))
	if err != nil {
		return o, err
	}
	models, texts, err := rank.Parse(data)
	o.Models, o.Texts = models, &texts
	return o, err
}
