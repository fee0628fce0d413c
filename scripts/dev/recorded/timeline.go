package recorded

import (
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Session is what one session did, in the order in which it was recorded. Events with the same
// Batch were requested together: none of them could use the result of another.
type Session struct {
	ID     string
	Events []event.Event
	Seq    []int               // the number of each event in the record; nil: its place
	Said   map[int]event.Event // before the i-th event: the stop of the turn before, with what the agent said
}

func (s Session) seq(i int) int {
	if i < len(s.Seq) {
		return s.Seq[i]
	}
	return i
}

// unit is a group of events that become known at once: a prompt, or the calls of one batch.
type unit struct {
	session *track
	said    *event.Event // see Session.Said
	events  []event.Event
	seqs    []int        // of the events
	place   int          // among the session's units
	begin   time.Time    // of its first event
	end     time.Time    // of its last event
	files   int          // file events of the session when this unit is known
	prompts int          // prompts of the session when this unit is known
	created int          // first touches of files not known before
	opens   []Open       // files known before that the session opens here for the first time
	turn    []event.Path // a prompt's: files that the session first opens before its next prompt
	next    []*unit      // what begins when this is the last unit known
	after   []*unit      // what begins when this is the last unit known that had a file event
}

// track is the state of one session during the replay.
type track struct {
	id      string
	idle    *unit        // before its first event
	units   []*unit      // in the order in which they become known
	opened  []event.Path // every file event's file, in the order of units
	prompts int
	records bool  // what calls returned
	last    *unit // last unit known
	file    *unit // last unit known that had a file event
	prompt  *unit // last prompt known

	existing map[event.Path]bool // files of the turn that the prompt is to predict
}

// item is a point of the timeline: an event of no session, or a unit that begins or is known.
type item struct {
	at     time.Time
	alone  *event.Event // of no session
	unit   *unit
	begins bool
}

// timeline merges commits and sessions by time. At equal times commits come first, then sessions in
// their order.
func timeline(s Source) ([]item, []*track) {
	items := make([]item, 0, len(s.Commits)+len(s.Others))
	for _, of := range [][]event.Event{s.Commits, s.Others} {
		for i := range of {
			items = append(items, item{at: of[i].Time, alone: &of[i]})
		}
	}
	var tracks []*track
	for _, rec := range s.Sessions {
		t := &track{id: rec.ID, idle: &unit{}}
		t.last = t.idle
		t.idle.session = t
		items = append(items, t.read(rec)...)
		tracks = append(tracks, t)
	}
	slices.SortStableFunc(items, func(a, b item) int { return a.at.Compare(b.at) })
	return items, tracks
}

// read divides a session into units. A unit begins with its first event, and becomes known with its
// last one. The units of subagents that run at the same time overlap.
func (t *track) read(s Session) []item {
	events := s.Events
	last := map[string]int{} // batch → its last event
	for i, e := range events {
		if batch := e.Call().Batch; batch != "" {
			last[batch] = i
		}
	}
	open := map[string]*unit{}
	var items []item
	var now time.Time
	for i, e := range events {
		// A session's order is that of its record: a clock that was set back must not reorder it.
		if e.Time.After(now) {
			now = e.Time
		}
		batch := e.Call().Batch
		u := open[batch]
		if u == nil || batch == "" {
			u = &unit{session: t, begin: now}
			items = append(items, item{at: now, unit: u, begins: true})
			if batch != "" {
				open[batch] = u
			}
			if said, some := s.Said[i]; some {
				u.said = &said
			}
		}
		u.events, u.seqs = append(u.events, e), append(u.seqs, s.seq(i))
		if batch == "" || last[batch] == i {
			u.end = now
			t.known(u)
			items = append(items, item{at: now, unit: u})
		}
	}
	return items
}

func (t *track) known(u *unit) {
	u.place = len(t.units)
	t.units = append(t.units, u)
	for _, e := range u.events {
		if opens(e) {
			t.opened = append(t.opened, e.Paths()...)
		}
		t.records = t.records || len(e.Seen()) > 0
	}
	if u.prompt() != nil {
		t.prompts++
	}
	u.files, u.prompts = len(t.opened), t.prompts
}

// hasFiles reports whether the unit has a file event.
func (u *unit) hasFiles() bool { return slices.ContainsFunc(u.events, opens) }

// prompt returns the unit as a prompt, nil if it is something else.
func (u *unit) prompt() *event.Event {
	if u.events[0].Kind() == event.KindPrompt {
		return &u.events[0]
	}
	return nil
}
