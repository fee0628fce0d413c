package daemon

import (
	"context"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/internal/session/live"
	"github.com/aoa-dev/aoa/prefetch"
)

// Modes of a session, for people.
const (
	modeLive    = "live"
	modeSession = "session" // it continues an earlier conversation
)

const (
	newestSessions = 20   // searched for a live one
	sessionEvents  = 2000 // starts, hints and outcomes of one session that are counted, the newest
)

// sessionPlaces remembers in which checkout a session was active last. Events do not contain it, because what is learned is valid in
// all checkouts. After a start it is empty, and the newest session counts as that of every checkout.
type sessionPlaces struct {
	mu   sync.Mutex
	root map[string]event.Root // session → checkout
}

// maxSessionPlaces bounds the sessions remembered; then all are dropped.
const maxSessionPlaces = 4096

func (p *sessionPlaces) saw(session string, root event.Root) {
	if session == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.root == nil || len(p.root) >= maxSessionPlaces {
		p.root = map[string]event.Root{}
	}
	p.root[session] = root
}

func (p *sessionPlaces) elsewhere(session string, root event.Root) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, known := p.root[session]
	return known && at != root
}

// sessionFinder knows which sessions are live.
type sessionFinder struct {
	base
	worktrees *worktrees
	db        *cold.DB
	live      *live.Sessions
	places    *sessionPlaces
	stored    *session.Store
}

// session returns the numbers of one session, or of the newest live one of the caller's checkout. It does not wait for events that are
// not applied yet: a status line asks again soon.
func (f *sessionFinder) session(ctx context.Context, r api.SessionRequest) (api.SessionAnswer, error) {
	w := f.worktrees.caller(ctx)
	out := api.SessionAnswer{ID: r.Session, Mode: modeLive, Known: w.tree.Load().Len()}
	if r.Session == "" {
		id, err := f.newest(ctx, w)
		if err != nil || id == "" {
			return out, err
		}
		out.ID = id
	}
	s := f.live.Get(out.ID, f.now())
	out.Agent, out.Files = s.Agent, len(s.Opened)
	events, err := f.db.Log(ctx, cold.LogFilter{Session: out.ID, Limit: sessionEvents,
		Kinds: []event.Kind{event.KindStart, event.KindEnd, event.KindSuggest, event.KindOutcome}})
	if err != nil {
		return out, err
	}
	out.Live = s.Exists() && !ended(events)
	count(&out, events)
	if f.stored.Resumed(out.ID) { // it was resumed by command
		out.Mode = modeSession
	}
	return out, nil
}

// newest is the session of the checkout that was active last and has not ended, "" if there is none.
func (f *sessionFinder) newest(ctx context.Context, w *worktree) (string, error) {
	rows, err := f.db.SessionStats(ctx, newestSessions)
	if err != nil {
		return "", err
	}
	for _, s := range rows {
		age := f.now().Sub(s.Last)
		if age > live.Life {
			break
		}
		if age < -live.Life { // of a clock that ran ahead
			continue
		}
		if f.places.elsewhere(s.ID, w.repo.Root) {
			continue
		}
		border, err := f.db.Log(ctx, cold.LogFilter{Session: s.ID, Limit: 1, Kinds: []event.Kind{event.KindStart, event.KindEnd}})
		if err != nil {
			return "", err
		}
		if !ended(border) {
			return s.ID, nil
		}
	}
	return "", nil
}

// ended reports whether the newest border of a session is its end. Events are newest first.
func ended(events []event.Event) bool {
	for _, e := range events {
		switch e.Kind {
		case event.KindEnd:
			return true
		case event.KindStart:
			return false
		}
	}
	return false
}

// count adds up a session's borders, hints and their outcomes; events are newest first.
func count(out *api.SessionAnswer, events []event.Event) {
	begun := time.Time{}
	for _, e := range events {
		shown := e.Why == string(prefetch.Shown)
		switch {
		case e.Kind == event.KindStart && e.Time.After(begun):
			begun, out.Mode = e.Time, modeOf(e.Tool)
		case e.Kind == event.KindSuggest && shown:
			out.Shown += len(e.Paths)
			out.Tokens += e.Tokens
		case e.Kind == event.KindOutcome && shown:
			out.Settled++
			if e.OK {
				out.Used++
			}
		}
	}
}

// modeOf is the mode of a session that began like this.
func modeOf(source string) string {
	switch source {
	case "resume", "compact", "fork":
		return modeSession
	}
	return modeLive
}

// last is the newest live session of the checkout, else the newest one of all that were active there.
func (f *sessionFinder) last(ctx context.Context, w *worktree) (string, error) {
	id, err := f.newest(ctx, w)
	if err != nil || id != "" {
		return id, err
	}
	rows, err := f.db.SessionStats(ctx, newestSessions)
	for _, s := range rows {
		if s.Agent != "git" && !f.places.elsewhere(s.ID, w.repo.Root) {
			return s.ID, err
		}
	}
	return "", err
}
