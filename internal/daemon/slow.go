package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/aoa-dev/aoa/internal/hot"
)

// A server may be too slow for the questions of hooks, which have some 10 ms for it, and well otherwise: far away, or
// on a busy machine. Then questions are answered from what this daemon knows, and what it learns is sent all the same.

// quickEnough is what a question of the server may take to be asked again.
const quickEnough = 10 * time.Millisecond

// ask lets questions ask the server.
func (s *sharing) ask(l *link) {
	s.hot.Share(l.far, func(err error) {
		select {
		case s.lost <- err:
		default:
		}
	})
}

// watchLost waits for a question that found the server gone. Of one that found it slow it makes a note: the questions
// have turned away from it by themselves.
func (s *sharing) watchLost(ctx context.Context) error {
	for {
		select {
		case err := <-s.lost:
			if !errors.Is(err, hot.ErrSlow) {
				return err
			}
			s.mu.Lock()
			s.slow = true
			s.mu.Unlock()
			s.log.Info("the shared server is slow: questions are answered from what this daemon knows", "server", backend(s.url), "err", err)
		case <-ctx.Done():
			return nil
		}
	}
}

// quicken tries whether a slow server is quick again.
func (s *sharing) quicken(ctx context.Context, l *link) {
	s.mu.Lock()
	slow := s.slow
	s.mu.Unlock()
	if !slow {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, quickEnough)
	defer cancel()
	v := l.far.View(s.now())
	v.Of(hot.Frequency, []string{"probe"})
	if v.Load(ctx) != nil {
		return
	}
	s.mu.Lock()
	s.slow = false
	s.mu.Unlock()
	s.ask(l)
	s.log.Info("the shared server is quick again", "server", backend(s.url))
}
