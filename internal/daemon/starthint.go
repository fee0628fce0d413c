package daemon

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/prefetch"
)

const (
	// remindTokens leave room for five files in the block at a session's start.
	remindTokens = 420
	// stateTime is how long a starting session waits for git to list changes.
	stateTime = 150 * time.Millisecond
)

// startText is the text for a starting session: the context of earlier work, then further files. Its tokens count against the session's
// allowance.
func (h *hints) startText(ctx context.Context, w *worktree, call hooks.Call) string {
	q := event.Query{Session: call.Session, Subagent: call.Subagent, At: h.now()}
	room, err := w.prefetch.Allowance(ctx, q.Session, prefetch.WorkingSet, min(remindTokens, contextBudget(h.settings).Total), q.At)
	if err != nil || room <= 0 {
		h.metrics.decision(string(prefetch.WorkingSet), "spent")
		return ""
	}
	before, files := h.workBefore(ctx, w, call, room, q.At)
	files = slices.DeleteFunc(files, func(s event.Suggestion) bool { return slices.Contains(before.Files, s.File) })
	d, err := w.prefetch.Facts(ctx, q, prefetch.WorkingSet, files)
	if err != nil {
		h.log.Warn("no working set", "err", err)
		return ""
	}
	if ctx.Err() != nil {
		h.metrics.decision(string(prefetch.WorkingSet), "late")
		return ""
	}
	context, hint := before.Text(), hooks.Text(hooks.HintStart, d.Shown)
	text := strings.Trim(context+"\n"+hint, "\n")
	d = w.prefetch.Printed(d, q, hooks.Named(hint, d.Shown))
	if text != "" && q.Session != "" {
		d.Log = prefetch.Account(q, prefetch.WorkingSet, text, before.Files, d.Log)
	}
	if context != "" {
		d.Why = string(prefetch.Shown)
	}
	h.events.Add(d.Log...)
	h.metrics.decision(string(prefetch.WorkingSet), d.Why)
	return text
}

// workBefore is the context and the files that a starting session continues: its own, or those of the newest session whose changes are not
// committed. After a cleared conversation there are only files.
func (h *hints) workBefore(ctx context.Context, w *worktree, call hooks.Call, room int, at time.Time) (session.Context, []event.Suggestion) {
	files, id, changed := h.workingSet(ctx, w, call, at)
	if how, _ := call.Start(); id == "" || how == "clear" {
		return session.Context{}, files
	}
	look := func(ctx context.Context, held []event.Path) session.Worktree {
		ctx, cancel := context.WithTimeout(ctx, stateTime)
		defer cancel()
		return w.state(ctx, held, changed)
	}
	c, err := h.contexts.Assemble(ctx, session.Request{Session: id, Total: room, Bare: true, Look: look})
	if err != nil {
		h.log.Warn("no context", "err", err)
	}
	return c, files
}

// Bounds of the earlier work that a new session is shown.
const (
	recentWork  = 72 * time.Hour
	recentOpens = 300
)

// workingSet finds the files of the session that continues; for a new session, those of earlier work that is not
// committed yet. Replayed sessions used less than a tenth of the committed ones. id names the session whose work it is,
// changed what is not committed where git was asked.
func (h *hints) workingSet(ctx context.Context, w *worktree, call hooks.Call, at time.Time) (files []event.Suggestion, id string, changed []event.Path) {
	f := cold.LogFilter{Kinds: []event.Kind{event.KindRead, event.KindEdit, event.KindWrite}, Limit: recentOpens, Since: at.Add(-recentWork)}
	has := w.tree.Load().Has
	if how, _ := call.Start(); how == "resume" || how == "compact" || how == "fork" {
		f.Session, f.Since, id = call.Session, time.Time{}, call.Session
	} else {
		var err error
		if changed, err = w.repo.Changed(ctx); err != nil || len(changed) == 0 {
			return nil, "", nil
		}
		has = func(p event.Path) bool { return slices.Contains(changed, p) }
	}
	events, err := h.db.Log(ctx, f)
	if err != nil {
		h.log.Warn("no working set", "err", err)
		return nil, id, changed
	}
	if id == "" {
		id = lastChanger(events, has)
	}
	return prefetch.FindWorkingSet(events, has, at), id, changed
}

// lastChanger is the session that changed one of the files last, "" if none did. Events are newest first.
func lastChanger(events []event.Event, has func(event.Path) bool) string {
	for _, e := range events {
		if e.Session != "" && e.Kind != event.KindRead && slices.ContainsFunc(e.Paths, has) {
			return e.Session
		}
	}
	return ""
}
