package daemon

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch/resume"
)

// desk is the sessions that come back, behind the socket.
type desk struct {
	*resume.Desk
	h *house
}

// Bounds of what is read of a session's record.
const (
	missedEvents = 100_000 // to bring a snapshot up to the log
	recordEvents = 10_000  // for a person
)

func (s *sessionHandler) newDesk() *desk {
	return &desk{h: h, Desk: resume.New(resume.Options{Path: filepath.Join(s.store, "sessions.db"), Now: s.now, Log: s.alert,
		Since: func(ctx context.Context, session string, from time.Time) ([]event.Event, error) {
			return s.db.Log(ctx, cold.LogFilter{Session: session, Since: from, Oldest: true, Limit: missedEvents})
		}})}
}

func (d *desk) routes(mux *http.ServeMux) {
	api.Handle(mux, api.Sessions, d.list)
	api.Handle(mux, api.SessionShow, d.show)
	api.Handle(mux, api.SessionSet, d.set)
	api.Handle(mux, api.SessionRemove, d.remove)
}

// observe lets the sessions of a batch go on. What fails costs no event: a snapshot is made anew from the log.
func (d *desk) observe(ctx context.Context, events []event.Event) {
	if err := d.Observe(ctx, events); err != nil {
		d.s.log.Warn("snapshots of sessions not kept", "err", err)
	}
}

func (d *desk) list(ctx context.Context, r api.SessionsRequest) (api.SessionsAnswer, error) {
	out := api.SessionsAnswer{Sessions: []api.SessionSnapshot{}}
	if r.State != "" && !known(r.State) {
		return out, api.Bad("use active, paused, completed, failed or archived", "%q is no state", r.State)
	}
	d.s.events.settle(ctx)
	all, err := d.List(ctx, resume.Filter{State: resume.State(r.State), Archived: r.Archived, Limit: r.Limit})
	for _, s := range all {
		out.Sessions = append(out.Sessions, onWire(s))
	}
	return out, err
}

func known(state string) bool {
	switch resume.State(state) {
	case resume.Active, resume.Paused, resume.Completed, resume.Failed, resume.Archived:
		return true
	}
	return false
}

func (d *desk) show(ctx context.Context, r api.SessionShowRequest) (out api.SessionShowAnswer, err error) {
	d.s.events.settle(ctx)
	s, err := d.Get(ctx, r.ID)
	if err != nil {
		return out, sessionRefusal(r.ID, err)
	}
	out.SessionSnapshot = onWire(s)
	if !r.Full {
		return out, nil
	}
	out.Record, err = d.s.db.Log(ctx, cold.LogFilter{Session: r.ID, Limit: recordEvents})
	for i, j := 0, len(out.Record)-1; i < j; i, j = i+1, j-1 { // the newest were selected, the oldest come first
		out.Record[i], out.Record[j] = out.Record[j], out.Record[i]
	}
	return out, err
}

func (d *desk) set(ctx context.Context, r api.SessionSetRequest) (api.SessionSnapshot, error) {
	switch {
	case r.ID == "" || len(r.ID) > 256:
		return api.SessionSnapshot{}, api.Bad("aoa session list names them", "a session's id has 1 to 256 bytes")
	case !known(r.State):
		return api.SessionSnapshot{}, api.Bad("use active, paused, completed, failed or archived", "%q is no state", r.State)
	}
	d.s.events.settle(ctx)
	s, err := d.Set(ctx, r.ID, resume.State(r.State), api.CallID(ctx))
	return onWire(s), sessionRefusal(r.ID, err)
}

func (d *desk) remove(ctx context.Context, r api.SessionShowRequest) (api.None, error) {
	return api.None{}, sessionRefusal(r.ID, d.Remove(ctx, r.ID))
}

// sweep archives and removes sessions that nobody touches any more.
func (d *desk) sweep(ctx context.Context) {
	archived, removed, err := d.Sweep(ctx)
	if err != nil && ctx.Err() == nil {
		d.s.log.Warn("sessions not swept", "err", err)
	}
	if archived+removed > 0 {
		d.s.log.Info("sessions swept", "archived", archived, "removed", removed)
	}
}

func (d *desk) forget(ctx context.Context, f cold.ForgetFilter) error { return d.Forget(ctx, f) }

// mode is the session's: one that a person brought back goes on from what was there before.
func (d *desk) mode(session, mode string) string {
	if d.Resumed(session) {
		return modeSession
	}
	return mode
}

func sessionRefusal(id string, err error) error {
	switch {
	case errors.Is(err, resume.ErrUnknown):
		return api.Missing("aoa session list --archived names them", "no session is called %.100q", id)
	case errors.Is(err, resume.ErrState):
		return api.Bad("aoa session show says how it stands; aoa session resume makes it active", "%v", err)
	}
	return err
}

func onWire(s resume.Snapshot) api.SessionSnapshot {
	out := api.SessionSnapshot{ID: s.ID, Agent: s.Agent, State: string(s.State), Started: s.Started.UTC(), Last: s.Last.UTC(), Turns: s.Turns,
		Commands: s.Commands, Resumed: s.Resumed, Tokens: s.Tokens, Files: s.Files, Edited: s.Edited, Version: s.Version}
	for _, c := range s.Recent {
		out.Recent = append(out.Recent, api.SessionCommand{At: c.At.UTC(), Kind: c.Kind, Tool: c.Tool, Files: c.Files, OK: c.OK})
	}
	return out
}
