package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// states folds events, a second apart.
type states struct {
	*Sessions
	t   testing.TB
	now time.Time
	n   int
}

func newStates(t testing.TB) *states {
	return &states{Sessions: New(), t: t, now: noon}
}

func (h *states) add(session string, b event.Body) event.Event {
	h.n++
	h.now = h.now.Add(time.Second)
	e := event.Event{ID: fmt.Sprint("e", h.n), Time: h.now, Agent: "claude", Session: session, Body: b}
	h.Apply(e)
	return e
}

func (h *states) did(session string, kind event.Kind, text string, paths ...event.Path) {
	h.add(session, eventtest.Fill(kind, eventtest.Fields{"Paths": paths, "Tool": string(kind), "Text": text,
		"Source": text, "Reason": text}))
}

func (h *states) get(id string) Summary {
	h.t.Helper()
	s, err := h.Summary(id)
	fault.Check(h.t, err)
	return s
}

func (h *states) list(q Filter) (ids string) {
	for _, s := range h.List(q) {
		ids += s.ID + " "
	}
	return ids
}

func TestStates(t *testing.T) {
	h := newStates(t)
	set := func(id string, to State) error {
		e := event.Event{ID: fmt.Sprint(id, to), Session: id, Body: event.State{Name: string(to)}}
		err := h.Allows(e)
		if err == nil {
			h.add(id, e.Body)
		}
		return err
	}
	if err := set("nobody", Paused); !errors.Is(err, ErrUnknown) {
		t.Fatalf("paused: %v", err)
	}
	fault.Check(t, set("mine", Active)) // begun by a person
	fault.Check(t, set("mine", Paused))
	if err := set("mine", Paused); !errors.Is(err, ErrState) || !strings.Contains(err.Error(), "mine is paused") {
		t.Fatalf("paused twice: %v", err)
	}
	again := h.add("mine", event.State{Name: string(Active)})
	fault.Check(t, h.Allows(again))
	fault.Check(t, set("mine", Completed))
	if err := set("mine", Failed); !errors.Is(err, ErrState) {
		t.Fatalf("failed after it was completed: %v", err)
	}
	fault.Check(t, set("mine", Archived))
	fault.Check(t, set("mine", Active))
	fault.Same(t, "resumed", h.get("mine").Resumed, 2)
	h.did("other", event.KindPrompt, "begin")
	fault.Same(t, "list", h.list(Filter{}), "other mine ")
	fault.Check(t, set("other", Completed))
	fault.Same(t, "active", h.list(Filter{State: Active}), "mine ")
	fault.Check(t, set("other", Archived))
	fault.Same(t, "not archived", h.list(Filter{}), "mine ")
	fault.Same(t, "all", h.list(Filter{Archived: true}), "other mine ")
	h.did("other", event.KindPrompt, "there is more")
	fault.Same(t, "it goes on", h.list(Filter{State: Active}), "other mine ")
	fault.Check(t, set("mine", Removed))
	if err := set("mine", Removed); !errors.Is(err, ErrUnknown) {
		t.Fatalf("removed twice: %v", err)
	}
	fault.Same(t, "left", h.list(Filter{Archived: true}), "other ")
}

// TestSummariesAreBounded: of too many sessions that are over, the one with the oldest event is
// forgotten.
func TestSummariesAreBounded(t *testing.T) {
	h := newStates(t)
	for i := range maxSessions + mostOver {
		h.did(fmt.Sprint("s", i), event.KindPrompt, "")
	}
	h.did("s0", event.KindRead, "", "a.go") // now s1 is the one with the oldest event
	h.did("another", event.KindPrompt, "")
	fault.Same(t, "sessions that run, and that are over", []int{len(h.sessions), len(h.over)},
		[]int{maxSessions, mostOver})
	if _, err := h.Summary("s1"); !errors.Is(err, ErrUnknown) {
		t.Errorf("the session with the oldest event is kept: %v", err)
	}
	fault.Same(t, "commands of a session that goes on", h.get("s0").Commands, 2)
}

// TestSummariesGolden compares the summary of a session after each of its events with a golden
// file.
func TestSummariesGolden(t *testing.T) {
	h := newStates(t)
	var b strings.Builder
	print := func(what string) {
		fmt.Fprintf(&b, "%s: %s\n", what, fault.Must(json.Marshal(h.get("s"))))
	}
	for i, body := range []event.Body{event.Start{Source: "startup"}, event.Prompt{Text: "go"},
		event.Start{Source: "compact"}, event.Start{Source: "clear"}, event.Start{Source: "resume"},
		event.Call{Act: event.ActRead, Tool: "Read", Paths: []event.Path{"a", "b", "c", "d", "e"}},
		event.Call{Act: event.ActRead, Tool: "Read", Paths: []event.Path{"1", "2", "3", "4", "5", "6", "7", "8", "9"}},
		event.Call{Act: event.ActEdit, Tool: "Edit", Paths: []event.Path{"b"}},
		event.Call{Act: event.ActRun, Tool: "Bash", Text: "false", Failure: event.FailStatus},
		event.Hint{Status: "shown", Tokens: 20}, event.Hint{Status: "withheld", Tokens: 300}, event.State{Tokens: 7},
		event.State{Tokens: -7}, event.Save{Paths: []event.Path{"saved"}}, event.State{Name: "completed", Tokens: 1},
		event.Call{Act: event.ActSearch},
		event.End{Reason: "exit"}, event.State{Name: "active"}, event.State{Name: "active"}} {
		h.add("s", body)
		print(fmt.Sprintf("%d %T", i+1, body))
	}
	late := event.Event{ID: "late", Session: "s", Agent: "codex", Time: noon.Add(-time.Hour),
		Body: event.Prompt{Text: "late"}}
	h.Apply(late)
	print("an event of before")
	late.Origin, late.Session = "another clone", "another/s"
	h.Apply(late)
	print("one of another clone")
	h.add("begun", event.State{Name: "active"})
	h.did("begun", event.KindPrompt, "go")
	fmt.Fprintf(&b, "begun by a person: %s\n", fault.Must(json.Marshal(h.get("begun"))))
	for i := range 60 {
		h.did(fmt.Sprint("many", i), event.KindPrompt, "go")
	}
	fmt.Fprintf(&b, "%d, %d, %d listed\n", len(h.List(Filter{})), len(h.List(Filter{Limit: 55})),
		len(h.List(Filter{Limit: -1})))
	for to, from := range moves {
		if to.Known() != (to != Removed) {
			t.Errorf("%s is known: %v", to, to.Known())
		}
		for _, x := range from {
			if !x.Known() {
				t.Errorf("from %s to %s", x, to)
			}
		}
	}
	fault.Golden(t, "testdata/summaries.golden", b.String())
}

// TestAges: the days after which a session is archived and deleted, and how far ahead a clock may
// be.
func TestAges(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		age  time.Duration
		want State // "": deleted
	}{{30 * day, Active}, {30*day + 1, Archived}, {90 * day, Archived}, {90*day + 1, ""}, {-day, Active}} {
		h := newStates(t)
		h.did("s", event.KindPrompt, "go")
		began := h.get("s").Last
		h.Apply(event.Event{Time: began.Add(c.age), Body: event.Tick{}})
		s, err := h.Summary("s")
		if s.State != c.want || (err != nil) != (c.want == "") || c.age == -day && !s.Last.Equal(began) {
			t.Errorf("after %v: %q, %v", c.age, s.State, err)
		}
		h.Apply(event.Event{Time: began.Add(-day - 1), Body: event.Tick{}})
		if s, err := h.Summary("s"); err == nil && !s.Last.Equal(began.Add(-day-1)) {
			t.Errorf("a clock that ran ahead by more than a day counts: %v", s.Last)
		}
	}
}

// work folds a sequence of events, and restarts in the middle of it if restart is set.
func work(t *testing.T, seed uint64, restart bool) *Sessions {
	t.Helper()
	l := New()
	for i, e := range eventtest.NewSequence(seed).Events(300) {
		l.Apply(e)
		if restart && i%50 == 25 {
			l = again(t, l)
		}
	}
	return l
}

// again restores sessions from their snapshot.
func again(t *testing.T, l *Sessions) *Sessions {
	t.Helper()
	saved := fault.Must(l.Snapshot())
	n := New()
	fault.Check(t, n.Restore(saved))
	return n
}

func TestRestartChangesNothing(t *testing.T) {
	for seed := range uint64(20) {
		whole, cut := work(t, seed, false), work(t, seed, true)
		for _, l := range []*Sessions{whole, cut} {
			for _, s := range l.sessions {
				s.recent = nil // not saved
			}
		}
		if !reflect.DeepEqual(whole.sessions, cut.sessions) {
			t.Fatalf("seed %d:\n%+v\n%+v", seed, whole.sessions, cut.sessions)
		}
	}
}

// FuzzRestore: what can be restored is written and restored the same.
func FuzzRestore(f *testing.F) {
	l := New()
	l.Apply(event.Event{Time: time.UnixMilli(1e12).UTC(), Session: "s",
		Body: event.Call{Act: event.ActEdit, Paths: []event.Path{"a"}}})
	saved := fault.Must(l.Snapshot())
	for _, data := range [][]byte{nil, saved, saved[:len(saved)-1], append([]byte{99}, saved[1:]...)} {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l := New()
		switch err := l.Restore(data); {
		case err == nil:
			if n := again(t, l); !reflect.DeepEqual(l.sessions, n.sessions) {
				t.Errorf("%+v\n%+v", l.sessions, n.sessions)
			}
		case !errors.Is(err, ErrSnapshot):
			t.Error(err)
		}
	})
}

// TestFailedSearch: one that named no file or too many, and no search of a file that it names.
func TestFailedSearch(t *testing.T) {
	many := make([]event.Path, mostResults+1)
	for _, tt := range []struct {
		call event.Call
		want bool
	}{{event.Call{Act: event.ActSearch}, true}, {event.Call{Act: event.ActList, Seen: many}, true},
		{event.Call{Act: event.ActSearch, Failure: event.FailStatus}, true},
		{event.Call{Act: event.ActSearch, Seen: many[:2]}, false}, {event.Call{Act: event.ActSearch, Named: many[:1]}, false},
		{event.Call{Act: event.ActRead}, false}} {
		fault.Same(t, fmt.Sprintf("%+v", tt.call), FailedSearch(event.Event{Body: tt.call}), tt.want)
	}
}
