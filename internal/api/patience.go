package api

import (
	"context"
	"time"
)

// A daemon that has just started answers before it has read the contents of the files, for a hook cannot wait for them.
// Whoever can asks again that often, for so long.
const (
	askAgain = 50 * time.Millisecond
	askFor   = time.Second
)

// Patiently asks until the answer rests on the contents of the files, too, or a second is over; then the last one counts.
func Patiently[A interface{ Early() bool }](ctx context.Context, ask func() (A, error)) (A, error) {
	over := time.NewTimer(askFor)
	defer over.Stop()
	again := time.NewTicker(askAgain)
	defer again.Stop()
	for {
		a, err := ask()
		if err != nil || !a.Early() {
			return a, err
		}
		select {
		case <-again.C:
		case <-over.C:
			return a, nil
		case <-ctx.Done():
			return a, ctx.Err()
		}
	}
}
