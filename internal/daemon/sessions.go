package daemon

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
)

// sessionHandler serves the snapshots of sessions.
type sessionHandler struct {
	base
	events *eventLog
	db     *cold.DB
	file   *session.Store
}

// Bounds of what is read of a session's record.
const (
	rebuiltEvents = 100_000 // to make a snapshot again
	recordEvents  = 10_000  // for a person
)

func newSnapshots(b base, db *cold.DB) *session.Store {
	return session.New(session.Options{Path: filepath.Join(b.settings.store, "sessions.db"), Now: b.now, Log: b.alert,
		Events: func(ctx context.Context, session string) ([]event.Event, error) {
			return db.Log(ctx, cold.LogFilter{Session: session, Oldest: true, Limit: rebuiltEvents})
		}})
}

func (h *sessionHandler) routes(mux *http.ServeMux) {
	api.Handle(mux, api.Sessions, h.list)
	api.Handle(mux, api.SessionShow, h.show)
	api.Handle(mux, api.SessionSet, h.set)
	api.Handle(mux, api.SessionRemove, h.remove)
}

func (h *sessionHandler) list(ctx context.Context, r api.SessionsRequest) (api.SessionsAnswer, error) {
	out := api.SessionsAnswer{Sessions: []api.SessionSnapshot{}}
	if r.State != "" && !isState(r.State) {
		return out, api.Bad("use active, paused, completed, failed or archived", "%q is no state", r.State)
	}
	h.events.SyncBriefly(ctx)
	all, err := h.file.List(ctx, session.Filter{State: session.State(r.State), Archived: r.Archived, Limit: r.Limit})
	for _, s := range all {
		out.Sessions = append(out.Sessions, wireSnapshot(s))
	}
	return out, err
}

func isState(state string) bool {
	switch session.State(state) {
	case session.Active, session.Paused, session.Completed, session.Failed, session.Archived:
		return true
	}
	return false
}

func (h *sessionHandler) show(ctx context.Context, r api.SessionShowRequest) (out api.SessionShowAnswer, err error) {
	h.events.SyncBriefly(ctx)
	s, err := h.file.Get(ctx, r.ID)
	if err != nil {
		return out, sessionRefusal(r.ID, err)
	}
	out.SessionSnapshot = wireSnapshot(s)
	if !r.Full {
		return out, nil
	}
	out.Record, err = h.db.Log(ctx, cold.LogFilter{Session: r.ID, Limit: recordEvents})
	for i, j := 0, len(out.Record)-1; i < j; i, j = i+1, j-1 { // the newest were selected, the oldest come first
		out.Record[i], out.Record[j] = out.Record[j], out.Record[i]
	}
	return out, err
}

func (h *sessionHandler) set(ctx context.Context, r api.SessionSetRequest) (api.SessionSnapshot, error) {
	switch {
	case r.ID == "" || len(r.ID) > 256:
		return api.SessionSnapshot{}, api.Bad("aoa session list names them", "a session's id has 1 to 256 bytes")
	case !isState(r.State):
		return api.SessionSnapshot{}, api.Bad("use active, paused, completed, failed or archived", "%q is no state", r.State)
	}
	h.events.SyncBriefly(ctx)
	s, err := h.file.Set(ctx, r.ID, session.State(r.State), api.CallID(ctx))
	return wireSnapshot(s), sessionRefusal(r.ID, err)
}

func (h *sessionHandler) remove(ctx context.Context, r api.SessionShowRequest) (api.None, error) {
	return api.None{}, sessionRefusal(r.ID, h.file.Remove(ctx, r.ID))
}

// sweep archives and removes sessions that nobody uses any more.
func (h *sessionHandler) sweep(ctx context.Context) {
	archived, removed, err := h.file.Sweep(ctx)
	if err != nil && ctx.Err() == nil {
		h.log.Warn("sessions not swept", "err", err)
	}
	if archived+removed > 0 {
		h.log.Info("sessions swept", "archived", archived, "removed", removed)
	}
}

func sessionRefusal(id string, err error) error {
	switch {
	case errors.Is(err, session.ErrUnknown):
		return api.Missing("aoa session list --archived names them", "no session is called %.100q", id)
	case errors.Is(err, session.ErrState):
		return api.Bad("aoa session show says how it stands; aoa session resume makes it active", "%v", err)
	}
	return err
}

func wireSnapshot(s session.Snapshot) api.SessionSnapshot {
	out := api.SessionSnapshot{ID: s.ID, Agent: s.Agent, State: string(s.State), Started: s.Started.UTC(), Last: s.Last.UTC(), Turns: s.Turns,
		Commands: s.Commands, Resumed: s.Resumed, Tokens: s.Tokens, Files: s.Files, Edited: s.Edited, Version: s.Version}
	for _, c := range s.Recent {
		out.Recent = append(out.Recent, api.SessionCommand{At: c.At.UTC(), Kind: c.Kind, Tool: c.Tool, Files: c.Files, OK: c.OK})
	}
	return out
}
