package daemon

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
	"github.com/aoa-dev/aoa/internal/reload"
)

// sequenceRecorder records what sessions did after a prompt, for package reload.
type sequenceRecorder struct {
	base
	worktrees *worktrees
	cache     *reload.Cache
}

func (r *sequenceRecorder) sweep(ctx context.Context) {
	r.cache.Evict(ctx, r.worktree(r.worktrees.at(ctx, "")))
}

// newSequences opens nothing.
func newSequences(b base, env []string, clock *clock, seal *cold.Seal) *reload.Cache {
	return reload.New(reload.Options{Path: filepath.Join(b.settings.store, "reload.db"), Now: b.now, Log: b.alert,
		Env: env, Redact: redact.Text, Seal: seal,
		Config: func() reload.Config {
			c := b.settings.get().Reload
			return reload.Config{Off: !c.Record, MaxEntries: c.MaxEntries, MaxIdle: clock.unlessDoubted(c.MaxIdle), MinSimilarity: c.MinSimilarity, Auto: c.Auto,
				AutoThreshold: c.AutoThreshold, Commands: c.Commands, CommandTime: c.CommandTime}
		}})
}

// worktree is a checkout as package reload sees it.
func (r *sequenceRecorder) worktree(w *worktree) reload.Worktree {
	return reload.Worktree{Root: w.repo.Root, Files: func() []event.Path { return w.tree.Load().All() }, Ignored: w.repo.Ignored,
		State: func(ctx context.Context) string { return w.fingerprint(ctx) }}
}

// fingerprint is a hash of what is checked out and changed, "" if git does not say.
func (w *worktree) fingerprint(ctx context.Context) string {
	ref, oid, err := w.repo.Head(ctx)
	if err != nil {
		return ""
	}
	changed, err := w.repo.Changed(ctx)
	if err != nil {
		return ""
	}
	slices.Sort(changed)
	return api.Fingerprint(ref + "\n" + oid + "\n" + strings.Join(event.Strings(changed), "\n"))
}

// record notes what a hook reports of a session's turn.
func (r *sequenceRecorder) record(ctx context.Context, w *worktree, call hooks.Call) {
	if call.Session == "" || call.Asked == nil && len(call.Steps) == 0 && call.Next == "" && call.Ended == "" {
		return
	}
	at := r.worktree(w)
	agent, _ := agents.Find(call.Agent)
	switch {
	case call.Asked != nil && call.Subagent == "":
		r.cache.BeginTurn(ctx, at, call.Session, call.Agent, *call.Asked, !agent.EndsTurns())
	case call.Ended != "" && call.Subagent == "":
		r.cache.EndTurn(at, call.Session, call.Ended == "turn" || !agent.EndsTurns())
	case call.Next != "" && call.Subagent == "":
		r.cache.NoteBefore(at, call.Session, call.Next)
	}
	r.cache.AddCalls(at, call.Session, call.Steps)
}
