package daemon

import (
	"cmp"
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/prefetch/history"
	"github.com/aoa-dev/aoa/prefetch/llmcache"
)

// hints asks package prefetch at each hook, in time, and renders what it decided.
type hints struct {
	base
	factor   int64 // how many times longer than usual hooks wait for an answer
	events   *eventLog
	db       *cold.DB
	hot      *hot.Store
	recent   *recentEvents
	edits    *remoteEdits
	contexts *history.History
	recorder *sequenceRecorder
	cache    *llmcache.Cache
	metrics  *metrics
}

// Deadlines from the frame to the reply. The hook client waits 50 ms, 150 ms at a prompt and 400 ms at a session's
// start; what comes later is not read.
const (
	hintTime   = 45 * time.Millisecond
	promptTime = 140 * time.Millisecond
	startTime  = 350 * time.Millisecond
)

func (h *hints) patience(call hooks.Call) time.Duration {
	d := hintTime
	switch {
	case starts(call):
		d = startTime
	case prefetch.Kind(call.Kind) == prefetch.Prompt:
		d = promptTime
	}
	return d * time.Duration(h.factor)
}

func starts(call hooks.Call) bool {
	return slices.ContainsFunc(call.Events, func(e event.Event) bool { return e.Kind == event.KindStart })
}

// ask is a question for one kind of hint: by ranking, or with facts that were found.
type ask struct {
	kind  prefetch.Kind
	query event.Query
	found func(context.Context) []event.Suggestion // nil: by ranking
}

// on reports whether a kind is switched on. One without a switch is.
func (h *hints) on(k prefetch.Kind) bool {
	on, known := h.settings.get().Kinds[string(k)]
	return on || !known
}

// answer asks the kinds of hints that fit the event, the most useful first, and renders their hints as one text. asked are
// the kinds that were asked, in time or not.
func (h *hints) answer(ctx context.Context, w *worktree, call hooks.Call) (reply []byte, asked []prefetch.Kind) {
	h.events.SyncBriefly(ctx)
	if starts(call) {
		if !h.on(prefetch.WorkingSet) {
			return nil, nil
		}
		return hooks.Render(call.Agent, call.Event, h.startText(ctx, w, call)), []prefetch.Kind{prefetch.WorkingSet}
	}
	var texts []string
	block, notice := h.offer(ctx, w, call)
	if call.Asked != nil {
		asked = append(asked, prefetch.Reload)
	}
	room := hooks.MaxHint - len(block.String())
	for _, a := range h.asks(ctx, w, call) {
		if !h.on(a.kind) {
			continue
		}
		asked = append(asked, a.kind)
		if ctx.Err() != nil {
			h.metrics.decision(string(a.kind), "late")
			break // nobody reads it any more, so it is not shown
		}
		text := h.decide(ctx, w, a, room)
		if text != "" {
			texts = append(texts, text)
			room -= len(text) + 1
		}
		if room < 200 {
			break // no room for a whole fact
		}
	}
	return hooks.RenderBlock(call.Agent, call.Event, block, strings.Join(texts, "\n"), notice), asked
}

// decide asks one kind and logs its predictions. It returns "" when nothing is shown.
func (h *hints) decide(ctx context.Context, w *worktree, a ask, room int) string {
	var d prefetch.Decision
	var err error
	if a.found != nil {
		d, err = w.prefetch.Tell(ctx, a.query, a.kind, a.found(ctx))
	} else {
		d, err = w.prefetch.Suggest(ctx, a.query, a.kind)
	}
	if ctx.Err() != nil {
		h.metrics.decision(string(a.kind), "late") // nobody reads it any more
		return ""
	}
	if err != nil {
		h.log.Warn("no suggestion", "kind", string(a.kind), "err", err)
		return ""
	}
	text := hooks.Text(string(a.kind), d.Shown)
	if len(text) > room {
		text = "" // it stays predicted, for its outcome
	}
	for i := range d.Log {
		if d.Log[i].Why == string(prefetch.Shown) {
			d.Log[i].Tokens = prefetch.Tokens(text)
		}
	}
	h.events.Add(d.Log...)
	h.metrics.decision(string(a.kind), d.Why)
	return text
}

// asks lists the questions for this event.
func (h *hints) asks(ctx context.Context, w *worktree, call hooks.Call) []ask {
	q := event.Query{Session: call.Session, Subagent: call.Subagent, At: h.now()}
	events := h.recent.take(call.Session, call.Events)
	out := []ask{{prefetch.Rescue, q, func(ctx context.Context) []event.Suggestion { return h.misnamed(ctx, w, events) }}}
	out = append(out, ask{prefetch.Stale, q, func(ctx context.Context) []event.Suggestion { return h.stale(ctx, w, call.Session, q.At) }})
	if edited := lastEdited(events); edited != "" {
		change := q
		change.Task = event.TaskChange
		change.Files = h.edited(ctx, change)
		if !slices.Contains(change.Files, edited) { // not learned yet
			change.Files = append(change.Files, edited)
		}
		pair := change
		pair.Current, pair.Files = edited, []event.Path{edited}
		if !h.settings.get().PartnerAtStop || !hooks.Continues(call.Agent, "Stop") {
			out = append(out, ask{kind: prefetch.Partner, query: change})
		}
		out = append(out, ask{kind: prefetch.Pair, query: pair})
	}
	if call.Query != nil {
		asked := *call.Query
		asked.At = q.At
		out = append(out, ask{kind: prefetch.Kind(call.Kind), query: asked})
	}
	return out
}

func lastEdited(events []event.Event) event.Path {
	for _, e := range slices.Backward(events) {
		if (e.Kind == event.KindEdit || e.Kind == event.KindWrite) && len(e.Paths) > 0 {
			return e.Paths[0]
		}
	}
	return ""
}

// misnamed finds the files that failed accesses meant.
func (h *hints) misnamed(ctx context.Context, w *worktree, events []event.Event) (out []event.Suggestion) {
	r := prefetch.Rescuer{Tree: w.tree.Load(), Renamed: func(p event.Path) (event.Path, bool) {
		now, ok, err := h.db.Renamed(ctx, p)
		return now, ok && err == nil
	}}
	for _, e := range events {
		if e.Kind != event.KindFailed {
			continue
		}
		for _, p := range e.Paths {
			if s, ok := r.Rescue(p, e.Why); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// stale finds files that changed on disk since the session opened them.
func (h *hints) stale(ctx context.Context, w *worktree, session string, at time.Time) []event.Suggestion {
	if session == "" {
		return nil
	}
	v := h.hot.View(at)
	s := v.Session(session)
	if err := v.Load(ctx); err != nil {
		return nil
	}
	found := prefetch.FindStale(s.Opened, func(p event.Path) (time.Time, bool) {
		st, err := os.Stat(w.repo.Root.Abs(p))
		if err != nil || !st.Mode().IsRegular() {
			return time.Time{}, false
		}
		return st.ModTime(), true
	}, at)
	return append(found, prefetch.FindEdited(s.Opened, h.edits.newest, found, at)...)
}

// mayContinue reports whether the agent may be kept from stopping by what its change lacks: only for those who asked for
// it, and never twice in a row, for a turn that goes on because of a hook ends with the same event.
func (h *hints) mayContinue(call hooks.Call) bool {
	return hooks.Continues(call.Agent, call.Event) && !call.Again && h.settings.get().PartnerAtStop
}

// continueTurn names what the change of the turn lacks, when the agent is about to stop. Like everywhere, a file that was shown
// in the session is not shown again.
func (h *hints) continueTurn(ctx context.Context, w *worktree, call hooks.Call) (reply []byte, asked []prefetch.Kind) {
	if !h.on(prefetch.Partner) {
		return nil, nil
	}
	h.events.SyncBriefly(ctx)
	q := event.Query{Session: call.Session, Subagent: call.Subagent, At: h.now(), Task: event.TaskChange}
	if q.Files = h.edited(ctx, q); len(q.Files) == 0 {
		return nil, nil
	}
	text := h.decide(ctx, w, ask{kind: prefetch.Partner, query: q}, hooks.MaxHint)
	return hooks.Render(call.Agent, call.Event, text), []prefetch.Kind{prefetch.Partner}
}

// edited are the files that a session has edited since its last prompt, the newest last.
func (h *hints) edited(ctx context.Context, q event.Query) []event.Path {
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
