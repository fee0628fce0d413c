package log

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestLiveIsReplayedIsRestartedIsForgotten: whatever happens, the states are those of folding the
// log once, without what was forgotten, although states are saved all the time and a forget runs
// beside new events.
func TestLiveIsReplayedIsRestartedIsForgotten(t *testing.T) {
	for seed := range uint64(fault.Rounds()) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := eventtest.NewSequence(seed)
			all := eventtest.Batches(s.Events(400), s.Rand, 8)
			half := len(all) / 2
			f := request{[]cold.ForgetFilter{{Session: eventtest.Sessions[0]}, {Path: "pkg1"}, {Since: all[half/2][0].Time}}[seed%3]}
			f.Until = all[half-1][0].Time
			before, beside := all[:half], f.without(all[half:], true)

			k := newKept(t)
			live := k.begin()
			k.run(live, before, 1+s.IntN(half-1), nil)
			if _, at, err := live.o.Kept.Load(t.Context()); err != nil || at <= 0 || at >= live.Status().Position {
				t.Fatalf("the snapshot is at batch %d of %d: %v", at, live.Status().Position, err)
			}
			same(t, "restarted from a snapshot", k.begin(), live)
			k.dropBlobs()
			forgets := k.begin()
			same(t, "replayed", forgets, live)

			k.run(forgets, beside, len(beside), func() error { _, err := forgets.Forget(t.Context(), f.ForgetFilter); return err })
			never := newKept(t)
			want := never.begin()
			never.run(want, append(f.without(before, false), beside...), 0, nil)
			same(t, "forgotten", forgets, want)
			same(t, "forgotten and restarted", k.begin(), want)
		})
	}
}

// run appends batches, saves the states beside each of the first ones, and does something once
// beside all of them.
func (k *kept) run(l *Log, batches [][]event.Event, saves int, once func() error) {
	k.Helper()
	ctx := k.Context()
	var beside sync.WaitGroup
	gone := false
	l.o.Gone = func() bool { return gone } // belongs to Run
	end := k.running(l)
	for i, b := range batches {
		if i == saves {
			beside.Wait()
			fault.Check(k, l.Save(ctx)) // the last snapshot has this and no more
			fault.Check(k, l.ask(ctx, func(context.Context) error { gone = true; return nil }))
		}
		if i < saves {
			beside.Go(func() { fault.Check(k, l.Save(ctx)) })
			beside.Go(func() { fault.Check(k, l.Prune(ctx, math.MaxInt64)) })
		}
		if once != nil && i == len(batches)/3 {
			beside.Go(func() { fault.Check(k, once()) })
		}
		fault.Must(l.Append(ctx, slices.Clone(b)))
	}
	beside.Wait()
	end()
}

// request is what is forgotten. What happened after its time stays.
type request struct{ cold.ForgetFilter }

// without are the batches that are left without what is forgotten. Commits stay, without the path,
// unless they come beside the request: then they may be logged before it or after it.
func (f request) without(batches [][]event.Event, beside bool) (out [][]event.Event) {
	for _, b := range batches {
		var left []event.Event
		for _, e := range b {
			named, n := false, e
			n.ChangePaths(func(list *[]event.Path) {
				*list = slices.DeleteFunc(slices.Clone(*list), func(p event.Path) bool {
					in := f.Path != "" && strings.HasPrefix(string(p), string(f.Path)+"/")
					named = named || in
					return in
				})
			})
			meant := !e.Time.After(f.Until) && (named || f.Session != "" && e.Session == f.Session ||
				!f.Since.IsZero() && !e.Time.Before(f.Since))
			switch commit := e.Kind() == event.KindCommit || e.Kind() == event.KindUncommit; {
			case commit && !(beside && named):
				left = append(left, n)
			case !commit && !meant:
				left = append(left, e)
			}
		}
		if len(left) > 0 {
			out = append(out, left)
		}
	}
	return out
}

// same compares all states.
func same(t *testing.T, what string, got, want *Log) {
	t.Helper()
	o := gocmp.Options{gocmp.Exporter(func(reflect.Type) bool { return true }), cmpopts.EquateApprox(1e-9, 0),
		cmpopts.EquateEmpty(), cmpopts.IgnoreTypes(sync.Mutex{}, sync.RWMutex{}),
		gocmp.FilterPath(func(p gocmp.Path) bool {
			name := p.Last().String()
			return name == ".recent" || name == ".views" || name == ".endsTurns"
		}, gocmp.Ignore())}
	fault.Same(t, what+": sessions", got.Sessions, want.Sessions, o)
	for i, c := range want.consumers[1:] { // the first is compared by what it reads as, below
		i++
		fault.Same(t, fmt.Sprintf("%s: %T", what, c), got.consumers[i], c, o)
	}
	scores := 0
	for _, f := range hot.Families {
		for _, owner := range append(want.Hot.Sums(f, clock()), hot.Member{}) {
			scores += len(members(want, f, owner.Name))
			fault.Same(t, what+": "+f.Name+" of "+owner.Name, members(got, f, owner.Name), members(want, f, owner.Name), o)
		}
	}
	if scores == 0 {
		t.Errorf("%s: nothing was learned", what)
	}
}

func members(s *Log, f *hot.Family, owner string) []hot.Member {
	return slices.SortedFunc(slices.Values(s.Hot.All(f, owner, clock())),
		func(x, y hot.Member) int { return cmp.Compare(x.Name, y.Name) })
}
