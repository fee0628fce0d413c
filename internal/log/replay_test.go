package log

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/scripts/eventtest"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestLiveIsReplayedIsRestartedIsForgotten: whatever happens, the states are those of folding the log once, without
// what was forgotten, although states are saved all the time and a forget runs beside new events.
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
			live, l := k.begin(newStates)
			k.run(l, before, 1+s.IntN(half-1), nil)
			if _, at, err := live.o.Kept.Load(t.Context()); err != nil || at <= 0 || at >= live.Applied() {
				t.Fatalf("the snapshot is at batch %d of %d: %v", at, live.Applied(), err)
			}
			restarted, _ := k.begin(newStates)
			same(t, "restarted from a snapshot", restarted, live)
			k.dropBlobs()
			replayed, l := k.begin(newStates)
			same(t, "replayed", replayed, live)

			eraser := cold.Eraser{DB: k.db, Blobs: k.blobs, Now: func() time.Time { return f.Until }, Exclusive: l.Exclusive}
			k.run(l, beside, len(beside), func() error { _, err := eraser.Forget(t.Context(), f.ForgetFilter); return err })
			forgotten, _ := k.begin(newStates)
			never := newKept(t)
			want, l := never.begin(newStates)
			never.run(l, append(f.without(before, false), beside...), 0, nil)
			same(t, "forgotten", forgotten, want)
		})
	}
}

// run appends batches, saves the states beside each of the first ones, and does something once beside all of them.
func (k *kept) run(l *Log, batches [][]event.Event, saves int, once func() error) {
	k.Helper()
	ctx, end := context.WithCancel(k.Context())
	var running, beside sync.WaitGroup
	running.Go(func() { fault.Check(k, l.Run(ctx)) })
	for i, b := range batches {
		if i == saves {
			beside.Wait()
			l.Sync(ctx)
			fault.Check(k, l.Save(ctx)) // the last snapshot has this and no more
		}
		if i < saves {
			beside.Go(func() { fault.Check(k, l.Save(ctx)) })
			beside.Go(func() { fault.Check(k, l.Exclusive(ctx, func() (bool, error) { return false, nil })) })
		}
		if once != nil && i == len(batches)/3 {
			beside.Go(func() { fault.Check(k, once()) })
		}
		_, err := l.Append(ctx, slices.Clone(b))
		fault.Check(k, err)
	}
	beside.Wait()
	end()
	running.Wait()
}

// request is what is forgotten. What happened after its time stays.
type request struct{ cold.ForgetFilter }

// without are the batches that are left without what is forgotten. Commits stay, without the path, unless they come
// beside the request: then they may be logged before it or after it.
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
func same(t *testing.T, what string, got, want *Fold) {
	t.Helper()
	o := gocmp.Options{gocmp.Exporter(func(reflect.Type) bool { return true }), cmpopts.EquateApprox(1e-9, 0),
		cmpopts.EquateEmpty(), cmpopts.IgnoreTypes(sync.Mutex{}, sync.RWMutex{}),
		gocmp.FilterPath(func(p gocmp.Path) bool {
			name := p.Last().String()
			return name == ".recent" || name == ".views"
		}, gocmp.Ignore())}
	fault.Same(t, what+": sessions", got.Sessions, want.Sessions, o)
	for i, c := range want.consumers {
		fault.Same(t, fmt.Sprintf("%s: %T", what, c), got.consumers[i], c, o)
	}
	for _, f := range hot.Families {
		for _, owner := range append(want.Hot.Sums(f, clock()), hot.Member{}) {
			fault.Same(t, what+": "+f.Name+" of "+owner.Name, members(got, f, owner.Name), members(want, f, owner.Name), o)
		}
	}
}

func members(s *Fold, f *hot.Family, owner string) []hot.Member {
	return slices.SortedFunc(slices.Values(s.Hot.All(f, owner, clock())),
		func(x, y hot.Member) int { return cmp.Compare(x.Name, y.Name) })
}
