package reload

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
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

// state is what is kept beside the entries: how far the log is read, and the counts.
type state struct {
	Log     string           `json:"log"`
	Applied int64            `json:"applied"`
	Counts  map[string]int64 `json:"counts"`
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
	c.log, c.counts = log, s.Counts
	if c.counts == nil {
		c.counts = map[string]int64{}
	}
	c.position.Begin(s.Applied)
	return nil
}

// Name is the consumer's.
func (c *Cache) Name() string { return "sequences" }

// Applied is the last batch of the log that was read.
func (c *Cache) Applied() int64 { return c.position.Applied() }

// Apply notes the ends of turns: their entries are made of the log a short time later. An agent whose conversation was
// compacted or cleared does not know any more what it was offered.
func (c *Cache) Apply(_ context.Context, seq int64, events []event.Event) error {
	cfg := c.o.config()
	c.live.Lock()
	defer c.live.Unlock()
	for _, e := range events {
		if e.Session == "" || e.Subagent != "" || c.o.Now().Sub(e.Time) > cfg.MaxIdle {
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
			if _, ok := AskOf(e); !ok {
				continue
			}
		}
		if !cfg.Off {
			c.ended = append(c.ended, b)
			c.signal()
		}
	}
	c.position.Fold(seq)
	return nil
}

// Flush makes the entries of the turns that are over, and writes how far the log is read, unless a turn has just ended.
func (c *Cache) Flush(ctx context.Context) (durable int64, err error) {
	applied := c.position.Applied()
	if !c.makeEntries(ctx, false) {
		err = c.write(ctx, applied)
	}
	return c.position.Durable(), err
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

// make makes an entry of the turn that an event ended, if it did something that can be found and replayed. A prompt that
// corrects a turn counts against its entry.
func (c *Cache) make(ctx context.Context, b boundary) error {
	thread, err := c.o.DB.Thread(ctx, b.session, maxThread)
	if err != nil {
		return err
	}
	for _, t := range turnsOf(thread, c.o.EndsTurns) {
		switch {
		case t.end == b.id && c.o.Now().Sub(t.newest) <= c.o.config().MaxIdle:
			if e := c.entryOf(ctx, b.session, t); e.worth() {
				if err := c.enter(ctx, e); err != nil {
					return err
				}
				c.evict(ctx, c.o.Place())
			}
		case t.asked.ID == b.id:
			return c.correct(ctx, b.session, t.asked.Text)
		}
	}
	return nil
}

// correct counts a prompt that rejects what the turn before it did.
func (c *Cache) correct(ctx context.Context, session, prompt string) error {
	if err := c.load(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[c.last[session]]
	delete(c.last, session)
	if e == nil || e.Outcome.Corrected || !correction.MatchString(event.Clip(prompt, 120)) {
		return nil
	}
	e.Outcome.Corrected = true
	e.Failures++
	return c.put(ctx, e)
}

// entryOf makes an entry of a turn.
func (c *Cache) entryOf(ctx context.Context, session string, t *turn) *Entry {
	at := t.newest.UTC().Truncate(time.Millisecond)
	e := &Entry{ID: entryID(session, t.asked.ID), Trigger: t.asked.Trigger, Text: event.Clip(t.asked.Text, maxText),
		More: t.more, Session: session, Agent: t.agent, Message: t.asked.ID, Created: at, Used: at}
	if e.Type == Command {
		e.State = t.state
	}
	for _, a := range t.actions {
		a.fill(c.inputs.get(ctx, a.ID))
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
		if old.Message == e.Message || old.Outcome.well() && !e.Outcome.well() { // the log is read again, or it is better
			c.last[e.Session] = old.ID
			return nil
		}
		e.ID, e.Created, e.Uses, e.Successes, e.Failures = old.ID, old.Created, old.Uses, old.Successes, old.Failures
		break
	}
	c.last[e.Session] = e.ID
	c.count(countRecorded, 1)
	return c.put(ctx, e)
}

// worth reports whether a turn can be found and replayed: a prompt of fewer than two words ("go on") cannot be found.
func (e *Entry) worth() bool {
	if e.Type == Prompt && index.NewRequest(e.Text).Len() < 2 {
		return false
	}
	return slices.ContainsFunc(e.Actions, func(a Action) bool { return a.OK && a.Act != event.ActOther })
}

// shrink drops texts of edits, the longest first, until the entry is small enough. The names of the files stay.
func (e *Entry) shrink() {
	size := func(a Action) (n int) {
		for _, s := range a.Edits {
			n += len(s.Old) + len(s.New)
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
		e.Actions[longest].Edits = nil
	}
}

// tested is what the last tests, build or linter came to, "" without one.
func tested(actions []Action) string {
	for _, a := range slices.Backward(actions) {
		if a.Checks && a.OK {
			return "passed"
		}
		if a.Checks {
			return "failed"
		}
	}
	return ""
}

// correction matches prompts that reject what was done.
var correction = regexp.MustCompile(`(?i)^\W*(?:no\b|nope|wrong|stop\b|undo|revert|that'?s (?:not|wrong)|this is (?:not|wrong)|not what` +
	`|i (?:said|meant|asked)|you (?:broke|forgot|missed|didn'?t|should(?:n'?t| not) have)|it (?:still|doesn'?t|does not|didn'?t)` +
	`|still (?:fails|failing|broken|not|doesn)|(?:doesn|didn)'?t work|why did you|instead\b|actually,)`)
