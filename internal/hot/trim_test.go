package hot_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestHousekeepingChangesNoAnswer fills stores with random histories over several epochs and
// compares every answer before and after a tick: bit for bit what ranks, to 1e-6 the values of
// single members.
func TestHousekeepingChangesNoAnswer(t *testing.T) {
	jobs := map[string]func(*hot.Store, time.Time){"tick": (*hot.Store).Tick, "sweep": (*hot.Store).Sweep}
	for name, job := range jobs {
		t.Run(name, func(t *testing.T) {
			shorten(t, 256)
			lost := 0
			for seed := range uint64(8) {
				r := rand.New(rand.NewPCG(seed, 3))
				s := hot.New(nil)
				members := make([]string, 300)
				for i := range members {
					members[i] = fmt.Sprint("m", i)
				}
				now := noon
				randomHistory(r, s, now, members)
				before, size := answersAt(t, s, now, members), len(snapshot(t, s))
				job(s, now)
				compareAnswers(t, before, answersAt(t, s, now, members))
				lost += size - len(snapshot(t, s))
				later := now.Add(5 * time.Hour)
				undone := hot.New(nil)
				randomHistory(rand.New(rand.NewPCG(seed, 3)), undone, now, members)
				compareAnswers(t, answersAt(t, undone, later, members), answersAt(t, s, later, members))
			}
			if lost == 0 {
				t.Error("nothing was dropped, so nothing was tested")
			}
		})
	}
}

// randomHistory writes sets that are too large, in two epochs, with values from 1e-12 to 10.
func randomHistory(r *rand.Rand, b *hot.Store, now time.Time, members []string) {
	for _, f := range hot.Families {
		owners := []string{"o1", "o2", "o3"}
		if f.Global() {
			owners = []string{""}
		}
		for _, o := range owners {
			for range 10 + r.IntN(500) {
				at := now.Add(-time.Duration(r.Float64() * r.Float64() * float64(48*time.Hour)))
				if f.Half == 0 {
					b.Stamp(f, []string{"o1", "o2", pick(r, members)}[r.IntN(3)], at)
					continue
				}
				b.Add(f, o, pick(r, members), at, r.Float64()*10-.2)
			}
		}
	}
}

type held struct {
	of     string
	names  []string
	values []float64
}

func answersAt(t *testing.T, s *hot.Store, at time.Time, members []string) (out []held) {
	t.Helper()
	v := s.View(at)
	var finish []func()
	for _, f := range hot.Families {
		if f.Global() {
			r := v.Of(f, members)
			finish = append(finish, func() { out = append(out, held{f.Name, members, r.Value}) })
			continue
		}
		for _, o := range []string{"o1", "o2", "o3"} {
			top := v.Top(f, o, f.Read)
			finish = append(finish, func() { out = append(out, held{f.Name + " of " + o, top.Members, top.Values}) })
		}
	}
	fault.Check(t, v.Load(t.Context()))
	for _, f := range finish {
		f()
	}
	return out
}

func compareAnswers(t *testing.T, want, got []held) {
	t.Helper()
	for i, w := range want {
		if !slices.Equal(w.names, got[i].names) {
			t.Fatalf("%s: %v before, %v after", w.of, w.names, got[i].names)
		}
		for j, v := range w.values {
			if d := v - got[i].values[j]; d > 2e-6 || d < -2e-6 {
				t.Fatalf("%s: %s is %v before, %v after", w.of, w.names[j], v, got[i].values[j])
			}
		}
	}
}
