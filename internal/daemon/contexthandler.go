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
func (d *Daemon) context(ctx context.Context, r api.ContextRequest) (api.ContextAnswer, error) {
	w := d.worktrees.Caller(ctx)
	use := contexts.For(r.For)
	switch {
	case use == "":
		use = contexts.ForAction
	case use != contexts.ForAction && use != contexts.ForPrompt:
		return api.ContextAnswer{}, api.Bad("use action or prompt", "there is no context for the purpose %q", r.For)
	}
	if r.Budget < 0 || r.Budget > maxContext {
		hint := fmt.Sprintf("use 1 to %d, or 0 for the configured one", maxContext)
		return api.ContextAnswer{}, api.Bad(hint, "a budget of %d tokens is out of range", r.Budget)
	}
	d.events.SyncBriefly(ctx)
	out := api.ContextAnswer{Session: r.Session, For: string(use), Budget: r.Budget, Segments: []contexts.Segment{}}
	out.Budget = cmp.Or(out.Budget, d.contextBudget().Total)
	if r.Session == "" {
		var err error
		if out.Session, err = d.lastSession(ctx, w); err != nil || out.Session == "" {
			return out, err
		}
	}
	state := func(ctx context.Context, since time.Time, files []event.Path) contexts.Worktree {
		return w.State(ctx, nil, since, files)
	}
	got, err := d.contexts.Assemble(ctx, contexts.Request{Session: out.Session, For: use, Prompt: r.Prompt,
		Total: r.Budget, State: state})
	if err != nil {
		return out, err
	}
	out.Tokens, out.Segments = got.Tokens, append(out.Segments, got.Segments...)
	return out, nil
}

// maxContext is the largest budget that may be asked for.
const maxContext = 100_000
