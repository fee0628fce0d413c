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
func (h *house) reconciler(ctx context.Context) error {
	timer := time.NewTimer(lookEvery)
	defer timer.Stop()
	again := lookAgain
	for first := true; ; first = false {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-h.look:
		}
		if !first && !pause(ctx, settleHead) {
			return nil
		}
		timer.Reset(lookEvery)
		if h.paused() {
			continue
		}
		err := h.reconcile(ctx, first)
		if err == nil {
			again = lookAgain
			continue
		}
		if ctx.Err() == nil {
			h.o.Log.Warn("history not read", "err", err)
			h.setHead(func(p *api.Progress) { p.State, p.Error = "failed", err.Error() })
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
func (h *house) reconcile(ctx context.Context, first bool) error {
	begin := h.o.Now()
	cursor, err := h.db.Cursor(ctx)
	if err != nil {
		return err
	}
	h.setHead(func(p *api.Progress) { *p = api.Progress{State: "running"} })
	commits := 0
	err = h.o.Repo.History(ctx, watcher.HistoryOptions{Since: cursor, Progress: func(done, total int) {
		h.setHead(func(p *api.Progress) { p.Done, p.Total = done, total })
	}}, func(batch []event.Event, cursor map[string]string) error {
		commits += len(batch)
		return h.journal.Commits(ctx, batch, cursor)
	})
	if errors.Is(err, watcher.ErrNoTrees) {
		h.loud.Warn("history is not learned", "err", err)
		err = nil
	}
	if err != nil {
		return err
	}
	h.mu.Lock()
	all := make([]*worktree, 0, len(h.worktrees))
	for _, w := range h.worktrees {
		all = append(all, w)
	}
	h.mu.Unlock()
	for _, w := range all {
		if !first || commits > 0 || w.brief.Load() {
			w.refresh(ctx, h)
		}
	}
	h.mu.Lock()
	clear(h.places) // worktrees may have come and gone
	h.mu.Unlock()
	h.setHead(func(p *api.Progress) { p.State, p.Done = "done", max(p.Done, p.Total) })
	if commits > 0 {
		h.o.Log.Info("history read", "events", commits, "took", h.o.Now().Sub(begin))
		if commits >= manyCommits {
			h.mu.Lock()
			h.whole = true
			h.mu.Unlock()
		}
		return h.snapshot(ctx)
	}
	return nil
}

func (h *house) setHead(change func(*api.Progress)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change(&h.head)
}

// importingNow reports whether history or transcripts are being read.
func (h *house) importingNow() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.head.State == "running" || h.past.Transcripts.State == "running"
}
