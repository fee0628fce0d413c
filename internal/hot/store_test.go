package hot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

func init() { readTimeout = 30 * time.Second }

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func apply(t *testing.T, s *Store, seq int64, fill func(b *Batch)) {
	t.Helper()
	b := s.Batch()
	fill(b)
	if err := s.Apply(t.Context(), b, seq); err != nil {
		t.Fatal(err)
	}
}

func one(t *testing.T, s *Store, f Family, owner, name string) float64 {
	t.Helper()
	v := s.View(noon)
	r := v.OwnedOf(f, owner, []string{name})
	if err := v.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r.Value[0]
}

func session(t *testing.T, s *Store, id string, at time.Time) *SessionView {
	t.Helper()
	v := s.View(at)
	sv := v.Session(id)
	if err := v.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return sv
}

func TestApplyTwiceCountsOnce(t *testing.T) {
	backends(t, func(t *testing.T, open func(Options) *Store) {
		s := open(Options{})
		for _, seq := range []int64{1, 1, 2, 1, 2} {
			apply(t, s, seq, func(b *Batch) { b.Add(Frequency, "", "a", noon, 1) })
		}
		if got := one(t, s, Frequency, "", "a"); !near(got, 2) {
			t.Errorf("two batches count %v", got)
		}
		if got, err := s.Applied(t.Context()); got != 2 || err != nil {
			t.Errorf("applied is %d, %v", got, err)
		}
	})
}

// TestApplyResumes cuts a large batch short and gives it again: the steps that were in are not repeated.
func TestApplyResumes(t *testing.T) {
	backends(t, func(t *testing.T, open func(Options) *Store) {
		s := open(Options{})
		fill := func(b *Batch) {
			for i := range 3 * argsPerStep {
				b.Add(Frequency, "", fmt.Sprint("f", i%(argsPerStep+7)), noon, 1)
				b.Add(Comod, fmt.Sprint("o", i%50), fmt.Sprint("f", i), noon, 1)
			}
		}
		b := s.Batch()
		fill(b)
		w := &writes{store: s, ctx: t.Context(), seq: 1}
		s.newest = b.newest
		for _, r := range b.resolve()[:20] { // the first steps of Apply, and then the process is gone
			w.increment(r)
		}
		if s.step == 0 {
			t.Fatal("no step was made")
		}
		apply(t, s, 1, fill)
		if got := one(t, s, Frequency, "", "f0"); !near(got, 3) {
			t.Errorf("frequency is %v", got)
		}
		if got := one(t, s, Comod, "o1", "f1"); !near(got, 1) {
			t.Errorf("co-change is %v", got)
		}
	})
}

func TestTwoWritersAddUp(t *testing.T) {
	backends(t, func(t *testing.T, open func(Options) *Store) {
		a := open(Options{Repo: "shared", Writer: "a"})
		if a.embedded != nil {
			t.Skip("an embedded server has one writer")
		}
		b := open(Options{Repo: "shared", Writer: "b"})
		apply(t, a, 1, func(x *Batch) { x.Add(Frequency, "", "f", noon, 1) })
		apply(t, b, 1, func(x *Batch) { x.Add(Frequency, "", "f", noon, 1) })
		if got := one(t, a, Frequency, "", "f"); !near(got, 2) {
			t.Errorf("two writers count %v", got)
		}
		again := open(Options{Repo: "shared", Writer: "a"})
		apply(t, again, 1, func(x *Batch) { x.Add(Frequency, "", "f", noon, 1) })
		if got := one(t, a, Frequency, "", "f"); !near(got, 2) {
			t.Errorf("a batch of the daemon's former life counts again: %v", got)
		}
	})
}

func TestRefusedAtTheDoor(t *testing.T) {
	s := openEmbedded(t)
	long := strings.Repeat("x", maxName+1)
	apply(t, s, 1, func(b *Batch) {
		for _, w := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0} {
			b.Add(Frequency, "", "a", noon, w)
		}
		b.Add(Frequency, "", "", noon, 1)
		b.Add(Frequency, "", long, noon, 1)
		b.Add(Frequency, "owner", "a", noon, 1)
		b.Add(Comod, "", "a", noon, 1)
		b.Add(Frequency, "", "far", noon.AddDate(280, 0, 0), 1e308)
		b.Add(Frequency, "", "good", noon, 1)
		b.Session("s").Seen("p", 1, math.NaN()).Seen("q", 1, -1).Seen("good", 1, 1).Set("k", "v")
	})
	if got := one(t, s, Frequency, "", "a"); got != 0 {
		t.Errorf("a is %v", got)
	}
	if sv := session(t, s, "s", noon); len(sv.SeenEver) != 1 {
		t.Errorf("seen are %v", sv.SeenEver)
	}
}

func openEmbedded(t testing.TB) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Repo: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []Options{{}, {Repo: "r", Half: map[string]time.Duration{"comod": 1}}, {Repo: "r", Keep: map[string]int{"comod": -1}},
		{Repo: "r", URL: "http://x"}, {Repo: "r", URL: "redis://127.0.0.1:1"}} {
		if s, err := Open(t.Context(), o); err == nil {
			s.Close()
			t.Errorf("%+v was accepted", o)
		}
	}
	s := openEmbedded(t)
	if err := s.View(noon).Load(t.Context()); err != nil {
		t.Error("an empty view fails:", err)
	}
	v := s.View(noon)
	v.Top(Frequency, "", 5)
	if v.Load(t.Context()) == nil {
		t.Error("a global family was read by rank")
	}
}

func TestSessionLife(t *testing.T) {
	backends(t, func(t *testing.T, open func(Options) *Store) {
		s := open(Options{})
		apply(t, s, 1, func(b *Batch) {
			b.Session("a:files").Set(FieldAgent, "other").Touch(noon)
			b.Session("a").File("x", 1, noon).First("x", 1).File("y", 2, noon).First("y", 2).File("x", 3, noon).
				Set(FieldClock, "8").Set(FieldPrompts, "2").Named("x", 1).Named("y", 2).Run("z", 5).
				Seen("x", 8, 2).Seen("gone", 8, 1).Unsee("gone").Term("b", 2).Term("a", 3).Told("x", noon).Edited("y", noon)
		})
		want := &SessionView{Exists: true, Fields: map[string]string{FieldClock: "8", FieldPrompts: "2"}, Clock: 8, Prompt: 2,
			Files: []event.Path{"y", "x"}, Opened: map[event.Path]time.Time{"x": noon, "y": noon}, Last: map[event.Path]int64{"x": 3, "y": 2},
			Order: map[event.Path]int64{"x": 1, "y": 2}, Named: map[event.Path]int64{"y": 2}, NamedBefore: map[event.Path]int64{"x": 1},
			Commands: map[event.Path]int64{"z": 5}, Mentions: map[event.Path]float64{"x": 2}, SeenEver: map[event.Path]bool{"x": true},
			Terms: []string{"b", "a"}, TermClock: map[string]int64{"a": 3, "b": 2}, Told: map[event.Path]time.Time{"x": noon},
			Edits: map[event.Path]time.Time{"y": noon}, Deadline: noon.Add(SessionLife)}
		if got := session(t, s, "a", noon); !reflect.DeepEqual(got, want) {
			t.Fatalf("got\n%+v\nwant\n%+v", got, want)
		}
		apply(t, s, 2, func(b *Batch) {
			b.Rename("x", "n")
			b.Session("a").Clear(ClearTold).Clear(ClearTerms).Term("c", 9).Set(FieldAgent, "").First("y", 7)
		})
		got := session(t, s, "a", noon)
		if fmt.Sprint(got.Files, got.Terms, got.Told, got.Order["n"], got.Order["y"]) != "[y n] [c] map[] 1 2" {
			t.Errorf("after the second batch: %+v", got)
		}
		if err := s.Forget(t.Context(), "n"); err != nil {
			t.Fatal(err)
		}
		if got := session(t, s, "a", noon); len(got.Files) != 1 || len(got.SeenEver) != 0 {
			t.Errorf("after forgetting: %+v", got)
		}
		late := noon.Add(SessionLife)
		if got := session(t, s, "a", late); got.Exists || len(got.Files) != 0 {
			t.Errorf("past its deadline: %+v", got)
		}
		apply(t, s, 3, func(b *Batch) { b.Trim(late) })
		if n := s.Size(t.Context()).Sessions; n != 0 {
			t.Errorf("%d sessions are left", n)
		}
		if keys, err := s.scan(t.Context(), s.keys.prefix+"session:"); len(keys) != 0 || err != nil {
			t.Errorf("left behind: %q, %v", keys, err)
		}
		recs, err := s.Dirty(t.Context(), false)
		if err != nil || !slices.ContainsFunc(recs, func(r Record) bool { return r.Key == "s:a" && len(r.Data) == 0 }) {
			t.Errorf("the snapshot is not told: %v, %v", recs, err)
		}
	})
}

func TestFacts(t *testing.T) {
	backends(t, func(t *testing.T, open func(Options) *Store) {
		s := open(Options{})
		apply(t, s, 1, func(b *Batch) {
			b.Fact("threshold", "next", "0.6")
			b.Fact("calibration:prompt", "a", "1")
			b.Fact("calibration:prompt", "b", "2")
		})
		apply(t, s, 2, func(b *Batch) { b.Fact("calibration:prompt", "a", "") })
		s = again(t, s, open, Options{})
		v := s.View(noon)
		f, c, none := v.Facts("threshold"), v.Facts("calibration:prompt"), v.Facts("none")
		if err := v.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(f.Fields, c.Fields, none.Fields) != "map[next:0.6] map[b:2] map[]" {
			t.Errorf("facts are %v %v %v", f.Fields, c.Fields, none.Fields)
		}
	})
}

func TestNewestStampsAreInOrder(t *testing.T) {
	backends(t, func(t *testing.T, open func(Options) *Store) {
		s := open(Options{})
		apply(t, s, 1, func(b *Batch) {
			for i := range 400 {
				b.Stamp(Recency, fmt.Sprintf("f%03d", i), noon.Add(time.Duration(i)*time.Millisecond))
			}
		})
		apply(t, s, 2, func(b *Batch) { b.Stamp(Recency, "f000", noon.Add(time.Second)); b.Trim(noon) })
		s = again(t, s, open, Options{})
		v := s.View(noon)
		top, few := v.Top(Recency, "", 3), v.Top(Recency, "", 1000)
		if err := v.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(top.Members) != "[f000 f399 f398]" || len(few.Members) != topKeep {
			t.Errorf("newest are %v, %d in all", top.Members, len(few.Members))
		}
	})
}

// TestCapAndTrim keep the same members, by weight and then by name, whichever way they came.
func TestCapAndTrim(t *testing.T) {
	backends(t, func(t *testing.T, open func(Options) *Store) {
		capped, trimmed := open(Options{}), open(Options{})
		fill := func(b *Batch) {
			for i := range 200 {
				b.Add(Comod, "a", fmt.Sprintf("f%03d", i), noon, float64(1+i%3))
			}
			b.Add(Comod, "a", "tiny", noon, 0.009)
		}
		apply(t, capped, 1, func(b *Batch) { fill(b); b.Cap(64) })
		apply(t, trimmed, 1, fill)
		apply(t, trimmed, 2, func(b *Batch) { b.Trim(noon) })
		var tops [2]*Ranked
		for i, s := range []*Store{capped, trimmed} {
			v := s.View(noon)
			tops[i] = v.Top(Comod, "a", 1000)
			if err := v.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if len(tops[0].Members) != 64 || !slices.Equal(tops[0].Members, tops[1].Members) {
			t.Errorf("capped\n%v\ntrimmed\n%v", tops[0].Members, tops[1].Members)
		}
		if tops[0].Members[0] != "f002" || tops[0].Members[63] != "f191" {
			t.Errorf("kept %v", tops[0].Members)
		}
	})
}

// TestTrimAfterRestore finds the sets that were too large when the snapshot was made.
func TestTrimAfterRestore(t *testing.T) {
	backends(t, func(t *testing.T, open func(Options) *Store) {
		s := open(Options{})
		apply(t, s, 1, func(b *Batch) {
			for i := range 100 {
				b.Add(Comod, "a", fmt.Sprint(i), noon, 1)
			}
		})
		s = again(t, s, open, Options{})
		apply(t, s, 2, func(b *Batch) { b.Trim(noon) })
		g := &get{op: opCard, key: s.keys.owned(s.families.of(Comod), s.families.of(Comod).epoch(seconds(noon)), "a")}
		if err := s.read(t.Context(), []*get{g}); err != nil || g.card != 64 {
			t.Errorf("%d members are left, %v", g.card, err)
		}
	})
}

// TestEpochsAreDropped leaves no key of an epoch that nobody reads.
func TestEpochsAreDropped(t *testing.T) {
	backends(t, func(t *testing.T, open func(Options) *Store) {
		s := open(Options{Half: map[string]time.Duration{"comod": time.Hour, "scores:frequency": time.Hour}})
		f := s.families.of(Comod)
		for i := range 5 {
			at := noon.Add(time.Duration(i) * 32 * time.Hour)
			apply(t, s, int64(i+1), func(b *Batch) {
				b.Add(Comod, "a", "b", at, 1)
				b.Add(Frequency, "", "a", at, 1)
				b.Add(Comod, "a", "late", at.Add(-64*time.Hour), 1)
				b.Trim(at)
			})
			k := f.epoch(seconds(at))
			keys, err := s.scan(t.Context(), s.keys.family(f))
			if err != nil || len(keys) == 0 || len(keys) > 2 || keys[len(keys)-1] != fmt.Sprintf("%d:a", k) {
				t.Fatalf("epoch %d: keys %q, %v", k, keys, err)
			}
		}
	})
}

// TestViewsBesideApply reads while batches are written; every view sees whole batches.
func TestViewsBesideApply(t *testing.T) {
	backends(t, func(t *testing.T, open func(Options) *Store) {
		s := open(Options{})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				for ctx.Err() == nil {
					v := s.View(noon)
					a, b := v.Of(Frequency, []string{"a", "b"}), v.Top(Comod, "a", 5)
					v.Session("s")
					if err := v.Load(ctx); err != nil && !errors.Is(err, context.Canceled) {
						t.Error(err)
						return
					}
					_ = b
					if s.embedded != nil && math.Abs(a.Value[0]-a.Value[1]) > 1e-9 {
						t.Errorf("half a batch: %v", a.Value)
					}
				}
			})
		}
		for seq := int64(1); seq <= 200; seq++ {
			apply(t, s, seq, func(b *Batch) {
				b.Add(Frequency, "", "a", noon, 1)
				b.Add(Frequency, "", "b", noon, 1)
				b.Add(Comod, "a", fmt.Sprint(seq), noon, 1)
				b.Session("s").File("a", seq, noon)
				if seq%20 == 0 {
					b.Rename("a", "c")
					b.Rename("c", "a")
					b.Trim(noon)
				}
			})
			if seq%50 == 0 {
				if _, err := s.Dirty(t.Context(), true); err != nil {
					t.Error(err)
				}
			}
		}
		cancel()
		wg.Wait()
	})
}
