package daemon

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session/contexts"
)

// contextBudget returns the budget of a context, with the total of the settings.
func (d *Daemon) contextBudget() contexts.Budget {
	budget := contexts.DefaultBudget
	budget.Total = d.settings.Get().ContextTotal
	return budget
}

// context answers aoa context and the tool session_context.
func (d *Daemon) context(ctx context.Context, r contexts.Request) (out api.ContextAnswer, err error) {
	w := d.worktrees.Caller(ctx)
	r.For = cmp.Or(r.For, contexts.ForAction)
	switch {
	case r.For != contexts.ForAction && r.For != contexts.ForPrompt:
		return out, event.BadRequest("use action or prompt", "there is no context for the purpose %q", r.For)
	case r.Total < 0 || r.Total > maxContext:
		hint := fmt.Sprintf("use 1 to %d, or 0 for the configured one", maxContext)
		return out, event.BadRequest(hint, "a budget of %d tokens is out of range", r.Total)
	}
	d.events.SyncBriefly(ctx)
	out = api.ContextAnswer{For: r.For, Budget: cmp.Or(r.Total, d.contextBudget().Total), Segments: []contexts.Segment{}}
	if r.Session == "" {
		if r.Session, err = d.lastSession(ctx, w); err != nil || r.Session == "" {
			return out, err
		}
	}
	r.State = func(ctx context.Context, since time.Time, files []event.Path) contexts.Worktree {
		return w.State(ctx, nil, since, files)
	}
	got, err := d.contexts.Assemble(ctx, r)
	if err != nil {
		return out, err
	}
	out.Session, out.Tokens, out.Segments = r.Session, got.Tokens, append(out.Segments, got.Segments...)
	return out, nil
}

// maxContext is the largest budget that may be asked for.
const maxContext = 100_000
