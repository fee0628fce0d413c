package daemon

import (
	"context"
	"slices"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/session"
)

// Modes of a session, for people.
const (
	modeLive    = "live"
	modeSession = "session" // it continues an earlier conversation
)

// continued has the sources of a session that continues an earlier conversation. A session that a
// command has resumed continues one, too.
var continued = []string{"resume", "compact", "fork"}

// newestSessions is how many of the newest sessions are searched for one that is over.
const newestSessions = 20

// session returns the numbers of one session, or of the newest live one in the caller's checkout.
// It does not wait for events that are not applied yet, because a status line soon asks again.
func (d *Daemon) session(ctx context.Context, r api.SessionRequest) (api.SessionAnswer, error) {
	w := d.worktrees.Caller(ctx)
	out := api.SessionAnswer{ID: r.Session, Mode: modeLive, Known: w.Tree().Len()}
	if r.Session == "" {
		if out.ID = d.newestSession(w); out.ID == "" {
			return out, nil
		}
	}
	s := d.events.Sessions.Get(out.ID, d.now())
	was, _ := d.events.Sessions.Summary(out.ID)
	out.Agent, out.Files, out.Live = s.Summary.Agent, len(s.Opened), s.Exists() && !s.Ended
	out.Shown, out.Resolved, out.Used, out.Tokens = s.Hints.Shown, s.Hints.Resolved, s.Hints.Used, s.Hints.Tokens
	if was.Resumed > 0 || slices.Contains(continued, s.Source) {
		out.Mode = modeSession
	}
	return out, nil
}

// newestSession returns the session in the checkout that was active last and has not ended, or "".
func (d *Daemon) newestSession(w *checkout.Checkout) string {
	for _, s := range d.events.Sessions.Running(d.now()) {
		if !s.Ended && s.ID != session.Watch && !d.worktrees.Elsewhere(s.ID, w.Repo.Root) {
			return s.ID
		}
	}
	return ""
}

// lastSession returns the newest live session in the checkout, else the newest of all sessions that
// were active there.
func (d *Daemon) lastSession(ctx context.Context, w *checkout.Checkout) (string, error) {
	if id := d.newestSession(w); id != "" {
		return id, nil
	}
	rows, err := d.db.SessionStats(ctx, newestSessions)
	for _, s := range rows {
		if s.Agent != "git" && !d.worktrees.Elsewhere(s.ID, w.Repo.Root) {
			return s.ID, err
		}
	}
	return "", err
}
