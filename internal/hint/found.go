package hint

import (
	"context"

	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/prefetch"
)

// misnamed returns the files that failed accesses meant.
func (h *Hints) misnamed(ctx context.Context, w *checkout.Checkout, events []event.Event) (out []event.Suggestion) {
	r := prefetch.Rescuer{Tree: w.Tree(), Renamed: func(p event.Path) (event.Path, bool) {
		now, ok, err := h.o.DB.Renamed(ctx, p, w.Tree().Has)
		return now, ok && err == nil
	}}
	for _, e := range events {
		if e.Kind() != event.KindFailed {
			continue
		}
		for _, p := range e.Paths() {
			if s, ok := r.Rescue(p, e.Call().Failure); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// searched returns the files that failed searches meant, each with the line of the symbol that was
// searched.
func (h *Hints) searched(w *checkout.Checkout, events []event.Event) (out []event.Suggestion) {
	s := prefetch.Searcher{Tree: w.Tree(), Contents: w.Reader.Contents()}
	for _, e := range events {
		if !session.FailedSearch(e) || e.Text() == "" || s.Tree == nil {
			continue
		}
		idents := e.Call().Idents
		if len(idents) == 0 {
			idents = index.Identifiers(e.Text(), event.MaxCallIdents)
		}
		for _, f := range s.Found(e.Text(), idents) {
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
