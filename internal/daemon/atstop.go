package daemon

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// mayHold reports whether the agent may be kept from stopping by what its change lacks: only for those who asked for
// it, and never twice in a row, for a turn that goes on because of a hook ends with the same event.
func (h *house) mayHold(call hooks.Call) bool {
	return hooks.Continues(call.Agent, call.Event) && !call.Again && h.config().PartnerAtStop
}

// hold says what the change of the turn lacks, when the agent is about to stop. Like everywhere, a file that was told
// of in the session is not told of again.
func (h *house) hold(ctx context.Context, w *worktree, call hooks.Call) (reply []byte, asked []prefetch.Kind) {
	if !h.config().Kinds[string(prefetch.Partner)] {
		return nil, nil
	}
	h.settleEvents(ctx)
	q := event.Query{Session: call.Session, Subagent: call.Subagent, At: h.o.Now(), Task: event.TaskChange}
	if q.Files = h.edited(ctx, q); len(q.Files) == 0 {
		return nil, nil
	}
	text := h.decide(ctx, w, ask{kind: prefetch.Partner, query: q}, hooks.MaxHint)
	return hooks.Render(call.Agent, call.Event, text), []prefetch.Kind{prefetch.Partner}
}

// edited are the files that a session has edited since its last prompt, the newest last.
func (h *house) edited(ctx context.Context, q event.Query) []event.Path {
	if q.Session == "" {
		return nil
	}
	v := h.hot.View(q.At)
	s := v.Session(q.Session)
	if err := v.Load(ctx); err != nil {
		return nil
	}
	return slices.SortedFunc(maps.Keys(s.Edits), func(a, b event.Path) int {
		return cmp.Or(s.Edits[a].Compare(s.Edits[b]), cmp.Compare(a, b))
	})
}
