package reload

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

const (
	// endSlack is how long a turn that ended still accepts calls: each hook is a process of its own, and the last call
	// may arrive after the end.
	endSlack = 250 * time.Millisecond
	// maxThread bounds the events of a session among which a turn is looked for.
	maxThread = 1000
)

// boundary is an event that may have ended a turn: an end, or what began the next turn.
type boundary struct {
	session, id string
	at          time.Time // when the turn is over; zero for the begin of the next one
}

// state is what is kept beside the entries: how far the log is read.
type state struct {
	Log     string `json:"log"`
	Applied int64  `json:"applied"`
}

// Open reads how far a log was read, whose last batch is last. Without that, Apply continues behind begin.
func (c *Cache) Open(ctx context.Context, log string, last, begin int64) error {
	v, found, err := c.kept.Get(ctx, "")
	if err != nil && !errors.Is(err, cold.ErrRow) && !errors.Is(err, cold.ErrLostKey) {
		return err
	}
	s := state{}
	if !found || json.Unmarshal(v.Meta, &s) != nil || s.Log != log || s.Applied > last {
		s.Applied = begin
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log = log
	c.applied.Store(s.Applied)
	c.durable.Store(s.Applied)
	return nil
}

// Name is the consumer's.
func (c *Cache) Name() string { return "sequences" }

// Applied is the last batch of the log that was read.
func (c *Cache) Applied() int64 { return c.applied.Load() }

// Apply notes the ends of turns: their entries are made of the log a short time later. An agent whose conversation was
// compacted or cleared does not know any more what it was offered.
func (c *Cache) Apply(_ context.Context, seq int64, events []event.Event) error {
	cfg := c.o.config()
	c.live.Lock()
	defer c.live.Unlock()
	for _, e := range events {
		if e.Session == "" || e.Subagent != "" || c.o.Now().Sub(e.Time) > maxIdle {
			continue
		}
		b := boundary{session: e.Session, id: e.ID}
		switch body := e.Body.(type) {
		case event.Start:
			if body.Source == "compact" || body.Source == "clear" {
				delete(c.offered, e.Session)
			}
			continue
		case event.Stop, event.End:
			b.at = e.Time
		default:
			if _, ok := AskOf(e); !ok || c.o.EndsTurns(e.Agent) {
				continue
			}
		}
		if !cfg.Off {
			c.ended = append(c.ended, b)
			c.signal()
		}
	}
	c.applied.Store(seq)
	return nil
}

// Flush makes the entries of the turns that are over, and writes how far the log is read, unless a turn has just ended.
func (c *Cache) Flush(ctx context.Context) (durable int64, err error) {
	applied := c.applied.Load()
	if !c.makeEntries(ctx, false) {
		err = c.write(ctx, applied)
	}
	return c.durable.Load(), err
}

// makeEntries makes entries of the turns that are over. It reports whether some ended less than endSlack ago, which it
// makes only if all are wanted.
func (c *Cache) makeEntries(ctx context.Context, all bool) (waiting bool) {
	c.making.Lock()
	defer c.making.Unlock()
	c.live.Lock()
	var due, rest []boundary
	for i, b := range c.ended {
		begins := func(next boundary) bool { return next.session == b.session && next.at.IsZero() }
		if all || c.o.Now().Sub(b.at) >= endSlack || slices.ContainsFunc(c.ended[i+1:], begins) {
			due = append(due, b)
		} else {
			rest = append(rest, b)
		}
	}
	c.ended = rest
	waiting = len(c.ended) > 0
	c.live.Unlock()
	for _, b := range due {
		if err := c.make(ctx, b); err != nil && ctx.Err() == nil {
			c.o.Log.Warn("a sequence is not recorded", "err", err)
		}
	}
	return waiting
}

// make makes an entry of the turn that an event ended, if it did something that can be found and replayed.
func (c *Cache) make(ctx context.Context, b boundary) error {
	thread, err := c.o.DB.Thread(ctx, b.session, maxThread)
	if err != nil {
		return err
	}
	for _, t := range turnsOf(thread, c.o.EndsTurns) {
		if t.end != b.id || c.o.Now().Sub(t.newest) > maxIdle {
			continue
		}
		if e := c.entryOf(ctx, b.session, t); e.worth() {
			if err := c.enter(ctx, e); err != nil {
				return err
			}
			c.evict(ctx, c.o.Place())
		}
	}
	return nil
}

// entryOf makes an entry of a turn.
func (c *Cache) entryOf(ctx context.Context, session string, t *turn) *Entry {
	at := t.newest.UTC().Truncate(time.Millisecond)
	e := &Entry{ID: entryID(session, t.asked.ID), Trigger: t.asked.Trigger, Text: event.Clip(t.asked.Text, maxText),
		More: t.more, Session: session, Agent: t.agent, Message: t.asked.ID, Created: at, Used: at}
	for _, a := range t.actions {
		a.fill(c.inputs.get(ctx, a.ID))
		e.Actions = append(e.Actions, a)
		e.addFiles(a)
	}
	e.Tests = tested(e.Actions)
	e.Summary = summary(e)
	e.shrink()
	return e
}

// addFiles adds the files of an action.
func (e *Entry) addFiles(a Action) {
	for i, p := range a.Paths {
		k := slices.IndexFunc(e.Files, func(f File) bool { return f.Path == p })
		switch {
		case !a.OK || k < 0 && len(e.Files) >= maxFiles:
			continue
		case k < 0:
			k = len(e.Files)
			e.Files = append(e.Files, File{Path: p, Before: a.Before})
			if a.Act.ReadOnly() {
				e.Files[k].Before = a.Seen[i]
			}
		}
		e.Files[k].After = a.Seen[i]
		e.Files[k].Wrote = e.Files[k].Wrote || !a.Act.ReadOnly()
	}
}

// sameRequest is the similarity of words from which two requests are the same.
const sameRequest = 0.9

// enter adds an entry, or replaces the one of the same request, unless that is better.
func (c *Cache) enter(ctx context.Context, e *Entry) error {
	if err := c.load(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e.request = index.NewRequest(e.Text)
	for _, old := range c.entries {
		if old.Trigger != e.Trigger || c.similarity(old.request, e.request) < sameRequest {
			continue
		}
		if old.Message == e.Message || old.well() && !e.well() { // the log is read again, or it is better
			return nil
		}
		e.ID, e.Created, e.Uses, e.Successes, e.Failures = old.ID, old.Created, old.Uses, old.Successes, old.Failures
		break
	}
	return c.put(ctx, e)
}

// worth reports whether a turn can be found and replayed: a prompt of fewer than two words ("go on") cannot be found.
func (e *Entry) worth() bool {
	if e.Type == Prompt && index.NewRequest(e.Text).Len() < 2 {
		return false
	}
	return slices.ContainsFunc(e.Actions, func(a Action) bool { return a.OK && a.Act != event.ActOther })
}

// shrink drops the texts of edits if the entry is too large. The names of the files stay.
func (e *Entry) shrink() {
	total := 0
	for _, a := range e.Actions {
		total += len(a.Command) + len(a.Pattern) + 96
		for _, s := range a.Edits {
			total += len(s.Old) + len(s.New)
		}
	}
	for i := range e.Actions {
		if total > maxEntry {
			e.Actions[i].Edits = nil
		}
	}
}

// tested is the result of the last tests, build or linter, "" without one.
func tested(actions []Action) string {
	for _, a := range slices.Backward(actions) {
		if a.Checks && a.OK {
			return testsPassed
		}
		if a.Checks {
			return testsFailed
		}
	}
	return ""
}
