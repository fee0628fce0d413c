package daemon

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// Deadlines from the frame to the reply. The hook client waits 50 ms, 150 ms at a prompt and 400 ms at a session's
// start; what comes later is not read.
const (
	hintTime   = 45 * time.Millisecond
	promptTime = 140 * time.Millisecond
	startTime  = 350 * time.Millisecond
)

func (h *house) patience(call hooks.Call) time.Duration {
	d := hintTime
	switch {
	case starts(call):
		d = startTime
	case prefetch.Kind(call.Kind) == prefetch.Prompt:
		d = promptTime
	}
	return d * time.Duration(max(h.o.Patience, 1))
}

func starts(call hooks.Call) bool {
	return slices.ContainsFunc(call.Events, func(e event.Event) bool { return e.Kind == event.KindStart })
}

// ask is one kind's chance to speak: by ranking, or with facts that were found.
type ask struct {
	kind  prefetch.Kind
	query event.Query
	found func(context.Context) []event.Suggestion // nil: by ranking
}

// say lets the kinds that fit the event speak, the most useful first, and renders what they say as one text. asked
// are the kinds that had their chance, in time or not.
func (h *house) say(ctx context.Context, w *worktree, call hooks.Call) (reply []byte, asked []prefetch.Kind) {
	h.settleEvents(ctx)
	if starts(call) {
		if !h.config().Kinds[string(prefetch.WorkingSet)] {
			return nil, nil
		}
		return hooks.Render(call.Agent, call.Event, h.remind(ctx, w, call)), []prefetch.Kind{prefetch.WorkingSet}
	}
	var texts []string
	block, notice := h.offer(ctx, w, call)
	if call.Asked != nil {
		asked = append(asked, prefetch.Reload)
	}
	room := hooks.MaxHint - len(block.String())
	for _, a := range h.asks(ctx, w, call) {
		if !h.config().Kinds[string(a.kind)] {
			continue
		}
		asked = append(asked, a.kind)
		if ctx.Err() != nil {
			h.gauges.decision(string(a.kind), "late")
			break // nobody reads it any more, so it is not said
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

// decide asks one kind and logs what it predicts. "" is silence.
func (h *house) decide(ctx context.Context, w *worktree, a ask, room int) string {
	var d prefetch.Decision
	var err error
	if a.found != nil {
		d, err = w.prefetch.Tell(ctx, a.query, a.kind, a.found(ctx))
	} else {
		d, err = w.prefetch.Suggest(ctx, a.query, a.kind)
	}
	if ctx.Err() != nil {
		h.gauges.decision(string(a.kind), "late") // nobody reads it any more
		return ""
	}
	if err != nil {
		h.o.Log.Warn("no suggestion", "kind", string(a.kind), "err", err)
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
	h.journal.Add(d.Log...)
	h.gauges.decision(string(a.kind), d.Why)
	return text
}

// asks lists the kinds that may speak at this event.
func (h *house) asks(ctx context.Context, w *worktree, call hooks.Call) []ask {
	q := event.Query{Session: call.Session, Subagent: call.Subagent, At: h.o.Now()}
	events := append(h.waiting.take(call.Session, q.At), call.Events...)
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
		if !h.config().PartnerAtStop || !hooks.Continues(call.Agent, "Stop") {
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
func (h *house) misnamed(ctx context.Context, w *worktree, events []event.Event) (out []event.Suggestion) {
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
func (h *house) stale(ctx context.Context, w *worktree, session string, at time.Time) []event.Suggestion {
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
	return append(found, prefetch.FindEdited(s.Opened, h.share.edited, found, at)...)
}

// Recent work: what a new session may be told of the ones before it.
const (
	recentWork   = 72 * time.Hour
	recentEvents = 300
)

// goesOn reports whether a starting session is one that was there before.
func goesOn(call hooks.Call) bool {
	return slices.ContainsFunc(call.Events, func(e event.Event) bool {
		return e.Kind == event.KindStart && (e.Tool == "resume" || e.Tool == "compact" || e.Tool == "fork")
	})
}

// workingSet finds the files of the session that goes on; for a new session, those of the work before it that
// is not committed yet. Replayed sessions used less than a tenth of the committed ones. session is whose work it is,
// changed what is not committed where git was asked.
func (h *house) workingSet(ctx context.Context, w *worktree, call hooks.Call, at time.Time) (files []event.Suggestion, session string, changed []event.Path) {
	f := cold.LogFilter{Kinds: []event.Kind{event.KindRead, event.KindEdit, event.KindWrite}, Limit: recentEvents, Since: at.Add(-recentWork)}
	has := w.tree.Load().Has
	if goesOn(call) {
		f.Session, f.Since, session = call.Session, time.Time{}, call.Session
	} else {
		var err error
		if changed, err = w.repo.Changed(ctx); err != nil || len(changed) == 0 {
			return nil, "", nil
		}
		has = func(p event.Path) bool { return slices.Contains(changed, p) }
	}
	events, err := h.db.Log(ctx, f)
	if err != nil {
		h.o.Log.Warn("no working set", "err", err)
		return nil, session, changed
	}
	if session == "" {
		session = lastChanger(events, has)
	}
	return prefetch.FindWorkingSet(events, has, at), session, changed
}

// lastChanger is the session that changed one of the files last, "" if none did. Events are newest first.
func lastChanger(events []event.Event, has func(event.Path) bool) string {
	for _, e := range events {
		if e.Session != "" && e.Kind != event.KindRead && slices.ContainsFunc(e.Paths, has) {
			return e.Session
		}
	}
	return ""
}
