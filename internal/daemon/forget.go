package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/stage"
	"github.com/aoa-dev/aoa/internal/team"
)

// eraser removes what somebody wants to be forgotten from every store.
type eraser struct {
	base
	db        *cold.DB
	events    *eventLog
	scores    *scores
	team      *team.Team
	worktrees *checkout.Set
	blobs     *cold.Blobs
	stages    *stage.Cache
	stop      context.CancelCauseFunc

	erasing sync.Mutex // held while something is forgotten

	mu  sync.Mutex // guards err
	err error      // why something that was to be forgotten is not gone yet
}

// forget removes what the user names from every store, down to the bytes in the database file.
func (r *eraser) forget(ctx context.Context, req api.ForgetRequest) (api.ForgetAnswer, error) {
	var out api.ForgetAnswer
	if req.Origin != "" && req == (api.ForgetRequest{Origin: req.Origin}) {
		return r.forgetOrigin(ctx, req.Origin)
	}
	if req.Origin != "" || (cold.ForgetFilter{Path: req.File, Session: req.Session, Since: req.Since}).Check() != nil {
		return out, api.Bad("aoa forget PATH, or aoa forget with --session, --since or --origin",
			"name exactly one thing to forget")
	}
	if req.File != "" {
		p, err := event.NewPath(strings.TrimSuffix(string(req.File), "/"))
		if err != nil {
			return out, api.Bad("use a path as aoa log prints it", "%v", err)
		}
		req.File = p
	}
	r.erasing.Lock()
	defer r.erasing.Unlock()
	e, err := newErasure(r.settings.Store, cold.ForgetFilter{Path: req.File, Session: req.Session, Since: req.Since},
		r.now())
	if err != nil {
		return out, err
	}
	// The intention is on the disk: a caller that goes away does not end it half done.
	return r.erase(context.WithoutCancel(ctx), e)
}

// erase does what is left to do of an erasure: the log, the other stores, then the bytes. An error leaves the rest for
// run. Once something is out of the log, the daemon opens its stores again: what it had in memory goes with it.
// r.erasing is held.
func (r *eraser) erase(ctx context.Context, e *erasure) (out api.ForgetAnswer, err error) {
	defer func() {
		if err != nil {
			r.notErased(err)
		}
		if r.scores.void.Load() {
			r.stop(errForgot)
		}
	}()
	if !e.Log {
		err := r.events.Exclusive(ctx, func() (int64, error) { return r.forgetLog(ctx, e, &out) })
		if err != nil {
			return out, fmt.Errorf("not forgotten yet, it is tried again every minute and at every start: %w", err)
		}
	}
	if out.Results, err = r.forgetStores(ctx, e); err != nil {
		return out, fmt.Errorf("out of the log, but not yet out of every store, it is tried again every minute and at every start: %w", err)
	}
	if err := cold.ScrubFolder(ctx, r.settings.Store, r.db.File); err != nil {
		return out, fmt.Errorf("forgotten, but the bytes are still on the disk, aOa overwrites them when it can: %w", err)
	}
	return out, e.remove()
}

// forgetLog removes it from the log, together with the snapshot, and lets the other clones know. It returns the
// number of the newest batch.
func (r *eraser) forgetLog(ctx context.Context, e *erasure, out *api.ForgetAnswer) (seq int64, err error) {
	r.scores.saving.Lock()
	defer r.scores.saving.Unlock()
	seq = r.events.queue.last()
	if !e.Told {
		if err := r.team.Forget(ctx, filterOf(e.filter())); err != nil {
			return seq, err
		}
		e.Told = true
		if err := e.save(); err != nil {
			return seq, err
		}
	}
	gone, err := r.db.Forget(ctx, e.filter())
	if err != nil {
		return seq, err
	}
	countForgotten(out, gone)
	r.scores.void.Store(true)
	e.Log = true
	return seq, e.save()
}

// forgetStores removes it from everything but the log.
func (r *eraser) forgetStores(ctx context.Context, e *erasure) (results int, err error) {
	if e.Stores {
		return 0, nil
	}
	f := e.filter()
	_, err = r.blobs.Forget(ctx, f)
	results, serr := r.stages.Forget(ctx, f)
	var cerr error
	if f.Path != "" {
		cerr = r.worktrees.ForgetContents(f.Path)
	}
	if err = errors.Join(err, serr, cerr); err != nil {
		return results, err
	}
	e.Stores = true
	return results, e.save()
}

// countForgotten counts what is gone.
func countForgotten(out *api.ForgetAnswer, gone cold.Forgotten) {
	out.Events, out.Files, out.Commits = len(gone.Events), max(len(filesOf(gone.Events)), gone.Files), gone.Commits
}

// filesOf are the files that events name first.
func filesOf(events []event.Event) map[event.Path]bool {
	files := map[event.Path]bool{}
	for _, e := range events {
		for _, p := range e.Paths {
			files[p] = true
		}
	}
	return files
}
