package checkout

import (
	"context"
	"errors"
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

// RunHistory keeps the log up to date with git: it reads the history whenever there is a sign that
// git has changed something. Only the cursor in the log and the refs decide what is new.
func (t *Set) RunHistory(ctx context.Context) error {
	timer := time.NewTimer(lookEvery)
	defer timer.Stop()
	again := lookAgain
	for first := true; ; first = false {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-t.HeadMoved:
		}
		if !first && !schedule.Pause(ctx, headRest) {
			return nil
		}
		timer.Reset(lookEvery)
		if t.Settings.Paused() {
			continue
		}
		err := t.reconcile(ctx, first)
		if err == nil {
			again = lookAgain
			continue
		}
		if ctx.Err() == nil {
			t.Info.Warn("history not read", "err", err)
			t.ended("failed", err.Error())
			timer.Reset(again)
			again = min(2*again, lookAtMost)
		}
	}
}

// reconcile reads what is new and then lists the files again. The first time, if there were no new
// commits, it lists only those checkouts again whose list is brief, because all other lists are as
// new as the daemon.
func (t *Set) reconcile(ctx context.Context, first bool) error {
	begin := t.Now()
	cursor, err := t.DB.Cursor(ctx)
	if err != nil {
		return err
	}
	t.imports.change(func(a *api.ImportAnswer) { a.History = api.Progress{State: running} })
	commits := 0
	err = t.Home.History(ctx, cursor, func(done, total int) {
		t.imports.change(func(a *api.ImportAnswer) { a.History.Done, a.History.Total = done, total })
	}, func(batch []event.Event, cursor map[string]string) error {
		commits += len(batch)
		return t.Events.AppendHistory(ctx, batch, cursor)
	})
	if errors.Is(err, watcher.ErrNoTrees) {
		t.Alert.Warn("history is not learned", "err", err)
		err = nil
	}
	if err != nil {
		return err
	}
	t.Refresh(ctx, first && commits == 0)
	for _, w := range t.All() {
		_, _ = w.Branch(ctx) // read it now, not at the next prompt
		if _, err := w.History(ctx); err != nil {
			return err
		}
	}
	t.ended("done", "")
	t.sketches.due.Give()
	if commits > 0 {
		t.Info.Info("history read", "events", commits, "took", t.Now().Sub(begin))
		return t.Events.Save(ctx)
	}
	return nil
}

// ask makes RunHistory read the history again. From now on it counts as running, because the caller
// waits for what is new.
func (t *Set) ask() {
	t.imports.change(func(a *api.ImportAnswer) {
		a.History = api.Progress{State: running}
		t.HeadMoved.Give()
	})
}

// ended records the end of one reading. The state remains running if the history is to be read
// again, because this reading may have missed what is new.
func (t *Set) ended(state, why string) {
	t.imports.change(func(a *api.ImportAnswer) {
		if p := &a.History; len(t.HeadMoved) == 0 {
			if p.State, p.Error = state, why; state == "done" {
				p.Done = max(p.Done, p.Total)
			}
		}
	})
}
