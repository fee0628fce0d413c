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
	filter := cold.ForgetFilter{Path: r.File, Session: r.Session, Since: r.Since}
	for _, r := range h.rooms() {
		if err := r.forget(ctx, filter); err != nil {
			return out, err
		}
	}
	var err error
	if out.Results, err = h.stages.cache.Forget(ctx, filter); err != nil {
		return out, err
	}
	err = h.answers.without(func() error {
		return h.journal.Alone(ctx, func() (int64, error) { return h.forgetAnew(ctx, filter, &out) })
	})
	err = errors.Join(err, h.memory.Forget(ctx))
	if h.void.Load() {
		h.stop(errForgot)
	}
	return out, err
}

// forgetAnew leaves no snapshot, so that hot is made anew of what the log still holds: no word of a forgotten prompt,
// no share of a forgotten event is left. The daemon then begins anew; what it had in memory goes with it.
func (h *house) forgetAnew(ctx context.Context, f cold.ForgetFilter, out *api.ForgetAnswer) (int64, error) {
	h.saving.Lock()
	defer h.saving.Unlock()
	seq := h.steps.newest()
	err := h.share.alone(ctx, func(l *link) error {
		gone, err := h.db.Forget(ctx, f)
		if err != nil {
			return err
		}
		files := count(out, gone)
		h.void.Store(true)
		if err := h.db.SaveSnapshot(ctx, 0, nil, true); err != nil || l == nil {
			return err
		}
		seq, err = h.forgetShared(ctx, l, f, gone.Events, files)
		return err
	})
	if err != nil {
		return 0, err
	}
	return seq, h.db.Scrub(ctx)
}

// forgetShared takes it out of the server that others learn into as well: a file whoever knew it, of the rest what this
// daemon contributed.
func (h *house) forgetShared(ctx context.Context, l *link, f cold.ForgetFilter, gone []aoa.Event, files map[aoa.Path]bool) (int64, error) {
	defer l.learner.Reset()
	if f.Path != "" {
		for p := range h.below(f.Path, files) {
			if err := l.far.Forget(ctx, p); err != nil {
				return 0, fmt.Errorf("it is forgotten here, but not in the shared server, whose memory of it fades: %w", err)
			}
		}
		return h.steps.newest(), nil
	}
	// An event of its own takes the sequence number: what is subtracted must not be subtracted twice.
	now := h.o.Now()
	seq, _, err := h.db.Append(ctx, []aoa.Event{{ID: fmt.Sprintf("forget:%d", now.UnixNano()), Time: now, Kind: aoa.KindTick, Agent: "cli"}})
	if err == nil {
		err = l.learner.Unlearn(ctx, gone, seq)
	}
	return seq, err
}

// count says what is gone, and returns the files that it named.
func count(out *api.ForgetAnswer, gone cold.Forgotten) map[aoa.Path]bool {
	files := map[aoa.Path]bool{}
	for _, e := range gone.Events {
		for _, p := range e.Paths {
			files[p] = true
		}
	}
	out.Events, out.Files, out.Commits = len(gone.Events), max(len(files), gone.Files), gone.Commits
	return files
}

// below are a file, or all files below a folder: those that were named, and those that are there.
func (h *house) below(p aoa.Path, named map[aoa.Path]bool) map[aoa.Path]bool {
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
	return targets
}
