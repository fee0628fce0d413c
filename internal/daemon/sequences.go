package daemon

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/prefetch/llmcache"
	"github.com/aoa-dev/aoa/prefetch/reload"
)

// sequences are the recorded ones as a room of the house.
type sequences struct {
	*reload.Cache
	h *house
}

func (s sequences) sweep(ctx context.Context) {
	s.Evict(ctx, s.r.place(s.r.worktrees.at(ctx, "")))
}

func (s sequences) forget(ctx context.Context, f cold.ForgetFilter) error {
	_, err := s.Forget(ctx, f.Path, f.Session, f.Since)
	return err
}

// newSequences makes the room of the recorded sequences; it opens nothing yet.
func (r *sequenceRecorder) newSequences() *reload.Cache {
	return reload.New(reload.Options{Path: filepath.Join(r.store, "reload.db"), Now: r.now, Log: r.alert,
		Env: r.o.Env, Redact: redact.Text, Seal: r.seal.Seal, Open: r.seal.Open,
		Config: func() reload.Config {
			c := r.settings.get().Reload
			return reload.Config{Off: !c.Record, MaxEntries: c.MaxEntries, MaxIdle: r.unlessDoubted(c.MaxIdle), MinSimilarity: c.MinSimilarity, Auto: c.Auto,
				AutoThreshold: c.AutoThreshold, Commands: c.Commands, CommandTime: c.CommandTime}
		}})
}

// place is a worktree as the sequences see it.
func (r *sequenceRecorder) place(w *worktree) reload.Worktree {
	return reload.Worktree{Root: w.repo.Root, Files: func() []event.Path { return w.tree.Load().All() }, Ignored: w.repo.Ignored,
		State: func(ctx context.Context) string { return r.workspace(ctx, w) }}
}

// workspace is a hash of what is checked out and changed, "" if git does not say.
func (r *sequenceRecorder) workspace(ctx context.Context, w *worktree) string {
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

// record hands on what a hook told of a session's turn.
func (r *sequenceRecorder) record(ctx context.Context, w *worktree, call hooks.Call) {
	if call.Session == "" || call.Asked == nil && len(call.Steps) == 0 && call.Next == "" && call.Over == "" {
		return
	}
	at := r.place(w)
	switch {
	case call.Asked != nil && call.Subagent == "":
		r.sequences.Begin(ctx, at, call.Session, call.Agent, *call.Asked, !hooks.TellsTurns(call.Agent))
	case call.Over != "" && call.Subagent == "":
		r.sequences.End(at, call.Session, call.Over == "turn" || !hooks.TellsTurns(call.Agent))
	case call.Next != "" && call.Subagent == "":
		r.sequences.Before(at, call.Session, call.Next)
	}
	r.sequences.Did(at, call.Session, call.Steps)
	if slices.ContainsFunc(call.Events, func(e event.Event) bool {
		return e.Kind == event.KindStart && (e.Tool == "compact" || e.Tool == "clear")
	}) {
		r.sequences.Untell(call.Session)
	}
}

// offer is what is said of the sequences that fit a prompt, within the session's allowance. notice is for the person.
func (r *sequenceRecorder) offer(ctx context.Context, w *worktree, call hooks.Call) (block hooks.Block, notice string) {
	if call.Asked == nil || call.Subagent != "" || call.Asked.Type == reload.Resume ||
		!r.settings.get().Kinds[string(prefetch.Reload)] {
		return hooks.Block{}, ""
	}
	at := r.place(w)
	found, err := r.sequences.Find(ctx, at, *call.Asked)
	if err != nil {
		r.log.Warn("no recorded sequences", "err", err)
		return hooks.Block{}, ""
	}
	if found = r.sequences.Untold(call.Session, found); len(found) == 0 {
		return hooks.Block{}, ""
	}
	label, notice := r.replayed(ctx, at, call, found[0])
	block = hooks.Offers(call.Agent, offers(found, label))
	q := event.Query{Session: call.Session, Subagent: call.Subagent, At: r.now()}
	d, err := w.prefetch.Say(ctx, q, prefetch.Reload, found[0].Entry.ID, block.String())
	if err != nil || ctx.Err() != nil || d.Why != string(prefetch.Shown) {
		if err != nil {
			r.log.Warn("no offer", "err", err)
		}
		r.metrics.decision(string(prefetch.Reload), d.Why)
		return hooks.Block{}, ""
	}
	r.events.Add(d.Log...)
	r.metrics.decision(string(prefetch.Reload), d.Why)
	if err := r.sequences.Told(ctx, call.Session, found); err != nil {
		r.log.Warn("offer not noted", "err", err)
	}
	return block, notice
}

func offers(found []reload.Match, label string) (out []hooks.Offer) {
	for i, m := range found {
		o := hooks.Offer{ID: m.Entry.ID, Summary: m.Entry.Summary, Match: int(100*m.Similarity + 0.5), Uses: m.Entry.Uses, Actions: m.Entry.Tools()}
		if i == 0 {
			o.Label = label
		}
		out = append(out, o)
	}
	return out
}

// autoTime is what a replay without asking may take: it stands before the prompt's answer.
const autoTime = 80 * time.Millisecond

// replayed does the best match again without being asked, if that is switched on and if it only looks. label names what
// it found in the data cache.
func (r *sequenceRecorder) replayed(ctx context.Context, at reload.Worktree, call hooks.Call, m reload.Match) (label, notice string) {
	cfg := r.settings.get().Reload
	if !cfg.Auto || m.Similarity < cfg.AutoThreshold || !m.Entry.OnlyLooks() {
		return "", ""
	}
	ctx, cancel := context.WithTimeout(ctx, autoTime*time.Duration(max(r.o.Patience, 1)))
	defer cancel()
	out, err := r.sequences.Replay(ctx, at, reload.Request{ID: m.Entry.ID, Session: call.Session, Looks: true})
	if err != nil || out.Diverged {
		return "", ""
	}
	kept, err := r.cache.Write(ctx, call.Session, []llmcache.Item{{Task: "reload", Description: "replay of " + m.Entry.ID + ": " + m.Entry.Summary,
		Data: []byte(replayText(out)), Redact: true}})
	if err != nil {
		r.log.Warn("replay not kept", "err", err)
		return "", ""
	}
	label = kept[0].Key
	return label, fmt.Sprintf("aOa: replayed %s (%s) without being asked; its output is in the data cache as %s", m.Entry.ID, m.Entry.Summary, label)
}

// replayText is a replay as text.
func replayText(r reload.Report) string {
	var b strings.Builder
	for _, s := range r.Steps {
		fmt.Fprintf(&b, "%d. %s %s: %s", s.Index, s.Tool, s.What, s.State)
		if s.Note != "" {
			b.WriteString(" (" + s.Note + ")")
		}
		b.WriteString("\n" + s.Output)
	}
	return b.String()
}
