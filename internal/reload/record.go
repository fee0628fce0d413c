package reload

import (
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// endSlack is how long a turn that ended still accepts calls: each hook is a process of its own, and the last call
// may arrive after the end.
const endSlack = 250 * time.Millisecond

// makeEntries makes entries of the turns that are over. It reports whether some ended less than endSlack ago, or at any
// time if all are wanted.
func (c *Cache) makeEntries(ctx context.Context, all bool) (waiting bool) {
	c.making.Lock()
	defer c.making.Unlock()
	if c.load(ctx) != nil {
		return false
	}
	over, waiting := c.folded.take(c.o.Now(), all)
	for _, o := range over {
		c.make(ctx, o)
	}
	return waiting
}

// make makes an entry of a turn that did something that can be found and replayed. A prompt that corrects a turn counts
// against its entry.
func (c *Cache) make(ctx context.Context, o over) {
	if t := o.Turn; t != nil && c.o.Now().Sub(t.Newest) <= c.o.config().MaxIdle {
		if e := c.entryOf(ctx, o.Session, t); e.worth() && c.enter(e) {
			c.evict(c.o.place())
		}
	}
	if o.Next == "" {
		return
	}
	corrected := corrects(c.text(ctx, o.Next))
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[c.last[o.Session]]; e != nil && corrected && !e.Outcome.Corrected {
		e.Outcome.Corrected = true
		e.Failures++
		c.changed(e.ID)
	}
	delete(c.last, o.Session)
}

// text is the text of an event, "" if it is lost.
func (c *Cache) text(ctx context.Context, id string) string {
	text, err := c.o.Text(ctx, id)
	if err != nil && ctx.Err() == nil {
		c.o.Log.Warn("a text of a sequence cannot be read", "err", err)
	}
	return text
}

// asked is what began a turn, with its text.
func (c *Cache) asked(ctx context.Context, t *turn) Ask {
	asked := t.Asked
	switch asked.Text = c.text(ctx, asked.ID); asked.Type {
	case Prompt:
		return asked.words()
	case Scheduled:
		asked.Target = digest(asked.Text)
	}
	return asked
}

// entryOf reads the texts of a turn's events.
func (c *Cache) entryOf(ctx context.Context, session string, t *turn) *Entry {
	asked := c.asked(ctx, t)
	at := t.Newest.UTC().Truncate(time.Millisecond)
	e := &Entry{ID: entryID(session, asked.ID), Trigger: asked.Trigger, Text: event.Clip(asked.Text, maxText), More: t.More,
		Session: session, Agent: t.Agent, Message: asked.ID, Created: at, Used: at}
	if e.Trigger.exact() {
		e.State = t.State
	}
	for _, a := range t.Actions {
		text := ""
		if a.Act == event.ActSearch || a.Act == event.ActList || a.Act == event.ActRun {
			text = c.text(ctx, a.ID)
		}
		a.fill(text, c.inputs.get(ctx, a.ID))
		e.Actions = append(e.Actions, a)
		e.addFiles(a)
	}
	e.Outcome = Outcome{Ended: true, Tests: tested(e.Actions)}
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

// enter adds an entry; false if an earlier one of the same request is better.
func (c *Cache) enter(e *Entry) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.print = newFingerprint(e.Trigger, e.Text, e.State)
	if old := c.twin(e); old != nil {
		if old.Message == e.Message { // the log is replayed
			c.last[e.Session] = old.ID
			return false
		}
		if old.Outcome.well() && !e.Outcome.well() {
			c.last[e.Session] = old.ID
			return false
		}
		e.ID, e.Created, e.Uses, e.Successes, e.Failures = old.ID, old.Created, old.Uses, old.Successes, old.Failures
	}
	c.put(e)
	c.last[e.Session] = e.ID
	c.count(countRecorded)
	c.changed(e.ID)
	return true
}

// worth reports whether a turn can be found and replayed: a prompt of fewer than two words ("go on") cannot be found.
func (e *Entry) worth() bool {
	if e.Trigger.Type == Prompt && index.NewRequest(e.Text).Len() < 2 {
		return false
	}
	return slices.ContainsFunc(e.Actions, func(a Action) bool { return a.OK && a.Act != event.ActOther })
}

// twinAt is the similarity of words from which two requests are the same.
const twinAt = 0.9

// twin is the entry of the same request; mu is held.
func (c *Cache) twin(e *Entry) *Entry {
	for _, o := range c.index.candidates(e.print) {
		a, b := o.print.request, e.print.request
		if o.Trigger == e.Trigger && c.index.requests.Similarity(a, b) >= twinAt && a.Difference(b) == "" {
			return o
		}
	}
	return nil
}

// shrink drops texts of edits, the longest first, until the entry is small enough. The names of the files stay.
func (e *Entry) shrink() {
	size := func(a Action) (n int) {
		for _, s := range a.Edits {
			n += len(s.Old) + len(s.New)
		}
		if a.Body != nil {
			n += len(*a.Body)
		}
		return n
	}
	total := 0
	for _, a := range e.Actions {
		total += size(a) + len(a.Command) + len(a.Pattern) + 96
	}
	for total > maxEntry {
		longest := 0
		for i, a := range e.Actions {
			if size(a) > size(e.Actions[longest]) {
				longest = i
			}
		}
		n := size(e.Actions[longest])
		if n == 0 {
			return
		}
		total -= n
		e.Actions[longest].Edits, e.Actions[longest].Body, e.Actions[longest].Cut = nil, nil, true
	}
}

// tested is what the last tests, build or linter came to, "" without one.
func tested(actions []Action) string {
	for _, a := range slices.Backward(actions) {
		if a.Checks {
			if a.OK {
				return "passed"
			}
			return "failed"
		}
	}
	return ""
}

// correction matches prompts that reject what was done.
var correction = regexp.MustCompile(`(?i)^\W*(?:no\b|nope|wrong|stop\b|undo|revert|that'?s (?:not|wrong)|this is (?:not|wrong)|not what` +
	`|i (?:said|meant|asked)|you (?:broke|forgot|missed|didn'?t|should(?:n'?t| not) have)|it (?:still|doesn'?t|does not|didn'?t)` +
	`|still (?:fails|failing|broken|not|doesn)|(?:doesn|didn)'?t work|why did you|instead\b|actually,)`)

func corrects(prompt string) bool { return correction.MatchString(event.Clip(prompt, 120)) }
