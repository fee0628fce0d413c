package eval

import (
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/rank"
)

// Settings of an evaluation. The zero value works.
type Settings struct {
	Options
	Weights   func(repo string) map[event.Task]rank.Model // those of a repository; nil, or nil of one: the shipped ones
	Threshold float64                                     // confidence from which files are shown, in (0,1]; 0 is the daemon's
	Dump      *Dump                                       // nil: none
}

func (o Settings) threshold() float64 {
	if o.Threshold > 0 {
		return o.Threshold
	}
	return prefetch.Balanced
}

// Run evaluates every source, several at once, and puts the table together in the order of the sources.
func Run(ctx context.Context, sources []Source, o Settings) (*Report, error) {
	scores := make([]*Score, len(sources))
	bar := newBar(sources, o.Progress)
	err := Each(ctx, len(sources), func(ctx context.Context, i int) (err error) {
		scores[i], err = one(ctx, sources[i], o, bar.part(i))
		return err
	})
	if err != nil {
		return nil, err
	}
	return report(sources, scores), nil
}

// Each calls fn for 0 to n-1, as many at once as there are processors, and returns the first error. An error cancels the
// context of the others.
func Each(ctx context.Context, n int, fn func(ctx context.Context, i int) error) error {
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		all.Go(func() error { return fn(ctx, i) })
	}
	return all.Wait()
}

// one evaluates one source: its sessions with its history, then its history alone.
func one(ctx context.Context, src Source, o Settings, progress func(pass, done, total int)) (*Score, error) {
	s := newScore(o)
	s.Counts.Sessions, s.Counts.Repeated, s.Counts.Unusable = len(src.Sessions), src.Repeated, src.Unusable
	replay := o.Options
	if o.Weights != nil {
		replay.Models = o.Weights(src.Name)
	}
	pass := func(n int) {
		replay.Progress = func(done, total int) { progress(n, done, total) }
		replay.Learned = func(e event.Event) {
			s.event(e, n)
			s.baselines.learn(e)
		}
	}
	if len(src.Sessions) > 0 {
		pass(0)
		if err := Sessions(ctx, src, replay, s.Take); err != nil {
			return nil, err
		}
	}
	s.baselines = newBaselines()
	pass(1)
	err := Commits(ctx, src, replay, s.Take)
	s.baselines, s.scratch = nil, nil
	return s, err
}

// event counts what was looked at, once for both passes.
func (s *Score) event(e event.Event, pass int) {
	switch {
	case pass == 1 && e.Kind == event.KindCommit:
		s.Counts.Commits++
	case pass == 0 && opens(e):
		s.Counts.Events += len(e.Paths)
	case pass == 0 && (e.Kind == event.KindSearch || e.Kind == event.KindRun && e.Listing):
		s.Counts.Searches++
	}
}

// bar joins the progress of all repositories to one.
type bar struct {
	mu    sync.Mutex
	parts [][2][2]int
	tell  func(done, total int)
}

func newBar(sources []Source, tell func(done, total int)) *bar {
	b := &bar{parts: make([][2][2]int, len(sources)), tell: tell}
	for i, s := range sources {
		b.parts[i][1][1] = len(s.Commits)
		if len(s.Sessions) == 0 {
			continue
		}
		b.parts[i][0][1] = len(s.Commits)
		for _, rec := range s.Sessions {
			b.parts[i][0][1] += 2 * len(rec.Events)
		}
	}
	return b
}

func (b *bar) part(i int) func(pass, done, total int) {
	return func(pass, done, total int) {
		if b.tell == nil {
			return
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.parts[i][pass] = [2]int{done, total}
		done, total = 0, 0
		for _, p := range b.parts {
			done += p[0][0] + p[1][0]
			total += p[0][1] + p[1][1]
		}
		b.tell(done, total)
	}
}
