package hint

import (
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// Limits for finding files that somebody else changed.
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
// The log does not tell which conversation opened a file, so only the agent itself is told; a
// subagent has read little, and only a moment ago. A file that the client has just refused to
// change is left out, because the client has told why.
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
		out = append(out, event.Suggestion{File: f, Score: 1, Reasons: []event.Reason{{Signal: string(prefetch.Stale),
			Value: 1, Weight: 1,
			Text: "changed " + span(q.At.Sub(written)) + " ago, last read " + span(q.At.Sub(opened.At)) + " ago"}}})
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
