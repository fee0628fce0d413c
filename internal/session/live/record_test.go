package live

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/eventtest"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// work folds random events of two sessions and a person, and restarts in the middle of them if restart is set.
func work(t *testing.T, seed uint64, restart bool) *Sessions {
	t.Helper()
	r, at := rand.New(rand.NewPCG(seed, 1)), time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	kinds := []event.Kind{event.KindSuggest, event.KindFeedback, event.KindCommit, event.KindPrompt,
		event.KindRead, event.KindEdit, event.KindSearch, event.KindRun, event.KindSave, event.KindRename,
		event.KindStart, event.KindEnd, event.KindTick, event.KindBranch}
	// names in git need not be UTF-8
	file := func() event.Path { return event.Path(fmt.Sprintf("d\xff/%d.go", r.IntN(20))) }
	l := New()
	for i := range 300 {
		at = at.Add(time.Duration(r.IntN(3600)) * time.Second)
		e := event.Event{Time: at, Session: fmt.Sprint("s", r.IntN(2)), Agent: "claude",
			Body: eventtest.Fill(kinds[r.IntN(len(kinds))], eventtest.Fields{"Paths": []event.Path{file()},
				"To": []event.Path{file()}, "From": []event.Path{file()}, "Named": []event.Path{file()},
				"Tags": []string{"go"}, "Terms": []string{fmt.Sprint("word",
					r.IntN(9))}, "Text": "parseBasket", "Source": "compact", "Used": r.IntN(3) > 0, "Helped": r.IntN(3) > 0, "Blob": "0123"})}
		switch e.Kind() {
		case event.KindSuggest:
			e.ID = fmt.Sprint("hint", i)
			label := []Label{LabelOpen, LabelNext, LabelTurn, LabelChange}[r.IntN(4)]
			eventtest.Set(&e, "Arm", Shown, "Label", label, "Scores", []float64{.5}, "Change", []event.Path{file()})
		}
		if e.Kind() == event.KindSearch {
			eventtest.Set(&e, "Seen", []event.Path{file(), file()}, "Listing", true)
		}
		l.Apply(e)
		if !restart || i%50 != 25 {
			continue
		}
		l = again(t, l)
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

// TestReadersBesideTheFold: what a reader has stays as it is.
func TestReadersBesideTheFold(t *testing.T) {
	l, end := New(), make(chan struct{})
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				s := l.Get("s", at)
				before := fmt.Sprint(s.Files(), s.First, s.Words(), s.Results, s.Uncommitted, s.Hints.Open,
					s.Recent("", at.Add(-1)))
				select {
				case <-end:
					return
				default:
				}
				after := fmt.Sprint(s.Files(), s.First, s.Words(), s.Results, s.Uncommitted, s.Hints.Open, s.Recent("", at.Add(-1)))
				if before != after {
					t.Errorf("%s\nis now\n%s", before, after)
					return
				}
			}
		})
	}
	kinds := []event.Kind{event.KindPrompt, event.KindEdit, event.KindSearch, event.KindRun, event.KindRename,
		event.KindCommit,
		event.KindSuggest}
	for i := range 3000 {
		file, old := event.Path(fmt.Sprint(i%40)), event.Path(fmt.Sprint(i%7))
		l.Apply(event.Event{ID: fmt.Sprint(i), Time: at, Session: "s",
			Body: eventtest.Fill(kinds[i%len(kinds)], eventtest.Fields{"Paths": []event.Path{file},
				"To": []event.Path{file}, "Arm": Shown, "From": []event.Path{old}, "Seen": []event.Path{old,
					file}, "Terms": []string{fmt.Sprint("w", i%9)}})})
	}
	close(end)
	readers.Wait()
}
