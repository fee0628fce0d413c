package daemon

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/regularfile"
	"github.com/aoa-dev/aoa/internal/session"
)

// contextHandler serves the prompts and actions of a session.
type contextHandler struct {
	base
	events    *eventLog
	worktrees *worktrees
	sessions  *sessionFinder
	stored    *session.Store
}

func contextBudget(s *settings) session.Budget {
	budget := session.DefaultBudget
	budget.Total = s.get().ContextTotal
	return budget
}

// state is the state of the worktree. changed are the files that are not committed, nil to ask git. When git does not
// answer in time, the state is unknown.
func (w *worktree) state(ctx context.Context, files, changed []event.Path) session.Worktree {
	if changed == nil {
		var err error
		if changed, err = w.repo.Changed(ctx); err != nil {
			return session.Worktree{}
		}
	}
	st := session.Worktree{Known: true, Changed: changed, Files: map[event.Path]string{}}
	if ref, oid, err := w.repo.Head(ctx); err == nil {
		st.Branch, st.Head = strings.TrimPrefix(ref, "refs/heads/"), oid
	}
	for _, f := range files {
		st.Files[f] = contentHash(w.repo.Root.Abs(f))
	}
	return st
}

// maxHashed bounds the files whose content is read, in bytes; a larger one is identified by its size and time.
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
	data, err := regularfile.Read(file, regularfile.NoLinks, maxHashed)
	if err != nil {
		return ""
	}
	return index.BlobID(data)
}

// context answers aoa context and the tool session_context.
func (c *contextHandler) context(ctx context.Context, r api.ContextRequest) (api.ContextAnswer, error) {
	w := c.worktrees.caller(ctx)
	use := session.For(r.For)
	switch {
	case use == "":
		use = session.ForAction
	case use != session.ForAction && use != session.ForPrompt:
		return api.ContextAnswer{}, api.Bad("use action or prompt", "no context is made for %q", r.For)
	}
	if r.Budget < 0 || r.Budget > maxContext {
		hint := fmt.Sprintf("use 1 to %d, or 0 for the configured one", maxContext)
		return api.ContextAnswer{}, api.Bad(hint, "a budget of %d tokens is out of range", r.Budget)
	}
	c.events.SyncBriefly(ctx)
	out := api.ContextAnswer{Session: r.Session, For: string(use), Budget: r.Budget, Segments: []session.Segment{}}
	if out.Budget == 0 {
		out.Budget = contextBudget(c.settings).Total
	}
	if r.Session == "" {
		var err error
		if out.Session, err = c.sessions.last(ctx, w); err != nil || out.Session == "" {
			return out, err
		}
	}
	state := func(ctx context.Context, held []event.Path) session.Worktree { return w.state(ctx, held, nil) }
	got, err := c.stored.Assemble(ctx, session.Request{Session: out.Session, For: use, Prompt: r.Prompt, Total: r.Budget,
		State: state})
	if err != nil {
		return out, err
	}
	out.Tokens, out.Segments = got.Tokens, append(out.Segments, got.Segments...)
	return out, nil
}

// maxContext is the largest budget that may be asked for.
const maxContext = 100_000
