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
	Seq    []int               // the number of each event in the recording; nil if it is the event's index
	Said   map[int]event.Event // before the i-th event: the stop of the previous turn, with what the agent said
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
	said    *event.Event // what the agent said before a prompt; see Session.Said
	events  []event.Event
	seqs    []int     // number of each of the events
	place   int       // index among the session's units
	begin   time.Time // time of the first event
	end     time.Time // time of the last event
	files   int       // number of file events of the session when this unit becomes known
	prompts int       // number of prompts of the session when this unit becomes known
	created int       // first touches of files that were not known before
	opens   []Open    // first touches of files that were known before
	// for a prompt: the files that the session opens for the first time before its next prompt
	turn  []event.Path
	next  []*unit // what is opened next if this is the last unit that is known
	after []*unit // what is opened next if this is the last unit with a file event that is known
}

// track is the state of one session during the replay.
type track struct {
	id      string
	idle    *unit        // the state before its first event
	units   []*unit      // its units, in the order in which they become known
	opened  []event.Path // the file of every file event, in the order of units
	prompts int
	records bool  // whether the recording has results of calls
	last    *unit // the last unit that is known
	file    *unit // the last unit with a file event that is known
	prompt  *unit // the last prompt that is known

	existing map[event.Path]bool // files of the turn that the prompt should predict
}

// item is a point of the timeline: an event that belongs to no session, or the moment at which a
// unit begins or becomes known.
type item struct {
	at     time.Time
	alone  *event.Event // an event that belongs to no session
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
	last := map[string]int{} // the last event of each batch
	for i, e := range events {
		if batch := e.Call().Batch; batch != "" {
			last[batch] = i
		}
	}
	open := map[string]*unit{}
	var items []item
	var now time.Time
	for i, e := range events {
		// The order of a session is that of its recording, because a clock that was set back must not
		// change it.
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
