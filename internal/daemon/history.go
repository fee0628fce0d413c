package daemon

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/watcher"
)

// headRest is how long HEAD must rest before it is read: a rebase moves it many times, and the
// hooks of one operation arrive together.
const headRest = 80 * time.Millisecond

// Looking without a hint: so often, and after a failure.
const (
	lookEvery  = 10 * time.Minute
	lookAgain  = 2 * time.Second // doubles with every failure
	lookAtMost = 5 * time.Minute
)

// historyReader brings the store to what git knows.
type historyReader struct {
	base
	repo      *watcher.Repo
	db        *cold.DB
	events    *eventLog
	worktrees *checkout.Set
	flush     func(context.Context) error
	headMoved chan struct{} // HEAD may have moved; capacity 1

	mu    sync.Mutex // guards state
	state api.Progress
}

// run brings the store to what git knows, whenever something hints that git changed. A hint is no
// fact: the cursor in the log and the refs decide.
func (r *historyReader) run(ctx context.Context) error {
	timer := time.NewTimer(lookEvery)
	defer timer.Stop()
	again := lookAgain
	for first := true; ; first = false {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-r.headMoved:
		}
		if !first && !pause(ctx, headRest) {
			return nil
		}
		timer.Reset(lookEvery)
		if r.settings.Paused() {
			continue
		}
		err := r.reconcile(ctx, first)
		if err == nil {
			again = lookAgain
			continue
		}
		if ctx.Err() == nil {
			r.log.Warn("history not read", "err", err)
			r.ended("failed", err.Error())
			timer.Reset(again)
			again = min(2*again, lookAtMost)
		}
	}
}

func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// reconcile reads what is new. The first time the lists of files are as new as the daemon, except those that are brief.
func (r *historyReader) reconcile(ctx context.Context, first bool) error {
	begin := r.now()
	cursor, err := r.db.Cursor(ctx)
	if err != nil {
		return err
	}
	r.set(func(p *api.Progress) { *p = api.Progress{State: "running"} })
	commits := 0
	err = r.repo.History(ctx, watcher.HistoryOptions{Since: cursor, Progress: func(done, total int) {
		r.set(func(p *api.Progress) { p.Done, p.Total = done, total })
	}}, func(batch []event.Event, cursor map[string]string) error {
		commits += len(batch)
		return r.events.AppendHistory(ctx, batch, cursor)
	})
	if errors.Is(err, watcher.ErrNoTrees) {
		r.alert.Warn("history is not learned", "err", err)
		err = nil
	}
	if err != nil {
		return err
	}
	r.worktrees.Refresh(ctx, first && commits == 0)
	for _, w := range r.worktrees.All() {
		w.Branch(ctx) // now, rather than at the next prompt
	}
	r.ended("done", "")
	if commits > 0 {
		r.log.Info("history read", "events", commits, "took", r.now().Sub(begin))
		return r.flush(ctx)
	}
	return nil
}

// ask has the history read again. From now on it counts as running: who asked waits for what is new.
func (r *historyReader) ask() {
	r.set(func(p *api.Progress) {
		*p = api.Progress{State: "running"}
		signal(r.headMoved)
	})
}

// ended is the end of one reading. It stays running if it is to be read again: this reading may have missed what is
// new.
func (r *historyReader) ended(state, why string) {
	r.set(func(p *api.Progress) {
		if len(r.headMoved) == 0 {
			if p.State, p.Error = state, why; state == "done" {
				p.Done = max(p.Done, p.Total)
			}
		}
	})
}

func (r *historyReader) set(change func(*api.Progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.state)
}

// progress says how far the import is.
func (r *historyReader) progress() api.Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}
