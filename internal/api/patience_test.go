package api

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

type early bool

func (e early) Early() bool { return bool(e) }

// TestPatiently: an early answer is asked for again until there is a whole one, for a second.
func TestPatiently(t *testing.T) {
	for _, c := range []struct {
		name   string
		whole  int // the answer that is
		asked  int
		took   time.Duration
		failed int
	}{{name: "at once", whole: 1, asked: 1}, {name: "soon", whole: 4, asked: 4, took: 150 * time.Millisecond},
		{name: "never", whole: 1000, asked: 20, took: time.Second}, {name: "an error", whole: 9, failed: 2, asked: 2, took: 50 * time.Millisecond}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin, asked := time.Now(), 0
				got, err := Patiently(t.Context(), func() (early, error) {
					if asked++; asked == c.failed {
						return true, errors.New("gone")
					}
					return asked < c.whole, nil
				})
				if d := asked - c.asked; d < 0 || d > 1 || time.Since(begin) != c.took || (err != nil) != (c.failed > 0) || bool(got) != (asked < c.whole) {
					t.Errorf("asked %d times in %v: %v, %v", asked, time.Since(begin), got, err)
				}
			})
		})
	}
}
