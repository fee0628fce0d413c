package hint

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/prefetch"
)

// findings remembers, for each session, what the person was told at the end of a turn, so that the
// same findings are told only once.
type findings struct {
	mu    sync.Mutex // guards texts
	texts map[string]string
}

// maxTold is the number of sessions that are remembered. When it is exceeded all are dropped.
const maxTold = 256

// news returns a text, or "" if it is the text that the session was told last.
func (t *findings) news(session, text string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.texts == nil || len(t.texts) >= maxTold {
		t.texts = map[string]string{}
	}
	if text == t.texts[session] {
		return ""
	}
	t.texts[session] = text
	return text
}

// stops reports whether a turn ends with this call.
func stops(call hooks.Call) bool {
	return agents.EventOf(call.Agent, call.Event).Canonical == "Stop"
}

// stopText returns the text for the person when a turn ends: what the files that the session has
// edited and not committed break and lack, in the words of aoa check. It is "" if there are no
// findings, or if they were told before.
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
		return h.told.news(call.Session, "")
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
	return h.told.news(call.Session, strings.Join(lines[:min(len(lines), most)], "\n")+hooks.More(more))
}
