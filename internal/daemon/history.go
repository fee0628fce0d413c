package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/watcher"
)

// settleHead is how long HEAD must be left alone before it is looked at: a rebase moves it many times, and the
// hooks of one operation arrive together.
const settleHead = 80 * time.Millisecond

// Looking without a hint: so often, and after a failure.
const (
	lookEvery  = 10 * time.Minute
	lookAgain  = 2 * time.Second // doubles with every failure
	lookAtMost = 5 * time.Minute
)

// manyCommits change so much that a full snapshot is written, in blocks: the next start reads it faster.
const manyCommits = 1000

// reconciler brings the store to what git knows, whenever something hints that git changed. A hint is never
// taken for a fact: the cursor in cold and the refs decide.
func (r *historyReader) reconciler(ctx context.Context) error {
	timer := time.NewTimer(lookEvery)
	defer timer.Stop()
	again := lookAgain
	for first := true; ; first = false {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-r.look:
		}
		if !first && !pause(ctx, settleHead) {
			return nil
		}
		timer.Reset(lookEvery)
		if r.settings.paused() {
			continue
		}
		err := r.reconcile(ctx, first)
		if err == nil {
			again = lookAgain
			continue
		}
		if ctx.Err() == nil {
			r.log.Warn("history not read", "err", err)
			r.setHead(func(p *api.Progress) { p.State, p.Error = "failed", err.Error() })
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

// reconcile reads what is new. The first time the lists of files are as new as the daemon, but for those that are brief.
func (r *historyReader) reconcile(ctx context.Context, first bool) error {
	begin := r.now()
	cursor, err := r.db.Cursor(ctx)
	if err != nil {
		return err
	}
	r.setHead(func(p *api.Progress) { *p = api.Progress{State: "running"} })
	commits := 0
	err = r.o.Repo.History(ctx, watcher.HistoryOptions{Since: cursor, Progress: func(done, total int) {
		r.setHead(func(p *api.Progress) { p.Done, p.Total = done, total })
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
	r.mu.Lock()
	all := make([]*worktree, 0, len(r.worktrees))
	for _, w := range r.worktrees {
		all = append(all, w)
	}
	r.mu.Unlock()
	for _, w := range all {
		if !first || commits > 0 || w.brief.Load() {
			w.refresh(ctx, h)
		}
	}
	r.mu.Lock()
	clear(r.places) // worktrees may have come and gone
	r.mu.Unlock()
	r.setHead(func(p *api.Progress) { p.State, p.Done = "done", max(p.Done, p.Total) })
	if commits > 0 {
		r.log.Info("history read", "events", commits, "took", r.now().Sub(begin))
		if commits >= manyCommits {
			r.mu.Lock()
			r.whole = true
			r.mu.Unlock()
		}
		return r.snapshot(ctx)
	}
	return nil
}

func (r *historyReader) setHead(change func(*api.Progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.head)
}

// importingNow reports whether history or transcripts are being read.
func (r *historyReader) importingNow() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.head.State == "running" || r.past.Transcripts.State == "running"
}
