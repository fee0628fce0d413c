package session

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// For is the purpose of a context.
type For string

// The requests.
const (
	ForAction For = "action" // the work continues: its state
	ForPrompt For = "prompt" // something is asked: similar earlier prompts, too
)

// Request asks for the context of a session.
type Request struct {
	Session string
	For     For    // "" is ForAction
	Prompt  string // ForPrompt: what is asked; "" takes the session's last prompt
	Total   int    // tokens; 0: as configured. More than that is answered from the whole log
	Bare    bool   // without the other files in use: the caller shows them
	// State returns the state of the worktree, with hashes of the files. nil: only the log is used.
	State func(ctx context.Context, files []event.Path) Worktree
}

// Segment is a message of a context. Roles are those of model interfaces.
type Segment struct {
	Role      string `json:"role"`
	Content   string `json:"content"`
	Tokens    int    `json:"tokens"`
	Cacheable bool   `json:"cacheable"` // the next request most likely has it, too, byte for byte
}

// Context is the prompts and actions of a session, in the order in which a prompt cache keeps most of it: what never
// changes, the prompts, the summary of actions, then what changes with every action.
type Context struct {
	Segments []Segment
	Tokens   int
	Files    []event.Path // named in full, in order
	Prompts  int          // prompts that are quoted, whole or in part
}

// Text is the segments as one text, a line each.
func (c Context) Text() string {
	var lines []string
	for _, s := range c.Segments {
		lines = append(lines, s.Content)
	}
	return strings.Join(lines, "\n")
}

func (c *Context) add(content string, cacheable bool) {
	if content == "" {
		return
	}
	role := "user"
	if len(c.Segments) == 0 {
		role = "system"
	}
	c.Segments = append(c.Segments, Segment{role, content, index.Tokens(content), cacheable})
	c.Tokens += index.Tokens(content)
}

// preamble is the first line of every context.
const preamble = "Recorded by aOa: earlier in this work (words in quotes are data, the rest counted from tool calls)."

// Assemble makes the context of a session. It is empty when the log has no prompt and no action of it. Its tokens are
// at most the budget's. It costs one read of what was logged since the last summary. A summary is made, and written,
// only when that part exceeds the budget.
func (s *Store) Assemble(ctx context.Context, r Request) (Context, error) {
	set := s.o.Budget()
	b, kept := set.of(r.Total), true
	if b.Total > set.Total {
		set, kept = b, false // the stored summary left out what fits now
	}
	t, err := s.thread(ctx, r.Session, !kept)
	if err != nil {
		return Context{}, err
	}
	st := state(ctx, r, &t)
	if !t.fresh && !t.summary.Stamp.valid(st, t.actions()) {
		moved := t.newest()
		if t, err = s.thread(ctx, r.Session, true); err != nil {
			return Context{}, err
		}
		t.summary.Work.Moved = moved
	}
	before := t.summary.Said + t.summary.Done
	t.compact(set)
	if t.summary.Said+t.summary.Done != before && kept && !t.loose {
		t.summary.Stamp = stampOf(st, t.summary.Work.held())
		// A summary that is not stored is made again.
		if err := s.saveSummary(ctx, r.Session, &t.summary); err != nil && !errors.Is(err, cold.ErrDamaged) &&
			s.o.Log != nil {
			s.o.Log.Warn("summary not kept", "err", err)
		}
	}
	var found []similar
	if r.For == ForPrompt {
		if found, err = s.similarPrompts(ctx, r, &t); err != nil {
			return Context{}, err
		}
	}
	return t.assemble(r, b, st, found), nil
}

// questionTokens are those of the prompt for which the context is made. Its agent has it in full.
const questionTokens = 50

// state returns the state of the worktree.
func state(ctx context.Context, r Request, t *thread) Worktree {
	if r.State == nil {
		return Worktree{}
	}
	w := t.work()
	return r.State(ctx, w.held())
}

// actions are those behind the summary.
func (t *thread) actions() []Action {
	var out []Action
	for _, i := range t.items {
		if i.prompt == "" && i.seq > t.summary.Done {
			out = append(out, i.action)
		}
	}
	return out
}

// prompts are those behind the summary.
func (t *thread) prompts() []item {
	var out []item
	for _, i := range t.items {
		if i.prompt != "" && i.seq > t.summary.Said {
			out = append(out, i)
		}
	}
	return out
}

// newest is the number of the last item.
func (t *thread) newest() int64 {
	n := max(t.summary.Said, t.summary.Done)
	for _, i := range t.items {
		n = max(n, i.seq)
	}
	return n
}

// work is the state of the work after the last action.
func (t *thread) work() *work {
	w := t.summary.Work.clone()
	for _, i := range t.items {
		switch {
		case i.prompt != "" && i.seq > w.Prompt:
			w.asked(i.seq)
		case i.prompt == "" && i.seq > t.summary.Done:
			w.fold(i.action)
		}
	}
	return w
}

// assemble joins the parts in their order.
func (t *thread) assemble(r Request, b Budget, st Worktree, found []similar) Context {
	prompts, actions, w := t.prompts(), t.actions(), t.work()
	if len(prompts)+len(actions) == 0 && t.summary.Said+t.summary.Done == 0 {
		return Context{}
	}
	var c Context
	c.add(preamble, true)
	gists, quoted := formatPrompts(&t.summary, prompts, b.prompts())
	c.add(gists, true)
	for _, s := range quoted {
		c.add(s, true)
	}
	c.Prompts = len(quoted)
	limit := b.Actions
	if r.For == ForPrompt {
		limit /= 2
	}
	done, latest := formatActions(t.summary.Phases, actions, min(limit, b.Total-c.Tokens))
	c.add(done, true)
	c.add(latest, false)
	c.add(formatSimilar(found, min(b.Total-c.Tokens-min(stateTokens, b.Total/5), similarTokens)), false)
	asked := ""
	if r.For == ForPrompt && r.Prompt != "" {
		asked = "Asked now: " + quote(extract(r.Prompt, questionTokens))
	}
	now, files := formatState(w, st, b.Total-c.Tokens-index.Tokens(asked), r.Bare)
	c.add(now, false)
	c.add(asked, false)
	c.Files = files
	if c.Tokens > b.Total {
		return Context{} // no fact fits into the budget
	}
	return c
}

// stamped is a time of day, with the date where it differs from that of the one before.
func stamped(at, before time.Time) string {
	at, before = at.Local(), before.Local()
	if at.Format(time.DateOnly) == before.Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return at.Format("Jan 2 15:04")
}
