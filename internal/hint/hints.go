package hint

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/reload"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/internal/session/contexts"
	"github.com/aoa-dev/aoa/prefetch"
)

// Options of Hints. All are needed.
type Options struct {
	Settings  *config.Settings
	Now       func() time.Time
	Log       *slog.Logger
	Factor    int64 // how many times longer than usual hooks wait for an answer
	Events    Log
	DB        *cold.DB
	Sessions  *session.Sessions
	Contexts  *contexts.Assembler
	Sequences *reload.Cache
	Count     Counter
}

// Log takes what was decided, and lets a question see the events that came just before it.
type Log interface {
	Add(events ...event.Event)
	SyncBriefly(ctx context.Context)
}

// Counter counts decisions by kind and reason.
type Counter interface{ Decision(kind, why string) }

// Hints asks package prefetch at each hook, in time, and renders what it decided. It is safe for concurrent use.
type Hints struct {
	o     Options
	asked asked
	told  findings
}

// New makes Hints before the first question.
func New(o Options) *Hints { return &Hints{o: o} }

// Patience is the time from the request to the answer: nine tenths of what the hook client waits. What comes later is
// not read.
func (h *Hints) Patience(call hooks.Call) time.Duration {
	wait, _ := agents.EventOf(call.Agent, call.Event).Deadline()
	return wait * 9 / 10 * time.Duration(h.o.Factor)
}

// Answer asks the kinds of hints that fit the event, the most useful first, and renders their hints as one text. A
// start and a prompt at which the agent takes no text are answered at the first event at which it does.
func (h *Hints) Answer(ctx context.Context, w *checkout.Checkout, call hooks.Call) []byte {
	h.o.Events.SyncBriefly(ctx)
	if how, starts := call.Start(); starts {
		if !h.o.Settings.Get().Shows(string(prefetch.Start)) {
			return nil
		}
		return hooks.Render(call.Agent, call.Event, hooks.Block{}, h.startText(ctx, w, call, how, hooks.MaxStart, nil))
	}
	if stops(call) { // no model reads it
		return hooks.Render(call.Agent, call.Event, hooks.Block{}, h.stopText(ctx, w, call))
	}
	recent := h.texts(ctx, h.asked.take(h.o.Sessions.Get(call.Session, h.o.Now()), call, h.o.Now()))
	var texts []string
	space := hooks.MaxHint
	for _, e := range recent {
		s, starts := e.Body.(event.Start)
		if starts && h.o.Settings.Get().Shows(string(prefetch.Start)) && len(texts) == 0 {
			if text := h.startText(ctx, w, call, s.Source, space, recent); text != "" {
				texts = append(texts, text)
				space -= len(text) + 1
			}
		}
	}
	var block hooks.Block
	if asked, ok := begun(call, recent); ok && call.Subagent == "" {
		block = h.offer(ctx, w, call, asked, recent)
	}
	space -= len(block.String())
	for _, q := range h.questions(ctx, w, call, recent) {
		if space < 200 { // no space for a whole fact
			h.asked.again(q)
			continue
		}
		if q.Kind == prefetch.Prompt && block.String() != "" {
			continue // the offer names what the prompt needs; a list would be of what is left
		}
		if text := h.decide(ctx, w, q, space); text != "" {
			texts = append(texts, text)
			space -= len(text) + 1
		}
	}
	return hooks.Render(call.Agent, call.Event, block, strings.Join(texts, "\n"))
}

// texts gives prompts and failed searches that come from the log their texts.
func (h *Hints) texts(ctx context.Context, events []event.Event) []event.Event {
	for i := range events {
		e := &events[i]
		if e.Text() != "" || e.Kind() != event.KindPrompt && !session.FailedSearch(*e) {
			continue
		}
		logged, err := h.o.DB.Text(ctx, e.ID)
		if err != nil {
			h.o.Log.Warn("the text of a prompt or a search cannot be read", "err", err)
		}
		e.ChangeText(func(text *string, _ *[]string) { *text = logged })
	}
	return events
}

// begun is what began the turn: what the call reports, or a prompt that the agent took no text at; ok is false for calls
// within a turn.
func begun(call hooks.Call, recent []event.Event) (asked reload.Ask, ok bool) {
	if asked, ok = reload.Began(call.Events); ok {
		return asked, true
	}
	for _, e := range slices.Backward(recent) {
		if e.Kind() == event.KindPrompt {
			return reload.AskOf(e)
		}
	}
	return reload.Ask{}, false
}

// question is a question with the way to the facts that answer it, if facts do.
type question struct {
	prefetch.Question
	facts  func(context.Context) []event.Suggestion
	recent []event.Event // that it may be about
	more   int           // files that a change lacks beyond those that are asked about
}

// decide asks one kind, logs what was decided, and returns what to say in at most space bytes, "" for nothing. Until
// the files have been read, for which it waits half of its time, nothing is ranked: the same question would get
// another answer a moment later. What is not decided in time is asked again with the next call.
func (h *Hints) decide(ctx context.Context, w *checkout.Checkout, q question, space int) string {
	if q.facts != nil {
		q.Found = q.facts(ctx)
	}
	if end, _ := ctx.Deadline(); (q.facts == nil || q.Ranks()) && !w.Reader.Wait(ctx, time.Until(end)/2) {
		h.o.Count.Decision(string(q.Kind), "reading")
		h.asked.again(q)
		return ""
	}
	if q.Kind == prefetch.Partner {
		if !h.check(ctx, w, &q, space) {
			return ""
		}
		space -= len(q.Lead) + 1
	}
	if q.Say == nil {
		q.Say = func(shown []event.Suggestion) (string, []event.Path) {
			kind := string(q.Kind)
			switch {
			case q.Kind == prefetch.Prompt:
				w.Places(q.Query.Prompt, shown)
			case q.Kind == prefetch.Search && q.Ranks():
				kind = hooks.HintSought
				w.Places(searchedFor(q.recent), shown)
			}
			text, named := hooks.Text(kind, shown, space-len(hooks.More(q.more)))
			if text != "" {
				text += hooks.More(q.more)
			}
			return text, named
		}
	}
	q.Query.Branch = w.KnownBranch()
	d, err := w.Prefetch.Decide(ctx, q.Question)
	if d.Why == "late" || err != nil && ctx.Err() != nil { // the agent no longer reads it
		h.o.Count.Decision(string(q.Kind), "late")
		h.asked.again(q)
		return ""
	}
	if err != nil {
		h.o.Log.Warn("no hint", "kind", string(q.Kind), "err", err)
		return ""
	}
	h.o.Events.Add(d.Log...)
	h.o.Count.Decision(string(q.Kind), d.Why)
	return d.Text
}

// questions lists what is asked at this call.
func (h *Hints) questions(ctx context.Context, w *checkout.Checkout, call hooks.Call,
	recent []event.Event) (out []question) {
	q := event.Query{Session: call.Session, Subagent: call.Subagent, At: h.o.Now()}
	facts := map[prefetch.Kind]func(context.Context) []event.Suggestion{
		prefetch.Rescue: func(ctx context.Context) []event.Suggestion { return h.misnamed(ctx, w, recent) },
		prefetch.Search: func(context.Context) []event.Suggestion { return h.searched(w, recent) },
		prefetch.Stale:  func(context.Context) []event.Suggestion { return h.stale(w, q, recent) }}
	o := prefetch.Occasion{Query: q, Asked: call.Query, Kind: prefetch.Kind(call.Kind), Recent: recent}
	o.Change = uncommitted(h.o.Sessions.Get(call.Session, q.At), call.Events)
	_, begins := begun(call, recent)
	o.Whole = begins || slices.ContainsFunc(recent, prefetch.LooksAtChange)
	for _, asked := range prefetch.Questions(o) {
		if h.o.Settings.Get().Shows(string(asked.Kind)) {
			out = append(out, question{Question: asked, facts: facts[asked.Kind], recent: recent})
		}
	}
	return out
}

// misnamed finds the files that failed accesses meant.
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

// check asks what the session's change breaks and lacks, as aoa check does, and puts it into the question, of what it
// breaks as far as the session was not told of these files. It reports whether there is a question left.
func (h *Hints) check(ctx context.Context, w *checkout.Checkout, q *question, space int) bool {
	ans, err := w.Check(ctx, change.Request{Files: q.Query.Files, Hint: true})
	if ctx.Err() != nil { // git took too long: it is asked again with the next call
		h.o.Count.Decision(string(q.Kind), "late")
		h.asked.again(*q)
		return false
	}
	if err != nil {
		h.o.Log.Warn("the change is not checked", "err", err)
		return false
	}
	s := h.o.Sessions.Get(q.Query.Session, q.Query.At)
	q.Lacks, q.more = ans.Lacks(), ans.MoreMissing
	q.Lead, q.Named = hooks.BrokenText(slices.DeleteFunc(ans.Broken, func(b index.Broken) bool {
		told := session.Mark{By: q.Query.Subagent, Kind: string(prefetch.Partner), Status: string(prefetch.Shown), File: b.File}
		return slices.Contains(s.Hints.Marks, told)
	}), ans.MoreBroken, space)
	return ans.Silent == ""
}

// searchedFor is the text of the failed searches.
func searchedFor(events []event.Event) string {
	var texts []string
	for _, e := range events {
		if session.FailedSearch(e) {
			texts = append(texts, e.Text())
		}
	}
	return strings.Join(texts, "\n")
}

// searched finds the files that failed searches meant, each with the line of what was searched.
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
					f.Line, f.Symbol = d.Line, d.Name
				}
			}
			out = append(out, f)
		}
	}
	return out
}
