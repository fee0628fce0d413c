package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/prefetch/history"
)

func (h *house) newMemory() *history.History {
	return history.New(history.Options{DB: h.db, Path: filepath.Join(h.o.Place.Store, "history.db"), Now: h.o.Now, Log: h.loud,
		Budget: h.contextBudget, Seal: h.seal.Seal, Open: h.seal.Open})
}

func (h *house) contextBudget() history.Budget {
	c := h.config().Context
	return history.Budget{Prompts: c.Prompts, Actions: c.Actions, Total: c.Total}
}

const (
	// remindTokens leave room for five files in the block at a session's start.
	remindTokens = 420
	// standTime is how long a starting session waits for git to say what is changed.
	standTime = 150 * time.Millisecond
)

// remind is what a starting session is told: what was said and done, then further files of the work. It costs tokens
// of the session's allowance.
func (h *house) remind(ctx context.Context, w *worktree, call hooks.Call) string {
	q := event.Query{Session: call.Session, Subagent: call.Subagent, At: h.o.Now()}
	room, err := w.prefetch.Allowance(ctx, q.Session, prefetch.WorkingSet, min(remindTokens, h.contextBudget().Total), q.At)
	if err != nil || room <= 0 {
		h.gauges.decision(string(prefetch.WorkingSet), "spent")
		return ""
	}
	before, files := h.workBefore(ctx, w, call, room, q.At)
	files = slices.DeleteFunc(files, func(s event.Suggestion) bool { return slices.Contains(before.Files, s.File) })
	d, err := w.prefetch.Tell(ctx, q, prefetch.WorkingSet, files)
	if err != nil {
		h.o.Log.Warn("no working set", "err", err)
		return ""
	}
	if ctx.Err() != nil {
		h.gauges.decision(string(prefetch.WorkingSet), "late")
		return ""
	}
	said := before.Text()
	text := strings.Trim(said+"\n"+hooks.Text(hooks.HintStart, d.Shown), "\n")
	if text != "" && q.Session != "" {
		d.Log = prefetch.Account(q, prefetch.WorkingSet, text, before.Files, d.Log)
	}
	if said != "" {
		d.Why = string(prefetch.Shown)
	}
	h.journal.Add(d.Log...)
	h.gauges.decision(string(prefetch.WorkingSet), d.Why)
	return text
}

// workBefore is the context and the files that a starting session goes on from: its own, or those of the newest
// session whose changes are not committed. Who cleared the conversation is told of files only.
func (h *house) workBefore(ctx context.Context, w *worktree, call hooks.Call, room int, at time.Time) (history.Context, []event.Suggestion) {
	files, session, changed := h.workingSet(ctx, w, call, at)
	if session == "" || slices.ContainsFunc(call.Events, func(e event.Event) bool { return e.Kind == event.KindStart && e.Tool == "clear" }) {
		return history.Context{}, files
	}
	c, err := h.memory.Assemble(ctx, history.Request{Session: session, Total: room, Bare: true, Look: func(ctx context.Context, held []event.Path) history.State {
		ctx, cancel := context.WithTimeout(ctx, standTime)
		defer cancel()
		return w.stands(ctx, held, changed)
	}})
	if err != nil {
		h.o.Log.Warn("no context", "err", err)
	}
	return c, files
}

// stands says how the checkout stands. changed are the files that are not committed, nil to ask git. Where git cannot
// be asked in time nothing is known.
func (w *worktree) stands(ctx context.Context, files, changed []event.Path) history.State {
	if changed == nil {
		var err error
		if changed, err = w.repo.Changed(ctx); err != nil {
			return history.State{}
		}
	}
	st := history.State{Known: true, Changed: changed, Files: map[event.Path]string{}}
	if ref, oid, err := w.repo.Head(ctx); err == nil {
		st.Branch, st.Head = strings.TrimPrefix(ref, "refs/heads/"), oid
	}
	for _, f := range files {
		st.Files[f] = contentHash(w.repo.Root.Abs(f))
	}
	return st
}

// maxHashed bounds the files whose content is read, in bytes; a larger one is told by its size and time.
const maxHashed = 1 << 20

// contentHash is "" where there is no regular file.
func contentHash(file string) string {
	st, err := os.Lstat(file)
	if err != nil || !st.Mode().IsRegular() {
		return ""
	}
	if st.Size() > maxHashed {
		return fmt.Sprint(st.Size(), "@", st.ModTime().UnixNano())
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// context answers aoa context and the tool session_context.
func (h *house) context(ctx context.Context, r api.ContextRequest) (api.ContextAnswer, error) {
	w := h.at(ctx, api.CallerDir(ctx))
	use := history.For(r.For)
	switch {
	case use == "":
		use = history.ForAction
	case use != history.ForAction && use != history.ForPrompt:
		return api.ContextAnswer{}, api.Bad("use action or prompt", "no context is made for %q", r.For)
	}
	if r.Budget < 0 || r.Budget > maxContext {
		return api.ContextAnswer{}, api.Bad(fmt.Sprintf("use 1 to %d, or 0 for the configured one", maxContext), "a budget of %d tokens is out of range", r.Budget)
	}
	h.settleEvents(ctx)
	out := api.ContextAnswer{Session: r.Session, For: string(use), Budget: r.Budget, Segments: []api.Segment{}}
	if out.Budget == 0 {
		out.Budget = h.contextBudget().Total
	}
	if r.Session == "" {
		var err error
		if out.Session, err = h.lastSession(ctx, w); err != nil || out.Session == "" {
			return out, err
		}
	}
	c, err := h.memory.Assemble(ctx, history.Request{Session: out.Session, For: use, Prompt: r.Prompt, Total: r.Budget, Look: func(ctx context.Context, held []event.Path) history.State {
		return w.stands(ctx, held, nil)
	}})
	if err != nil {
		return out, err
	}
	out.Tokens = c.Tokens
	for _, s := range c.Segments {
		out.Segments = append(out.Segments, api.Segment(s))
	}
	return out, nil
}

// maxContext is the largest budget that may be asked for.
const maxContext = 100_000

// lastSession is the newest live session of the checkout, else the newest one of all that were heard of there.
func (h *house) lastSession(ctx context.Context, w *worktree) (string, error) {
	id, err := h.newestSession(ctx, w)
	if err != nil || id != "" {
		return id, err
	}
	rows, err := h.db.SessionStats(ctx, newestSessions)
	for _, s := range rows {
		if s.Agent != "git" && !h.whereabouts.elsewhere(s.ID, w.repo.Root) {
			return s.ID, err
		}
	}
	return "", err
}

// promptCache reads what has been added to transcripts, and sums up.
func (h *house) promptCache(ctx context.Context, r api.PromptCacheRequest) (api.PromptCacheAnswer, error) {
	if r.Limit <= 0 {
		r.Limit = 20
	}
	w := h.at(ctx, api.CallerDir(ctx))
	for _, dir := range r.Transcripts {
		err := hooks.Usages(ctx, dir, h.hookRepo(w), h.memory.Read, func(file string, done int64, found []hooks.Usage) error {
			requests := make([]history.ModelRequest, len(found))
			for i, u := range found {
				requests[i] = history.ModelRequest(u)
			}
			return h.memory.Add(ctx, file, done, requests)
		})
		if err != nil {
			return api.PromptCacheAnswer{}, err
		}
	}
	rows, err := h.memory.PromptCache(ctx, r.Limit)
	out := api.PromptCacheAnswer{Sessions: []api.PromptCacheRow{}}
	for _, s := range rows {
		row := api.PromptCacheRow(s)
		if row.Session == "" {
			out.Total = row
		} else {
			out.Sessions = append(out.Sessions, row)
		}
	}
	return out, err
}
