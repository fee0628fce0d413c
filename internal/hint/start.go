package hint

import (
	"context"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session/contexts"
	"github.com/aoa-dev/aoa/prefetch"
)

// remindTokens leaves room for five files in the block at a session's start.
const remindTokens = 420

// workBefore gathers the work that a starting session continues: the context of its own work, or
// that of the newest session whose changes are not committed, and further files of that work. After
// the conversation was cleared, only files are gathered. The tokens count against the session's
// allowance.
func (h *Hints) workBefore(ctx context.Context, w *checkout.Checkout, q question, space int) (g gathered,
	why prefetch.Why) {
	left := w.Prefetch.Left(q.Query.Session, q.Query.At)
	// a token is four bytes, see index.Tokens
	budget := min(remindTokens, h.o.Settings.Get().ContextTotal, left, space/4)
	if budget <= 0 {
		return g, prefetch.WhySpent
	}
	before, files := h.earlier(ctx, w, q, budget)
	files = slices.DeleteFunc(files, func(s event.Suggestion) bool { return slices.Contains(before.Files, s.File) })
	g.before, g.candidates = words{text: before.Text(), named: before.Files}, prefetch.Found(files)
	return g, ""
}

// earlier returns the context of the work that a starting session continues, in at most budget
// tokens, and the files of that work.
func (h *Hints) earlier(ctx context.Context, w *checkout.Checkout, q question, budget int) (contexts.Context,
	[]event.Suggestion) {
	at := q.Query.At
	files, id, changed := h.workingSet(ctx, w, q)
	s := h.o.Sessions.Get(id, at)
	switch {
	case id != q.Query.Session && s.Exists() && !s.Ended && at.Sub(s.Last) < leftAfter: // it is still at work
		text, named := otherSession(slices.DeleteFunc(slices.Clone(s.Uncommitted),
			func(f event.Path) bool { return !slices.Contains(changed, f) }))
		return contexts.Context{Segments: []contexts.Segment{{Content: text}}, Files: named}, nil
	case id == "" || q.start == "clear":
		return contexts.Context{}, files
	}
	look := func(ctx context.Context, since time.Time, files []event.Path) contexts.Worktree {
		if end, ok := ctx.Deadline(); ok { // the other half is for the words, which do without git if it is late
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, time.Until(end)/2)
			defer cancel()
		}
		return w.State(ctx, changed, since, files)
	}
	r := contexts.Request{Session: id, Total: budget, State: look}
	if q.start == "compact" {
		r.For = contexts.ForCompact
	}
	c, err := h.o.Contexts.Assemble(ctx, r)
	if err != nil {
		h.o.Log.Warn("no context", "err", err)
	}
	return c, files
}

// Limits for the earlier work that a session is shown.
const (
	leftAfter   = 30 * time.Minute // a session that did not report its end counts as ended after this time
	recentWork  = 72 * time.Hour
	recentOpens = 300
)

// workingSet returns the files with which a session continues. For a session that is resumed these
// come from its own record alone, because the client keeps a summary itself and reads the last open
// files again. For a new session they come from earlier work that is not committed yet; in replayed
// sessions, files that had been committed were used less than a tenth as often. id is the session
// whose work it is, changed what is not committed if git was asked.
func (h *Hints) workingSet(ctx context.Context, w *checkout.Checkout, q question) (files []event.Suggestion, id string,
	changed []event.Path) {
	switch q.start {
	case "compact":
		return nil, q.Query.Session, nil
	case "resume", "fork": // the agent has the conversation; the kind stale tells what has changed since
		return nil, "", nil
	}
	var err error
	if changed, err = w.Repo.Changed(ctx); err != nil || len(changed) == 0 {
		return nil, "", nil
	}
	events, err := h.o.DB.Log(ctx, cold.LogFilter{Kinds: []event.Kind{event.KindRead, event.KindEdit, event.KindWrite},
		Limit: recentOpens, Since: q.Query.At.Add(-recentWork)})
	if err != nil {
		h.o.Log.Warn("the files of earlier work cannot be listed", "err", err)
		return nil, id, changed
	}
	has := func(p event.Path) bool { return slices.Contains(changed, p) }
	return findWork(events, has, q.Query.At), lastChanger(events, has), changed
}

// lastChanger returns the session that last changed one of the files, "" if none did. Events are
// newest first.
func lastChanger(events []event.Event, has func(event.Path) bool) string {
	for _, e := range events {
		if e.Session != "" && e.Kind() != event.KindRead && slices.ContainsFunc(e.Paths(), has) {
			return e.Session
		}
	}
	return ""
}

// findWork returns the files of recent work: those edited, the newest first, then those read.
// events are the opens of earlier sessions, the newest first. has tells whether a file still exists.
func findWork(events []event.Event, has func(event.Path) bool, at time.Time) (files []event.Suggestion) {
	seen := map[event.Path]bool{}
	for _, word := range []string{"edited", "read"} {
		for _, e := range events {
			if !e.Opens() || (e.Kind() == event.KindRead) != (word == "read") {
				continue
			}
			for _, f := range e.Paths() {
				if !seen[f] && has(f) {
					seen[f] = true
					files = append(files, fact(prefetch.Start, f, word+" "+event.Ago(at.Sub(e.Time))))
				}
			}
		}
	}
	return files
}
