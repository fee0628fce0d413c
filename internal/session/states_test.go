package session

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session/live"
	"github.com/aoa-dev/aoa/scripts/eventtest"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// statesFixture folds events, a second apart.
type statesFixture struct {
	*States
	t   testing.TB
	now time.Time
	n   int
}

func newStatesFixture(t testing.TB) *statesFixture {
	return &statesFixture{States: NewStates(), t: t, now: noon}
}

func (h *statesFixture) add(session string, b event.Body) event.Event {
	h.n++
	h.now = h.now.Add(time.Second)
	e := event.Event{ID: fmt.Sprint("e", h.n), Time: h.now, Agent: "claude", Session: session, Body: b}
	h.Apply(e, nil, live.Delta{})
	return e
}

func (h *statesFixture) did(session string, kind event.Kind, text string, paths ...event.Path) {
	h.add(session, eventtest.Fill(kind, eventtest.Fields{"Paths": paths, "Tool": string(kind), "Text": text,
		"Source": text, "Reason": text}))
}

func (h *statesFixture) get(id string) Snapshot {
	h.t.Helper()
	s, err := h.Get(id)
	fault.Check(h.t, err)
	return s
}

func (h *statesFixture) list(q Filter) (ids string) {
	for _, s := range h.List(q) {
		ids += s.ID + " "
	}
	return ids
}

func TestSnapshotSuffices(t *testing.T) {
	h := newStatesFixture(t)
	h.did("s", event.KindStart, "startup")
	h.did("s", event.KindPrompt, "turn the marmalade green")
	for i := range 20 {
		h.did("s", event.KindRead, "", event.Path(fmt.Sprint("f", i, ".go")))
	}
	h.did("s", event.KindEdit, "", "f3.go")
	h.did("s", event.KindRun, "go test -run Marmalade")
	h.add("s", event.State{Tokens: 1200})
	h.add("s", event.State{Tokens: 34})
	h.did("s", event.KindEnd, "other")
	saved, err := h.Snapshot()
	fault.Check(t, err)
	if s := strings.ToLower(string(saved)); !strings.Contains(s, "f19.go") || strings.Contains(s, "marmalade") {
		t.Fatal("the snapshot tells words, or lacks files")
	}
	h.States = NewStates()
	fault.Check(t, h.Restore(saved))
	got := h.get("s")
	fault.Same(t, "counts", []any{got.State, got.Commands, got.Turns, got.Tokens, got.Resumed, got.Agent},
		[]any{Paused, 23, 1, int64(1234), 0, "claude"})
	fault.Same(t, "files", got.Files, []event.Path{"f3.go", "f19.go", "f18.go", "f17.go", "f16.go", "f15.go", "f14.go",
		"f13.go"})
	fault.Same(t, "edited", got.Edited, []event.Path{"f3.go"})
	fault.Same(t, "recent", []any{len(got.Recent), got.Recent[2].Kind, got.Recent[1].Files},
		[]any{3, event.KindRun, []event.Path{"f3.go"}})
	h.did("s", event.KindStart, "resume")
	got = h.get("s")
	fault.Same(t, "resumed", []any{got.State, got.Resumed}, []any{Active, 1})
}

func TestStates(t *testing.T) {
	h := newStatesFixture(t)
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

// TestArchiveAndCleanUp: sessions that are not used are archived, then deleted, those of a clock that ran ahead too.
func TestArchiveAndCleanUp(t *testing.T) {
	h := newStatesFixture(t)
	h.did("old", event.KindPrompt, "begin")
	h.now = h.now.AddDate(12, 0, 0)
	h.did("ahead", event.KindPrompt, "begin")
	h.now = noon.Add(archiveAfter)
	h.did("new", event.KindPrompt, "begin")
	sweep := func(after time.Duration, want string) {
		t.Helper()
		h.now = h.now.Add(after)
		h.add("", event.Tick{})
		fault.Same(t, "active", h.list(Filter{}), want)
	}
	sweep(time.Minute, "ahead new ")
	fault.Same(t, "state", h.get("old").State, Archived)
	sweep(archiveAfter, "")
	sweep(archiveAfter, "")
	if _, err := h.Get("old"); !errors.Is(err, ErrUnknown) {
		t.Fatalf("still there: %v", err)
	}
	fault.Same(t, "archived", h.list(Filter{State: Archived}), "ahead new ")
}

func FuzzRestore(f *testing.F) {
	h := newStatesFixture(f)
	h.did("s", event.KindEdit, "", "a")
	saved, err := h.Snapshot()
	fault.Check(f, err)
	f.Add(saved)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, saved []byte) {
		if s := NewStates(); s.Restore(saved) == nil {
			for _, x := range s.List(Filter{Archived: true}) {
				x.fold(event.Event{Body: event.Call{Act: event.ActEdit, Paths: []event.Path{"a", "b"}}})
			}
		}
	})
}

func TestStatesAreBounded(t *testing.T) {
	h := newStatesFixture(t)
	h.did("s0", event.KindPrompt, "")
	for i := range 1000 {
		h.did(fmt.Sprint("s", i), event.KindPrompt, "")
	}
	h.did("s0", event.KindRead, "", "a.go") // now s1 is the one with the oldest event
	h.did("another", event.KindPrompt, "")
	fault.Same(t, "sessions kept", len(h.sessions), 1000)
	if _, err := h.Get("s1"); !errors.Is(err, ErrUnknown) {
		t.Errorf("the session with the oldest event is kept: %v", err)
	}
	fault.Same(t, "commands of a session in use", h.get("s0").Commands, 3)
}
