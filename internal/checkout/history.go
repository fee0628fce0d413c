package checkout

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/schedule"
	"github.com/aoa-dev/aoa/watcher"
)

// headRest is how long HEAD must rest before it is read, because a rebase moves it many times, and
// the hooks of one operation arrive together.
const headRest = 80 * time.Millisecond

// How often git is asked without a sign that something changed, and after a failure.
const (
	lookEvery  = 10 * time.Minute
	lookAgain  = 2 * time.Second // doubles with every failure
	lookAtMost = 5 * time.Minute
)

// History keeps the log up to date with git.
type History struct {
	set *Set

	mu    sync.Mutex // guards state
	state api.Progress
}

// NewHistory returns a History that has read nothing yet.
func NewHistory(set *Set) *History { return &History{set: set, state: api.Progress{State: "idle"}} }

// Run updates the store whenever there is a sign that git has changed something. Only the cursor in
// the log and the refs decide what is new.
func (r *History) Run(ctx context.Context) error {
	timer := time.NewTimer(lookEvery)
	defer timer.Stop()
	again := lookAgain
	for first := true; ; first = false {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-r.set.HeadMoved:
		}
		if !first && !schedule.Pause(ctx, headRest) {
			return nil
		}
		timer.Reset(lookEvery)
		if r.set.Settings.Paused() {
			continue
		}
		err := r.reconcile(ctx, first)
		if err == nil {
			again = lookAgain
			continue
		}
		if ctx.Err() == nil {
			r.set.Info.Warn("history not read", "err", err)
			r.ended("failed", err.Error())
			timer.Reset(again)
			again = min(2*again, lookAtMost)
		}
	}
}

// reconcile reads what is new and then lists the files again. The first time, if there were no new
// commits, it lists only those checkouts again whose list is brief, because all other lists are as
// new as the daemon.
func (r *History) reconcile(ctx context.Context, first bool) error {
	begin := r.set.Now()
	cursor, err := r.set.DB.Cursor(ctx)
	if err != nil {
		return err
	}
	r.change(func(p *api.Progress) { *p = api.Progress{State: "running"} })
	commits := 0
	err = r.set.Home.History(ctx, watcher.HistoryOptions{Since: cursor, Progress: func(done, total int) {
		r.change(func(p *api.Progress) { p.Done, p.Total = done, total })
	}}, func(batch []event.Event, cursor map[string]string) error {
		commits += len(batch)
		return r.set.Events.AppendHistory(ctx, batch, cursor)
	})
	if errors.Is(err, watcher.ErrNoTrees) {
		r.set.Alert.Warn("history is not learned", "err", err)
		err = nil
	}
	if err != nil {
		return err
	}
	r.set.Refresh(ctx, first && commits == 0)
	for _, w := range r.set.All() {
		_, _ = w.Branch(ctx) // read it now, not at the next prompt
		if _, err := w.History(ctx); err != nil {
			return err
		}
	}
	r.ended("done", "")
	r.set.sketches.due.Give()
	if commits > 0 {
		r.set.Info.Info("history read", "events", commits, "took", r.set.Now().Sub(begin))
		return r.set.Events.Save(ctx)
	}
	return nil
}

// Ask makes Run read the history again. From now on it counts as running, because the caller waits
// for what is new.
func (r *History) Ask() {
	r.change(func(p *api.Progress) {
		*p = api.Progress{State: "running"}
		r.set.HeadMoved.Give()
	})
}

// ended records the end of one reading. The state remains running if the history is to be read
// again, because this reading may have missed what is new.
func (r *History) ended(state, why string) {
	r.change(func(p *api.Progress) {
		if len(r.set.HeadMoved) == 0 {
			if p.State, p.Error = state, why; state == "done" {
				p.Done = max(p.Done, p.Total)
			}
		}
	})
}

func (r *History) change(do func(*api.Progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do(&r.state)
}

// Progress returns how far the import is.
func (r *History) Progress() api.Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}
