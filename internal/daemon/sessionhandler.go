package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
)

// recordEvents is the number of events in a session's record that are shown.
const recordEvents = 10_000

func (d *Daemon) listSessions(ctx context.Context, r api.SessionsRequest) (api.SessionsAnswer, error) {
	var out api.SessionsAnswer
	if r.State != "" && !r.State.Known() {
		return out, event.BadRequest("use active, paused, completed, failed or archived", "%q is not a state", r.State)
	}
	d.events.SyncBriefly(ctx)
	if r.ID != "" {
		s, err := d.oneSession(ctx, r)
		out.Sessions = []api.SessionSummary{s}
		return out, err
	}
	all := d.events.Sessions.List(r.Filter)
	out.Sessions = convert(all, wireSummary)
	return out, nil
}

// findSession returns the session with an id, or with an id that begins like this.
func (d *Daemon) findSession(ctx context.Context, typed string) (id string, err error) {
	d.events.SyncBriefly(ctx)
	all, err := d.sessionIDs(ctx)
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
		return "", fmt.Errorf("%w %.100q", session.ErrUnknown, typed)
	case 1:
		return found[0], nil
	}
	some := event.Path(strings.Join(found[:min(len(found), 5)], ", ")).Display()
	return "", event.BadRequest("write more of it", "%.100q is the beginning of %d sessions: %s", typed, len(found), some)
}

// sessionIDs returns the ids of all sessions that any store knows, sorted, each once.
func (d *Daemon) sessionIDs(ctx context.Context) ([]string, error) {
	all, err := d.db.SessionIDs(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range d.events.Sessions.List(session.Filter{Archived: true, Limit: recordEvents}) {
		all = append(all, s.ID)
	}
	cached, err := d.cache.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	all = append(all, cached...)
	ran, err := d.stages.Sessions(ctx, recordEvents)
	all = append(all, ran...)
	slices.Sort(all)
	return slices.Compact(all), err
}

// oneSession returns the session that a request names, with its record if the request asks for it.
func (d *Daemon) oneSession(ctx context.Context, r api.SessionsRequest) (api.SessionSummary, error) {
	s, err := d.events.Sessions.Summary(r.ID)
	if err != nil {
		return api.SessionSummary{}, err
	}
	out := wireSummary(s)
	if !r.Full {
		return out, nil
	}
	out.Record, err = d.db.Log(ctx, cold.LogFilter{Session: r.ID, Limit: recordEvents})
	slices.Reverse(out.Record) // the newest were selected; list the oldest first
	return out, err
}

func (d *Daemon) setSession(ctx context.Context, r api.SessionSetRequest) (api.SessionSummary, error) {
	switch {
	case r.ID == "" || len(r.ID) > 256:
		return api.SessionSummary{}, event.BadRequest("aoa session list names them", "a session's id has 1 to 256 bytes")
	case r.State != session.Removed && !r.State.Known():
		return api.SessionSummary{}, event.BadRequest("use active, paused, completed, failed or archived", "%q is not a state", r.State)
	}
	d.events.SyncBriefly(ctx)
	e := event.Event{ID: "state:" + api.CallID(ctx), Time: d.now(), Agent: "cli", Session: r.ID,
		Body: event.State{Name: string(r.State)}}
	err := d.events.Sessions.Allows(e)
	if r.State == session.Removed {
		ran, failed := d.stages.ForgetSession(ctx, r.ID)
		if failed != nil || ran && errors.Is(err, session.ErrUnknown) {
			return api.SessionSummary{}, failed
		}
	}
	if err == nil {
		_, err = d.events.Append(ctx, []event.Event{e})
	}
	if err != nil || r.State == session.Removed {
		return api.SessionSummary{}, err
	}
	_ = d.events.Flush(ctx)
	return d.oneSession(ctx, api.SessionsRequest{ID: r.ID})
}

// wireSummary returns a summary with its times in UTC, as they are sent.
func wireSummary(s session.Summary) api.SessionSummary {
	s.Started, s.Last = s.Started.UTC(), s.Last.UTC()
	return api.SessionSummary{Summary: s}
}
