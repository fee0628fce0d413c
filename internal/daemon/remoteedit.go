package daemon

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/hot/redis"
)

// Bounds of the edits that others are notified of.
const (
	noticeLife = time.Hour // an edit's age
	maxOthers  = 4096      // files that others are known to have edited
)

// remoteEdits are the recent edits that the daemons of a shared server notify each other of.
type remoteEdits struct {
	now func() time.Time

	mu    sync.Mutex // guards edits
	edits map[event.Path]hot.Notice
}

// add adds to a batch what the other daemons are notified of: recent edits.
func (r *remoteEdits) add(_ context.Context, b *hot.Batch, events []event.Event) error {
	now := r.now()
	for _, e := range events {
		switch e.Kind {
		case event.KindEdit, event.KindWrite, event.KindSave:
			for _, p := range e.Paths {
				if now.Sub(e.Time) < noticeLife {
					b.Notice(hot.Notice{Session: e.Session, Agent: e.Agent, File: p, At: e.Time})
				}
			}
		}
	}
	return nil
}

// listen reads the notices of others, when woken and at intervals.
func (r *remoteEdits) listen(ctx context.Context, far *redis.Store) error {
	woken := make(chan struct{}, 1)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		err := far.Wakes(ctx, func() { signal(woken) })
		if ctx.Err() != nil {
			return nil
		}
		return err
	})
	g.Go(func() error {
		look := time.NewTicker(shareLook)
		defer look.Stop()
		for last := ""; ; {
			var found []hot.Notice
			var err error
			if found, last, err = far.Notices(ctx, last); err != nil && ctx.Err() == nil {
				return err
			}
			r.note(found)
			select {
			case <-ctx.Done():
				return nil
			case <-woken:
			case <-look.C:
			}
		}
	})
	return g.Wait()
}

func (r *remoteEdits) note(ns []hot.Notice) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.edits)+len(ns) > maxOthers {
		clear(r.edits)
	}
	for _, n := range ns {
		if n.At.After(r.edits[n.File].At) {
			r.edits[n.File] = n
		}
	}
}

// newest returns when another daemon's agent changed a file last; zero if none did.
func (r *remoteEdits) newest(p event.Path) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.edits[p].At
}
