package hint

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/prefetch"
)

// stops reports whether a turn ends with this call.
func stops(call hooks.Call) bool {
	return agents.EventOf(call.Agent, call.Event).Canonical == "Stop"
}

// stopText returns the text for the person when a turn ends: what the files that the session has
// edited and not committed break and lack, in the words of aoa check. It is "" if there are no
// findings, or if they were shown before.
func (h *Hints) stopText(ctx context.Context, w *checkout.Checkout, call hooks.Call) string {
	edited := uncommitted(h.o.Sessions.Get(call.Session, h.o.Now()), call.Events)
	if !h.o.Settings.Get().Shows(string(prefetch.Partner)) || call.Subagent != "" || len(edited) == 0 {
		return ""
	}
	ans, err := w.Check(ctx, change.Request{Files: slices.Clone(edited), Hint: true})
	if err != nil || ctx.Err() != nil {
		h.o.Count.Decision(string(prefetch.Partner), "late")
		return ""
	}
	if ans.Findings() == 0 {
		return h.answered.news(call.Session, "")
	}
	lines := []string{"aOa: this change is not complete"}
	for _, b := range index.BrokenLines(ans.Broken) {
		lines = append(lines, fmt.Sprintf("%s:%d: %s", b.File.Quoted(), b.Line, event.Quote(b.Text)))
	}
	for _, l := range ans.Missing {
		lines = append(lines, l.After(l.File.Quoted())+": "+l.Because(event.Path.Quoted))
	}
	most := 1 + prefetch.MaxFiles
	more := ans.MoreBroken + ans.MoreMissing + max(0, len(lines)-most)
	return h.answered.news(call.Session, strings.Join(lines[:min(len(lines), most)], "\n")+andMore(more))
}
