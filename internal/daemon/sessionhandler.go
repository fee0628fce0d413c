package daemon

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/eventlog"
	"github.com/aoa-dev/aoa/internal/llmcache"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/internal/stage"
)

// sessionHandler serves the snapshots of sessions.
type sessionHandler struct {
	base
	events *eventlog.Log
	db     *cold.DB
	stored *session.Store
	cache  *llmcache.Cache
	stages *stage.Cache
}

// recordEvents bounds the events of a session's record that are shown.
const recordEvents = 10_000

func (h *sessionHandler) routes(mux *http.ServeMux) {
	api.Handle(mux, api.Sessions, h.list)
	api.Handle(mux, api.SessionSet, h.set)
}

func (h *sessionHandler) list(ctx context.Context, r api.SessionsRequest) (api.SessionsAnswer, error) {
	var out api.SessionsAnswer
	if r.State != "" && !session.State(r.State).Known() {
		return out, api.Bad("use active, paused, completed, failed or archived", "%q is no state", r.State)
	}
	h.events.SyncBriefly(ctx)
	if r.ID != "" {
		s, err := h.one(ctx, r)
		out.Sessions = []api.SessionSnapshot{s}
		return out, err
	}
	all, err := h.stored.List(ctx, session.Filter{State: session.State(r.State), Archived: r.Archived, Limit: r.Limit})
	out.Sessions = convert(all, wireSnapshot)
	return out, err
}

// find returns the session whose id somebody wrote, or the beginning of it.
func (h *sessionHandler) find(ctx context.Context, typed string) (id string, err error) {
	h.events.SyncBriefly(ctx)
	all, err := h.ids(ctx)
	if err != nil {
		return "", err
	}
	var found []string
	for _, id := range all {
		if id == typed {
			return id, nil
		}
		if typed != "" && strings.HasPrefix(id, typed) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		return "", sessionRefusal(typed, session.ErrUnknown)
	case 1:
		return found[0], nil
	}
	some := event.Path(strings.Join(found[:min(len(found), 5)], ", ")).Display()
	return "", api.Bad("write more of it", "%.100q is the beginning of %d sessions: %s", typed, len(found), some)
}

// ids are the ids of all sessions that any store knows, in order, each once.
func (h *sessionHandler) ids(ctx context.Context) ([]string, error) {
	all, err := h.db.SessionIDs(ctx)
	if err != nil {
		return nil, err
	}
	snapshots, err := h.stored.List(ctx, session.Filter{Archived: true, Limit: recordEvents})
	if err != nil {
		return nil, err
	}
	for _, s := range snapshots {
		all = append(all, s.ID)
	}
	cached, _, err := h.cache.Stats(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range cached {
		all = append(all, s.Session)
	}
	ran, err := h.stages.Sessions(ctx, recordEvents)
	for _, s := range ran {
		all = append(all, s.ID)
	}
	slices.Sort(all)
	return slices.Compact(all), err
}

// one is the session that a request names, with its record if it asks for it.
func (h *sessionHandler) one(ctx context.Context, r api.SessionsRequest) (api.SessionSnapshot, error) {
	s, err := h.stored.Get(ctx, r.ID)
	if err != nil {
		return api.SessionSnapshot{}, sessionRefusal(r.ID, err)
	}
	out := wireSnapshot(s)
	if !r.Full {
		return out, nil
	}
	out.Record, err = h.db.Log(ctx, cold.LogFilter{Session: r.ID, Limit: recordEvents})
	slices.Reverse(out.Record) // the newest were selected, the oldest come first
	return out, err
}

func (h *sessionHandler) set(ctx context.Context, r api.SessionSetRequest) (api.SessionSnapshot, error) {
	switch {
	case r.ID == "" || len(r.ID) > 256:
		return api.SessionSnapshot{}, api.Bad("aoa session list names them", "a session's id has 1 to 256 bytes")
	case r.State == "removed":
		return api.SessionSnapshot{}, h.remove(ctx, r.ID)
	case !session.State(r.State).Known():
		return api.SessionSnapshot{}, api.Bad("use active, paused, completed, failed or archived", "%q is no state", r.State)
	}
	h.events.SyncBriefly(ctx)
	s, err := h.stored.Set(ctx, r.ID, session.State(r.State), api.CallID(ctx))
	return wireSnapshot(s), sessionRefusal(r.ID, err)
}

// remove deletes a session's snapshot, and what pipelines stored in the session.
func (h *sessionHandler) remove(ctx context.Context, id string) error {
	ran, err := h.stages.ForgetSession(ctx, id)
	if err != nil {
		return err
	}
	err = h.stored.Remove(ctx, id)
	if ran && errors.Is(err, session.ErrUnknown) {
		err = nil
	}
	return sessionRefusal(id, err)
}

// sweep archives sessions that nobody uses any more.
func (h *sessionHandler) sweep(ctx context.Context) {
	archived, err := h.stored.Sweep(ctx)
	if err != nil && ctx.Err() == nil {
		h.log.Warn("sessions not swept", "err", err)
	}
	if archived > 0 {
		h.log.Info("sessions swept", "archived", archived)
	}
}

func sessionRefusal(id string, err error) error {
	switch {
	case errors.Is(err, session.ErrUnknown):
		return api.Missing("aoa session list --archived names them", "no session is called %.100q", id)
	case errors.Is(err, session.ErrState):
		return api.Bad("aoa session show names its state; aoa session resume makes it active", "%v", err)
	}
	return err
}

// wireSnapshot is a snapshot without what only the store needs.
func wireSnapshot(s session.Snapshot) api.SessionSnapshot {
	s.Started, s.Last, s.Calls = s.Started.UTC(), s.Last.UTC(), nil
	return api.SessionSnapshot{Snapshot: s}
}
