package pipeline

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"
)

// ErrSkipped is the result of a stage that waits for a failed one.
var ErrSkipped = errors.New("a stage before it failed")

// Run calls do for each stage once the stages that it needs are done, at most width at a time, and
// waits for all. If a stage fails for which must is true, stages that have not begun are not
// called. It returns the result of each stage; ctx ends all.
func (p Plan) Run(ctx context.Context, width int, must func(stage int) bool,
	do func(ctx context.Context, stage int) error) []error {
	results := make([]error, len(p.Order))
	done := make([]chan struct{}, len(p.Order))
	for i := range done {
		done[i] = make(chan struct{})
	}
	slots := make(chan struct{}, max(1, width))
	stopped, stop := context.WithCancel(ctx)
	defer stop()
	var g errgroup.Group
	for _, i := range p.Order {
		g.Go(func() error {
			defer close(done[i])
			for _, n := range p.Needs[i] {
				<-done[n]
				if results[n] != nil && must(n) {
					results[i] = ErrSkipped
				}
			}
			if results[i] != nil {
				return nil
			}
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
			case <-stopped.Done():
			}
			if stopped.Err() != nil {
				results[i] = ErrSkipped
				return nil
			}
			if results[i] = do(ctx, i); results[i] != nil && must(i) {
				stop()
			}
			return nil
		})
	}
	_ = g.Wait() // the errors are in results
	return results
}
