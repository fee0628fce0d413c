package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aoa-dev/aoa/internal/aoa"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
)

// forget takes out of both stores what the user names, down to the bytes in the database file.
func (h *house) forget(ctx context.Context, r api.ForgetRequest) (api.ForgetAnswer, error) {
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
		p, err := aoa.NewPath(strings.TrimSuffix(string(r.File), "/"))
		if err != nil {
			return out, api.Bad("use a path as aoa log prints it", "%v", err)
		}
		r.File = p
	}
	if _, err := h.sequences.Forget(ctx, r.File, r.Session, r.Since); err != nil {
		return out, err
	}
	filter := cold.ForgetFilter{Path: r.File, Session: r.Session, Since: r.Since}
	way := h.forgetAnew
	if h.config().RedisURL != "" {
		way = h.forgetHere
	}
	err := h.answers.without(func() error {
		return h.journal.Alone(ctx, func() (int64, error) { return way(ctx, filter, &out) })
	})
	err = errors.Join(err, h.memory.Forget(ctx))
	if err != nil {
		return out, err
	}
	if h.void.Load() {
		h.stop(errForgot)
		return out, nil
	}
	if err := h.snapshot(ctx); err != nil {
		return out, err
	}
	return out, h.db.Scrub(ctx)
}

// forgetAnew leaves no snapshot, so that hot is made anew of what the log still holds: no word of a forgotten prompt,
// no share of a forgotten event is left. The daemon then begins anew; what it had in memory goes with it.
func (h *house) forgetAnew(ctx context.Context, f cold.ForgetFilter, out *api.ForgetAnswer) (int64, error) {
	h.saving.Lock()
	defer h.saving.Unlock()
	gone, err := h.db.Forget(ctx, f)
	if err != nil {
		return 0, err
	}
	count(out, gone)
	h.void.Store(true)
	if err := h.db.SaveSnapshot(ctx, 0, nil, true); err != nil {
		return 0, err
	}
	return h.steps.newest(), h.db.Scrub(ctx)
}

// forgetHere subtracts in a server that others use as well.
func (h *house) forgetHere(ctx context.Context, f cold.ForgetFilter, out *api.ForgetAnswer) (int64, error) {
	gone, err := h.db.Forget(ctx, f)
	if err != nil {
		return 0, err
	}
	// An event of its own takes the sequence number: what is subtracted must not be subtracted twice.
	now := h.o.Now()
	seq, _, err := h.db.Append(ctx, []aoa.Event{{ID: fmt.Sprintf("forget:%d", now.UnixNano()), Time: now, Kind: aoa.KindTick, Agent: "cli"}})
	if err != nil {
		return 0, err
	}
	files := count(out, gone)
	if f.Path != "" {
		err = h.forgetFiles(ctx, f.Path, files)
		gone = nil
	}
	h.mu.Lock()
	h.whole = true // the old snapshot still holds what was forgotten
	h.mu.Unlock()
	// Without events it only moves the sequence on.
	return seq, errors.Join(err, h.learner.Unlearn(ctx, gone, seq))
}

// count says what is gone, and returns the files that it named.
func count(out *api.ForgetAnswer, gone []aoa.Event) map[aoa.Path]bool {
	files := map[aoa.Path]bool{}
	for _, e := range gone {
		for _, p := range e.Paths {
			files[p] = true
		}
	}
	out.Events, out.Files = len(gone), len(files)
	return files
}

// forgetFiles takes a file, or all below a folder, out of every set.
func (h *house) forgetFiles(ctx context.Context, p aoa.Path, named map[aoa.Path]bool) error {
	targets := map[aoa.Path]bool{p: true}
	for q := range named {
		if strings.HasPrefix(string(q), string(p)+"/") {
			targets[q] = true
		}
	}
	h.mu.Lock()
	for _, w := range h.worktrees {
		for _, q := range w.tree.Load().All() {
			if strings.HasPrefix(string(q), string(p)+"/") {
				targets[q] = true
			}
		}
	}
	h.mu.Unlock()
	for q := range targets {
		if err := h.hot.Forget(ctx, q); err != nil {
			return err
		}
	}
	return nil
}
