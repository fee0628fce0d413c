package session

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

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
	saved, err := l.Snapshot()
	fault.Check(t, err)
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
	saved, err := l.Snapshot()
	fault.Check(f, err)
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
