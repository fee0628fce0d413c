package reload

import (
	"context"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

const (
	// endSlack is how long an ended turn still accepts calls. Each hook is a process of its own, so
	// the last call may arrive after the end.
	endSlack = 250 * time.Millisecond
	// maxThread is the number of a session's events in which a turn is looked for.
	maxThread = 1000
)

// makeEntries makes entries of the turns that have ended. It reports whether some ended less than
// endSlack ago; it makes entries of these only if all is true.
func (c *Cache) makeEntries(ctx context.Context, all bool) (waiting bool) {
	c.making.Lock()
	defer c.making.Unlock()
	due, waiting := c.o.Turns.take(c.o.Now(), all)
	if c.o.Config().Off || len(due) == 0 {
		return waiting
	}
	for _, b := range due {
		if err := c.make(ctx, b); err != nil && ctx.Err() == nil {
			c.o.Log.Warn("recording a sequence failed", "err", err)
		}
	}
	return waiting
}

// make makes an entry of the turn that an event ended, if the turn did something that can be found
// and replayed, and nothing was forgotten since.
func (c *Cache) make(ctx context.Context, b boundary) error {
	if err := c.load(ctx); err != nil || !b.At.After(c.since) {
		return err
	}
	thread, err := c.o.DB.Thread(ctx, b.Session, maxThread)
	if err != nil {
		return err
	}
	for _, t := range turnsOf(thread, c.o.Turns.endsTurns) {
		if t.end != b.ID || c.o.Now().Sub(t.newest) > maxIdle {
			continue
		}
		if e := c.entryOf(ctx, b.Session, t); e.worth() {
			if err := c.enter(ctx, e); err != nil {
				return err
			}
			c.Evict(ctx, c.o.Place())
		}
	}
	return nil
}

// entryOf returns the entry of a turn.
func (c *Cache) entryOf(ctx context.Context, session string, t *turn) *Entry {
	at := t.newest.UTC().Truncate(time.Millisecond)
	e := &Entry{ID: entryID(session, t.asked.ID), Trigger: t.asked.Trigger, Text: event.Clip(t.asked.Text, maxText),
		More: t.more, Session: session, Agent: t.agent, Message: t.asked.ID, Created: at, Used: at}
	for _, a := range t.actions {
		a.fill(c.inputs.get(ctx, a.ID))
		e.Actions = append(e.Actions, a)
		e.addFiles(a)
	}
	c.keepPatches(ctx, e)
	e.Tests = tested(e.Actions)
	e.Summary = e.summary()
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

// sameRequest is the least similarity of the words of two requests that count as the same.
const sameRequest = 0.9

// enter adds an entry. It replaces an entry for the same request, unless that one is better.
func (c *Cache) enter(ctx context.Context, e *Entry) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.request = index.NewRequest(e.Text)
	for _, old := range c.entries {
		if old.Trigger != e.Trigger || old.request.Difference(e.request) != "" ||
			c.requests.Similarity(old.request, e.request) < sameRequest {
			continue
		}
		// The same turn is being read from the log again, or the old entry is better.
		if old.Message == e.Message || old.Used.After(e.Used) || old.well() && !e.well() {
			return nil
		}
		e.ID, e.Created, e.Uses, e.Successes, e.Failures = old.ID, old.Created, old.Uses, old.Successes, old.Failures
		break
	}
	return c.put(ctx, e)
}

// worth reports whether a turn is worth recording. A prompt of fewer than two words ("go on") could
// not be found again. A turn that replayed another one would displace what it replayed.
func (e *Entry) worth() bool {
	if e.Type == Prompt && index.NewRequest(e.Text).Len() < 2 || slices.ContainsFunc(e.Actions, Action.replays) {
		return false
	}
	return slices.ContainsFunc(e.Actions, func(a Action) bool { return a.OK && a.Act != event.ActOther })
}

// shrink drops the patches if the entry is too large. The names of the files stay.
func (e *Entry) shrink() {
	total := 0
	for _, a := range e.Actions {
		total += len(a.Command) + len(a.Pattern) + 96
	}
	for _, f := range e.Files {
		total += len(f.Patch)
	}
	for i := range e.Files {
		if total > maxEntry {
			e.Files[i].Patch = ""
		}
	}
}

// tested returns the result of the last tests, build or linter, "" if there was none.
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
