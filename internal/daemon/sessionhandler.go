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
	stored *session.States
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
	all := h.stored.List(session.Filter{State: session.State(r.State), Archived: r.Archived, Limit: r.Limit})
	out.Sessions = convert(all, wireSnapshot)
	return out, nil
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
	for _, s := range h.stored.List(session.Filter{Archived: true, Limit: recordEvents}) {
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
	s, err := h.stored.Get(r.ID)
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
	case r.State != string(session.Removed) && !session.State(r.State).Known():
		return api.SessionSnapshot{}, api.Bad("use active, paused, completed, failed or archived", "%q is no state", r.State)
	}
	h.events.SyncBriefly(ctx)
	e := event.Event{ID: "state:" + api.CallID(ctx), Time: h.now(), Agent: "cli", Session: r.ID,
		Body: event.State{Name: r.State}}
	err := h.stored.Allows(e)
	if r.State == string(session.Removed) {
		ran, failed := h.stages.ForgetSession(ctx, r.ID)
		if failed != nil || ran && errors.Is(err, session.ErrUnknown) {
			return api.SessionSnapshot{}, failed
		}
	}
	if err == nil {
		_, err = h.events.Append(ctx, []event.Event{e})
	}
	if err != nil || r.State == string(session.Removed) {
		return api.SessionSnapshot{}, sessionRefusal(r.ID, err)
	}
	h.events.Sync(ctx)
	return h.one(ctx, api.SessionsRequest{ID: r.ID})
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

// wireSnapshot is a snapshot with its times as they are sent.
func wireSnapshot(s session.Snapshot) api.SessionSnapshot {
	s.Started, s.Last = s.Started.UTC(), s.Last.UTC()
	return api.SessionSnapshot{Snapshot: s}
}
