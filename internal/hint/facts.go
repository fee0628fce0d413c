package hint

import (
	"context"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/prefetch"
)

// misnamed returns the files that failed accesses meant.
func (h *Hints) misnamed(ctx context.Context, w *checkout.Checkout, events []event.Event) (out []event.Suggestion) {
	renamed := func(p event.Path) (event.Path, bool) {
		now, ok, err := h.o.DB.Renamed(ctx, p, w.Tree().Has)
		return now, ok && err == nil
	}
	for _, e := range events {
		if e.Kind() != event.KindFailed {
			continue
		}
		for _, p := range e.Paths() {
			if s, ok := prefetch.Meant(w.Tree(), renamed, p, e.Call().Failure); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// searched returns the files that failed searches meant, each with the line of the symbol that was
// searched.
func (h *Hints) searched(w *checkout.Checkout, events []event.Event) (out []event.Suggestion) {
	for _, e := range events {
		if !session.FailedSearch(e) || e.Text() == "" || w.Tree() == nil {
			continue
		}
		idents := e.Call().Idents
		if len(idents) == 0 {
			idents = index.Identifiers(e.Text(), event.MaxCallIdents)
		}
		for _, f := range prefetch.Sought(w.Tree(), w.Reader.Contents(), e.Text(), idents) {
			for _, name := range idents {
				if d, ok := index.DefinitionOf(f.File, w.Reader.Text(f.File), name); ok && f.Line == 0 {
					f.Place = d
				}
			}
			out = append(out, f)
		}
	}
	return out
}

// Limits for finding files that someone else changed.
const (
	// staleSlack is how much later than the last open a file must have been written to count as
	// stale, because a hook reports a write a little after it happened.
	staleSlack = 2 * time.Second
	maxStale   = 20 // files opened last, which are examined
)

// stale returns the files that the session has opened, that have another content on disk now, and
// that no call of the session wrote: a formatter did, or a branch switch, another agent, or a
// person. If the content at the last open is not known, the time of the file decides.
//
// The log does not tell which conversation opened a file, so only the agent itself gets a hint; a
// subagent has read little, and only a moment ago. A file that the client has just refused to
// change is left out, because the client has said why.
func (h *Hints) stale(w *checkout.Checkout, q event.Query, recent []event.Event) (out []event.Suggestion) {
	if q.Session == "" || q.Subagent != "" {
		return nil
	}
	s := h.o.Sessions.Get(q.Session, q.At)
	files := s.Files()
	slices.Reverse(files)
	for _, f := range files[:min(len(files), maxStale)] {
		opened := s.Opened[f]
		written, exists := w.Modified(f)
		if !exists || written.Before(opened.At.Add(staleSlack)) || written.After(q.At.Add(time.Minute)) ||
			w.Changing(q.Session, f, opened.At, q.At) || refused(recent, f) ||
			opened.Blob != "" && opened.Blob == w.Reader.Blob(f) {
			continue
		}
		out = append(out, prefetch.Stale.Suggest(f,
			"changed "+span(q.At.Sub(written))+" ago, last read "+span(q.At.Sub(opened.At))+" ago"))
	}
	return out
}

// refused reports whether the client has refused to change a file because the agent had not read
// it.
func refused(recent []event.Event, f event.Path) bool {
	return slices.ContainsFunc(recent, func(e event.Event) bool {
		return e.Kind() == event.KindFailed && e.Call().Failure == event.FailUnread && slices.Contains(e.Paths(), f)
	})
}
