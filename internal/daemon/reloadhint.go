package daemon

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/llmcache"
	"github.com/aoa-dev/aoa/internal/reload"
	"github.com/aoa-dev/aoa/prefetch"
)

// offer renders the recorded sequences that fit what began a turn. notice is shown to the person. What is predicted is that the turn needs
// a file of the best sequence; one without files predicts nothing, and is offered as it is.
func (h *hints) offer(ctx context.Context, w *worktree, call hooks.Call, asked event.Asked) (block hooks.Block, notice string) {
	if asked.Type == reload.Resume || !h.settings.on(prefetch.Reload) {
		return hooks.Block{}, ""
	}
	at := h.reload.worktree(w)
	found, err := h.reload.cache.Find(ctx, at, asked)
	if err != nil {
		h.log.Warn("no recorded sequences", "err", err)
		return hooks.Block{}, ""
	}
	if found = h.reload.cache.NotOffered(call.Session, found); len(found) == 0 {
		return hooks.Block{}, ""
	}
	label, notice := h.replayed(ctx, at, call, found[0])
	block = hooks.Offers(call.Agent, offers(found, label))
	files := sequenceFiles(found[0])
	q := question{Question: prefetch.Question{Kind: prefetch.Reload, Topic: found[0].Entry.ID,
		Query: event.Query{Session: call.Session, Subagent: call.Subagent, Prompt: asked.Text, At: h.now()},
		Say:   func([]event.Suggestion) (string, []event.Path) { return block.String(), nil }},
		facts: func(context.Context) []event.Suggestion { return files }}
	if len(files) == 0 {
		q.Lead = block.String()
	}
	text := h.decide(ctx, w, q, hooks.MaxHint)
	if err := h.reload.cache.NoteOffer(ctx, call.Session, found, text != ""); err != nil {
		h.log.Warn("offer not noted", "err", err)
	}
	if text == "" {
		return hooks.Block{}, ""
	}
	return block, notice
}

// sequenceFiles are the first files of a sequence, as what its offer predicts.
func sequenceFiles(m reload.Match) (out []event.Suggestion) {
	for _, f := range m.Entry.Files[:min(len(m.Entry.Files), prefetch.MaxFiles)] {
		out = append(out, event.Suggestion{File: f.Path, Score: m.Similarity})
	}
	return out
}

func offers(found []reload.Match, label string) (out []hooks.Offer) {
	for i, m := range found {
		o := hooks.Offer{ID: m.Entry.ID, Summary: m.Entry.Summary, Match: int(100*m.Similarity + 0.5), Uses: m.Entry.Uses,
			Actions: m.Entry.Tools()}
		if i == 0 {
			o.Label = label
		}
		out = append(out, o)
	}
	return out
}

// autoTime bounds a replay without asking: the answer to the prompt waits for it.
const autoTime = 80 * time.Millisecond

// replayed replays the best match without asking, if the settings allow it and it only reads. label is that of its output in the data
// cache.
func (h *hints) replayed(ctx context.Context, at reload.Worktree, call hooks.Call, m reload.Match) (label, notice string) {
	cfg := h.settings.get().Reload
	if !cfg.Auto || m.Similarity < cfg.AutoThreshold || !m.Entry.ReadOnly() {
		return "", ""
	}
	ctx, cancel := context.WithTimeout(ctx, autoTime*time.Duration(h.factor))
	defer cancel()
	out, err := h.reload.cache.Replay(ctx, at, reload.Request{ID: m.Entry.ID, Session: call.Session, ReadOnly: true})
	if err != nil || out.Diverged {
		return "", ""
	}
	item := llmcache.Item{Task: "reload", Description: "replay of " + m.Entry.ID + ": " + m.Entry.Summary,
		Data: []byte(replayText(out)), Redact: true}
	kept, err := h.cache.Write(ctx, call.Session, []llmcache.Item{item})
	if err != nil {
		h.log.Warn("replay not kept", "err", err)
		return "", ""
	}
	label = kept[0].Key
	return label, fmt.Sprintf("aOa: replayed %s (%s) without being asked; its output is in the data cache as %s",
		m.Entry.ID, m.Entry.Summary, label)
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
