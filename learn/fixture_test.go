package learn_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

var start = eventtest.Start

// fixture is a store with a learner and the next sequence.
type fixture struct {
	*testing.T
	store    *hot.Store
	sessions *session.Sessions
	learner  *learn.Learner
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	s := hot.New()
	return &fixture{t, s, session.New(), learn.New(s)}
}

func (d *fixture) learn(events ...event.Event) { d.learner.Learn(d.sessions, events...) }

// of is one value now.
func (d *fixture) score(f *hot.Family, owner, member string, at time.Time) float64 {
	d.Helper()
	v := d.store.View(at)
	r := v.OwnedOf(f, owner, []string{member})
	fault.Check(d, v.Load(d.Context()))
	return r.Value[0]
}

func (d *fixture) expect(what string, got, want float64) {
	d.Helper()
	if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		d.Errorf("%s is %v, want %v", what, got, want)
	}
}

// restart begins a new learner, and moves what is in memory to a new store through a snapshot.
func (d *fixture) restart() *fixture {
	d.Helper()
	recs := fault.Must(d.store.Snapshot())
	sessions := fault.Must(d.sessions.Snapshot())
	n := newFixture(d.T)
	fault.Check(d, errors.Join(n.store.Restore(recs), n.sessions.Restore(sessions)))
	return n
}

// scores are all scores at the newest of some events, by family, owner and member.
func (d *fixture) scores(events []event.Event) map[string]float64 {
	d.Helper()
	at, names := time.Time{}, map[hot.Noun]map[string]bool{hot.NounFile: {}, hot.NounTerm: {}, hot.NounTag: {}}
	note := func(of hot.Noun, all ...string) {
		for _, n := range all {
			names[of][n] = true
		}
	}
	for _, e := range events {
		note(hot.NounFile, event.Strings(slices.Concat(e.Paths(), e.From(), e.Gone()))...)
		note(hot.NounTerm, e.Terms()...)
		note(hot.NounTag, e.Tags()...)
		if e.Time.After(at) {
			at = e.Time
		}
	}
	names[hot.NounNone] = map[string]bool{"": true}
	out := map[string]float64{}
	for _, f := range hot.Families {
		for owner := range names[f.Owner] {
			for member := range names[f.Member] {
				if x := d.score(f, owner, member, at); x != 0 {
					out[strings.TrimSpace(f.Name+" "+owner)+" "+member] = x
				}
			}
		}
	}
	return out
}
