package daemon

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// recentEvents is the consumer that keeps what a hint can be about: for a few minutes edits, failed calls and reads of the change,
// because some hooks cannot carry a hint and the next one of the conversation that can asks for what happened since; the files
// that a session has edited until somebody commits them; and what the files said that it read last.
type recentEvents struct {
	now     func() time.Time
	applied atomic.Int64

	mu      sync.Mutex                       // guards what follows
	events  map[conversation][]event.Event   // oldest first
	changes map[string][]event.Path          // session → files that it has edited and nobody has committed since, the newest last
	reads   map[string]map[event.Path]string // session → file → Event.Blob of its last open, if that was a read
}

// conversation is a session's agent or one of its subagents: a hint about what one did is of no use to another.
type conversation struct{ session, subagent string }

// Bounds of what is kept.
const (
	recentLife     = 5 * time.Minute
	recentKept     = 32  // events per conversation
	recentSessions = 256 // sessions
	recentChanged  = 64  // files of a change
	recentRead     = 512 // files of a session
)

func newRecentEvents(now func() time.Time, applied int64) *recentEvents {
	r := &recentEvents{now: now, events: map[conversation][]event.Event{}, changes: map[string][]event.Path{},
		reads: map[string]map[event.Path]string{}}
	r.applied.Store(applied)
	return r
}

func (r *recentEvents) Name() string { return "recent events" }

func (r *recentEvents) Applied() int64 { return r.applied.Load() }

func (r *recentEvents) Apply(_ context.Context, seq int64, events []event.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	oldest := r.now().Add(-recentLife)
	for _, e := range events {
		r.change(e)
		r.read(e)
		if e.Session == "" || !hintable(e) || e.Time.Before(oldest) {
			continue
		}
		if len(r.events) > recentSessions {
			clear(r.events)
		}
		by := conversation{e.Session, e.Subagent}
		list := append(r.events[by], e)
		r.events[by] = list[max(0, len(list)-recentKept):]
	}
	r.applied.Store(seq)
	return nil
}

// change follows the changes of sessions.
func (r *recentEvents) change(e event.Event) {
	switch {
	case e.Kind == event.KindCommit:
		for id, files := range r.changes {
			if files = slices.DeleteFunc(files, func(f event.Path) bool { return slices.Contains(e.Paths, f) }); len(files) == 0 {
				delete(r.changes, id)
			} else {
				r.changes[id] = files
			}
		}
	case e.Session != "" && e.OK && e.Kind.Edit():
		if len(r.changes) > recentSessions {
			clear(r.changes)
		}
		r.changes[e.Session] = withEdit(r.changes[e.Session], e)
	}
}

// read follows what sessions read.
func (r *recentEvents) read(e event.Event) {
	if e.Session == "" || !e.Kind.Open() {
		return
	}
	if len(r.reads) > recentSessions {
		clear(r.reads)
	}
	if r.reads[e.Session] == nil || len(r.reads[e.Session]) > recentRead {
		r.reads[e.Session] = map[event.Path]string{}
	}
	for _, f := range e.Paths {
		r.reads[e.Session][f] = e.Blob
	}
}

// blob is Event.Blob of the read by which a session opened a file last; "" if it is not known.
func (r *recentEvents) blob(session string, f event.Path) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reads[session][f]
}

// withEdit adds the files of an edit to a change, the newest last.
func withEdit(change []event.Path, e event.Event) []event.Path {
	change = slices.DeleteFunc(slices.Clone(change), func(f event.Path) bool { return slices.Contains(e.Paths, f) })
	change = append(change, e.Paths...)
	return change[max(0, len(change)-recentChanged):]
}

// uncommitted are the files that a session has edited and nobody has committed since, with the edits of own that were not applied yet;
// the newest last.
func (r *recentEvents) uncommitted(session string, own []event.Event) []event.Path {
	r.mu.Lock()
	defer r.mu.Unlock()
	change := slices.Clone(r.changes[session])
	for _, e := range own {
		if e.OK && e.Kind.Edit() {
			change = withEdit(change, e)
		}
	}
	return change
}

// hintable reports whether a hint can be about an event: a start and a prompt only where the agent takes no text at them.
func hintable(e event.Event) bool {
	switch e.Kind {
	case event.KindStart:
		return !agents.Takes(e.Agent, "SessionStart")
	case event.KindPrompt:
		return !agents.Takes(e.Agent, "UserPromptSubmit")
	}
	return e.Kind == event.KindFailed || e.Kind.Edit() || prefetch.LooksAtChange(e)
}

// take removes and returns the events of a conversation since the last take, and those of own that were not applied yet.
func (r *recentEvents) take(session, subagent string, own []event.Event) (out []event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	oldest := r.now().Add(-recentLife)
	by := conversation{session, subagent}
	for _, e := range r.events[by] {
		if e.Time.After(oldest) {
			out = append(out, e)
		}
	}
	delete(r.events, by)
	for _, e := range own {
		if hintable(e) && !slices.ContainsFunc(out, func(o event.Event) bool { return o.ID == e.ID }) {
			out = append(out, e)
		}
	}
	return out
}

func (r *recentEvents) Flush(context.Context) (int64, error) { return r.Applied(), nil }

func (r *recentEvents) Forget(context.Context, cold.ForgetFilter) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.events)
	clear(r.changes)
	clear(r.reads)
	return nil
}
