package reload

import (
	"context"
	"os"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// turn is a sequence while it is being recorded.
type turn struct {
	asked   Ask
	agent   string
	state   string
	actions []Action
	more    int
	has     map[string]int // call id → place in actions, -1: beyond maxActions
	files   []File
	at      map[event.Path]int    // place in files
	before  map[event.Path]string // hashes of files that a call is about to change
	newest  time.Time             // of its prompt and calls
	place   Worktree
	ended   time.Time // when the agent ended it; zero: it has not
}

// endSlack is how long a turn that ended still accepts calls: each hook is a process of its own, and the last call
// may arrive after the end.
const endSlack = 250 * time.Millisecond

// maxTurns bounds the sessions that are recorded at once; the one without a call for the longest is dropped.
const maxTurns = 256

// BeginTurn begins a turn of a session. It ends the one before: well is true for agents that do not report the ends
// of turns. A prompt that corrects the turn before counts against its entry.
func (c *Cache) BeginTurn(ctx context.Context, w Worktree, session, agent string, asked Ask, well bool) {
	if session == "" || c.o.config().Off || c.load(ctx) != nil {
		return
	}
	c.finish(ctx, w, session, well)
	state := ""
	if w.State != nil && asked.Type != Prompt {
		state = w.State(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[c.last[session]]; e != nil && asked.Type == Prompt && corrects(asked.Text) {
		e.Outcome.Corrected = true
		e.Failures++
		c.changed(e.ID)
	}
	delete(c.last, session)
	if len(c.turns) >= maxTurns {
		oldest := ""
		for id, t := range c.turns {
			if oldest == "" || t.newest.Before(c.turns[oldest].newest) {
				oldest = id
			}
		}
		delete(c.turns, oldest)
	}
	asked.Text = event.Clip(asked.Text, maxText)
	c.turns[session] = &turn{asked: asked, agent: agent, state: state, has: map[string]int{}, at: map[event.Path]int{},
		before: map[event.Path]string{}, newest: asked.Time}
}

// NoteBefore notes the content of a file that a call is about to change.
func (c *Cache) NoteBefore(w Worktree, session string, p event.Path) {
	c.mu.Lock()
	t := c.turns[session]
	c.mu.Unlock()
	if t == nil {
		return
	}
	hash := c.hashes.hash(w.Root, p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(t.before) < maxFiles {
		t.before[p] = hash
	}
}

// AddCalls takes the calls among events of a session.
func (c *Cache) AddCalls(w Worktree, session string, events []event.Event) {
	c.addActions(w, session, actions(events))
}

func (c *Cache) addActions(w Worktree, session string, actions []Action) {
	c.mu.Lock()
	known := c.turns[session] != nil
	c.mu.Unlock()
	if !known {
		return
	}
	for _, a := range actions {
		if a.OK {
			for _, p := range a.Paths[min(len(a.Seen), len(a.Paths)):] {
				a.Seen = append(a.Seen, c.hashes.hash(w.Root, p))
			}
			c.body(w, &a)
		}
		c.mu.Lock()
		if t := c.turns[session]; t != nil {
			t.add(a)
		}
		c.mu.Unlock()
	}
}

// body keeps the content of a file that a call wrote as a whole, if it is short and has no secret. Hooks do not carry
// it.
func (c *Cache) body(w Worktree, a *Action) {
	if a.Act != event.ActWrite || len(a.Paths) != 1 || w.ignored(a.Paths[0]) {
		return
	}
	dir, err := os.OpenRoot(string(w.Root))
	if err != nil {
		return
	}
	defer dir.Close()
	raw, err := regularfile.ReadIn(dir, string(a.Paths[0]), maxSwap)
	if text := string(raw); err == nil && utf8.Valid(raw) && index.BlobID(raw) == a.Seen[0] {
		if c.o.Redact != nil && c.o.Redact(text) != text {
			a.Secret = true
			return
		}
		a.Body = &text
	}
}

// add adds a call. Another hook may have reported it before, with less.
func (t *turn) add(a Action) {
	t.newest = a.Time
	if i, known := t.has[a.ID]; known {
		if i >= 0 && len(t.actions[i].Edits) == 0 && len(a.Edits) > 0 {
			t.actions[i] = a
		}
		return
	}
	t.has[a.ID] = -1
	if len(t.actions) >= maxActions {
		t.more++
		return
	}
	t.has[a.ID] = len(t.actions)
	t.actions = append(t.actions, a)
	if !a.OK {
		return
	}
	for i, p := range a.Paths {
		k, known := t.at[p]
		if !known {
			if len(t.files) >= maxFiles {
				continue
			}
			k = len(t.files)
			t.at[p] = k
			t.files = append(t.files, File{Path: p, Before: t.before[p]})
			if a.Act.ReadOnly() {
				t.files[k].Before = a.Seen[i]
			}
		}
		t.files[k].After = a.Seen[i]
		t.files[k].Wrote = t.files[k].Wrote || !a.Act.ReadOnly()
	}
}

// EndTurn ends a session's turn: well if the agent ended it itself. Run makes the entry a moment later.
func (c *Cache) EndTurn(w Worktree, session string, well bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.turns[session]
	switch {
	case t == nil:
	case !well:
		delete(c.turns, session)
	default:
		t.place, t.ended = w, c.o.Now()
		c.signal()
	}
}

// finishEnded makes entries of the turns that ended endSlack ago or longer; waiting reports whether others have ended
// since.
func (c *Cache) finishEnded(ctx context.Context) (waiting bool) {
	ended := map[string]Worktree{}
	c.mu.Lock()
	now := c.o.Now()
	for session, t := range c.turns {
		switch {
		case t.ended.IsZero():
		case now.Sub(t.ended) >= endSlack:
			ended[session] = t.place
		default:
			waiting = true
		}
	}
	c.mu.Unlock()
	for session, w := range ended {
		c.finish(ctx, w, session, true)
	}
	return waiting
}

// finish makes an entry of a turn that ended well and did something that can be found and replayed.
func (c *Cache) finish(ctx context.Context, w Worktree, session string, well bool) {
	c.mu.Lock()
	t := c.turns[session]
	delete(c.turns, session)
	c.mu.Unlock()
	if t == nil || !well && t.ended.IsZero() || !t.worth() || c.load(ctx) != nil {
		return
	}
	now := c.o.Now().UTC().Truncate(time.Millisecond)
	e := &Entry{ID: newID(), Trigger: t.asked.Trigger, Text: t.asked.Text, State: t.state,
		Actions: t.actions,
		More:    t.more, Files: t.files, Outcome: Outcome{Ended: true,
			Tests: tested(t.actions)}, Session: session, Agent: t.agent,
		Message: t.asked.ID, Created: now, Used: now}
	e.Summary = summary(e)
	e.shrink()
	if c.enter(e, session) {
		c.evict(w)
	}
}

// enter adds an entry; false if an earlier one of the same request is better.
func (c *Cache) enter(e *Entry, session string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.print = newFingerprint(e.Trigger, e.Text, e.State)
	if old := c.twin(e); old != nil {
		if old.Outcome.well() && !e.Outcome.well() {
			c.last[session] = old.ID
			return false
		}
		e.ID, e.Created, e.Uses, e.Successes, e.Failures = old.ID, old.Created, old.Uses, old.Successes, old.Failures
	}
	c.put(e)
	c.last[session] = e.ID
	c.count(countRecorded)
	c.changed(e.ID)
	return true
}

// worth reports whether a turn can be found and replayed: a prompt of fewer than two words ("go on") cannot be found.
func (t *turn) worth() bool {
	if t.asked.Type == Prompt && index.NewRequest(t.asked.Text).Len() < 2 {
		return false
	}
	return slices.ContainsFunc(t.actions, func(a Action) bool { return a.OK && a.Act != event.ActOther })
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
