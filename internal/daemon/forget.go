package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// forget takes out of both stores what the user names, down to the bytes in the database file.
func (e *eraser) forget(ctx context.Context, r api.ForgetRequest) (api.ForgetAnswer, error) {
	var out api.ForgetAnswer
	named := 0
	for _, set := range []bool{r.File != "", r.Session != "", !r.Since.IsZero()} {
		if set {
			named++
		}
	}
	if named != 1 {
		return out, api.Bad("aoa forget PATH, aoa forget --session ID or aoa forget --since TIME", "name exactly one thing to forget")
	}
	if r.File != "" {
		p, err := event.NewPath(strings.TrimSuffix(string(r.File), "/"))
		if err != nil {
			return out, api.Bad("use a path as aoa log prints it", "%v", err)
		}
		r.File = p
	}
	if _, err := e.sharing.linkedNow(); err != nil {
		return out, err
	}
	e.erasing.Lock()
	defer e.erasing.Unlock()
	e, err := newErasure(e.store, cold.ForgetFilter{Path: r.File, Session: r.Session, Since: r.Since}, e.now())
	if err != nil {
		return out, err
	}
	// The intention is on the disk: a caller that goes away does not end it half done.
	return e.erase(context.WithoutCancel(ctx), e)
}

// erase does what is left to do of an erasure: the log, the other stores, then the bytes. An error leaves the rest for
// eraser. Once something is out of the log, the daemon opens its stores again: what it had in memory goes with it.
// e.erasing is held.
func (e *eraser) erase(ctx context.Context, e *erasure) (out api.ForgetAnswer, err error) {
	defer func() {
		if err != nil {
			e.notErased(err)
		}
		if e.void.Load() {
			e.stop(errForgot)
		}
	}()
	if !e.Log {
		err := e.answers.without(func() error {
			return e.events.Exclusive(ctx, func() (int64, error) { return e.forgetLog(ctx, e, &out) })
		})
		if err != nil {
			return out, fmt.Errorf("not forgotten yet, it is tried again every minute and at every start: %w", err)
		}
	}
	if out.Results, err = e.forgetStores(ctx, e); err != nil {
		return out, fmt.Errorf("out of the log, but not yet out of every store, it is tried again every minute and at every start: %w", err)
	}
	if err := cold.ScrubFolder(ctx, e.store, e.db.File); err != nil {
		return out, fmt.Errorf("forgotten, but the bytes are still on the disk, aOa overwrites them when it can: %w", err)
	}
	return out, e.remove()
}

// forgetLog takes it out of the shared server and out of the log, together with the snapshot. It returns the number of
// the newest batch.
func (e *eraser) forgetLog(ctx context.Context, e *erasure, out *api.ForgetAnswer) (seq int64, err error) {
	e.saving.Lock()
	defer e.saving.Unlock()
	seq = e.events.queue.last()
	err = e.sharing.alone(ctx, func(l *link) error {
		if l != nil && !e.Server {
			if seq, err = e.forgetShared(ctx, l, e); err != nil {
				return err
			}
			e.Server = true
			if err := e.save(); err != nil {
				return err
			}
		}
		gone, err := e.db.Forget(ctx, e.filter())
		if err != nil {
			return err
		}
		count(out, gone)
		e.void.Store(true)
		e.Log = true
		return e.save()
	})
	return seq, err
}

// forgetStores takes it out of everything but the log.
func (e *eraser) forgetStores(ctx context.Context, e *erasure) (results int, err error) {
	if e.Stores {
		return 0, nil
	}
	f := e.filter()
	for _, r := range e.rooms() {
		err = errors.Join(err, r.forget(ctx, f))
	}
	results, serr := e.stages.cache.Forget(ctx, f)
	if err = errors.Join(err, serr, e.contexts.Forget(ctx)); err != nil {
		return results, err
	}
	e.Stores = true
	return results, e.save()
}

// forgetShared takes it out of the server that others learn into as well: a file whoever knew it, of the rest what this
// daemon contributed. It returns the number of the newest batch.
func (e *eraser) forgetShared(ctx context.Context, l *link, e *erasure) (int64, error) {
	f := e.filter()
	defer l.learner.Reset()
	gone, err := e.db.Meant(ctx, f)
	if err != nil {
		return 0, err
	}
	if f.Path != "" {
		for p := range e.below(f.Path, filesOf(gone)) {
			if err := l.far.Forget(ctx, p); err != nil {
				return 0, err
			}
		}
		return e.events.queue.last(), nil
	}
	// An event of its own takes the sequence number: what is subtracted must not be subtracted twice.
	now := e.now()
	seq, _, err := e.db.Append(ctx, []event.Event{{ID: fmt.Sprintf("forget:%d", now.UnixNano()), Time: now, Kind: event.KindTick, Agent: "cli"}})
	if err == nil {
		err = l.learner.Unlearn(ctx, gone, seq)
	}
	return seq, err
}

// count says what is gone.
func count(out *api.ForgetAnswer, gone cold.Forgotten) {
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

// below are a file, or all files below a folder: those that were named, and those that are there.
func (e *eraser) below(p event.Path, named map[event.Path]bool) map[event.Path]bool {
	targets := map[event.Path]bool{p: true}
	for q := range named {
		if strings.HasPrefix(string(q), string(p)+"/") {
			targets[q] = true
		}
	}
	e.mu.Lock()
	for _, w := range e.worktrees {
		for _, q := range w.tree.Load().All() {
			if strings.HasPrefix(string(q), string(p)+"/") {
				targets[q] = true
			}
		}
	}
	e.mu.Unlock()
	return targets
}
