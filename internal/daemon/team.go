package daemon

import (
	"context"
	"maps"
	"slices"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/team"
)

// teamLog is the event log in the form that package team uses.
type teamLog struct {
	*cold.DB
	daemon *Daemon
}

// Take logs events of other clones. It returns when they are learned.
func (l *teamLog) Take(ctx context.Context, events []event.Event) error {
	return l.daemon.events.AppendHistory(ctx, events, nil)
}

// Forget deletes events of other clones, and what was learned from them.
func (l *teamLog) Forget(ctx context.Context, meant func(event.Event) bool) (int, error) {
	gone, err := l.daemon.events.ForgetPeers(ctx, meant)
	return len(gone), err
}

// newTeam creates the exchange with other clones.
func (d *Daemon) newTeam(ctx context.Context, origin string) (*team.Team, error) {
	return team.New(ctx, team.Options{URL: d.settings.Get().RedisURL, Repo: d.repoID(), Origin: origin,
		Words: func() bool { return d.settings.Get().TeamWords }, Log: &teamLog{d.db, d}, Now: d.now, Info: d.log, Alert: d.alert})
}

// forgetOrigin deletes what one other clone has contributed, and takes nothing from it any more.
func (d *Daemon) forgetOrigin(ctx context.Context, name string) (api.ForgetAnswer, error) {
	st, err := d.teamStatus(ctx)
	if err != nil {
		return api.ForgetAnswer{}, err
	}
	origin, err := d.team.Remove(ctx, name, slices.Sorted(maps.Keys(st.Origins)))
	if err != nil {
		return api.ForgetAnswer{}, event.BadRequest("aoa status lists the origins", "%v", err)
	}
	gone, err := d.events.ForgetPeers(ctx, func(e event.Event) bool { return e.Origin == origin })
	return api.ForgetAnswer{Events: len(gone), Files: len(filesOf(gone))}, err
}

// teamStatus returns the state of the exchange, with what the log has from each clone.
func (d *Daemon) teamStatus(ctx context.Context) (team.Status, error) {
	st := d.team.Status()
	peers, err := d.db.Peers(ctx)
	for _, p := range peers {
		o := st.Origins[p.Origin]
		o.Events, o.Newest = p.Events, p.Newest
		st.Origins[p.Origin] = o
	}
	return st, err
}
