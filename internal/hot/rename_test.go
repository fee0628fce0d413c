package hot_test

import (
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

func TestRenameBothWays(t *testing.T) {
	s := hot.New(nil)
	fill(t, s, 1, func(b *hot.Batch) {
		b.Add(hot.Comod, "a", "b", noon, 1)
		b.Add(hot.Comod, "b", "a", noon, 2)
		b.Add(hot.Coaccess, "x", "a", noon, 3)
		b.Add(hot.TermFiles, "a", "a", noon, 4)
		b.Add(hot.FileTags, "a", "go", noon, 5)
		b.Add(hot.Frequency, "", "a", noon, 6)
		b.Stamp(hot.Recency, "a", noon)
	})
	fill(t, s, 2, func(b *hot.Batch) {
		b.Add(hot.Frequency, "", "a", noon, 1)
		b.Rename("a", "tmp") // swap a and b
		b.Rename("b", "a")
		b.Rename("tmp", "b")
		b.Add(hot.Frequency, "", "a", noon, 10)
	})
	for _, c := range []struct {
		f           *hot.Family
		owner, name string
		want        float64
	}{{hot.Comod, "b", "a", 1}, {hot.Comod, "a", "b", 2}, {hot.Coaccess, "x", "b", 3}, {hot.Coaccess, "x", "a", 0},
		{hot.TermFiles, "a", "b", 4}, {hot.FileTags, "b", "go", 5},
		{hot.FileTags, "a", "go", 0}, {hot.Frequency, "", "b", 7}, {hot.Frequency, "", "a", 10},
		{hot.Recency, "", "b", hot.Seconds(noon)}, {hot.Recency, "", "a", 0}} {
		if got := one(t, s, c.f, c.owner, c.name); !near(got, c.want) {
			t.Errorf("%s of %s, %s: %v, want %v", c.f.Name, c.owner, c.name, got, c.want)
		}
	}
}

func TestForget(t *testing.T) {
	s := hot.New(nil)
	w := newWorld()
	fill(t, s, 1, func(b *hot.Batch) {
		for _, f := range hot.Families {
			for _, o := range w.names(f.Owner) {
				for _, n := range w.names(f.Member) {
					if f.Half == 0 {
						b.Stamp(f, n, noon)
					} else {
						b.Add(f, o, n, noon, 1)
					}
				}
			}
		}
	})
	secret := w.paths[0]
	if one(t, s, hot.Comod, w.paths[1], secret) == 0 {
		t.Fatal("nothing to forget")
	}
	if err := s.Forget(t.Context(), event.Path(secret)); err != nil {
		t.Fatal(err)
	}
	recs, err := s.Dirty(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	fresh := hot.New(nil)
	if err := fresh.Restore(t.Context(), recs); err != nil {
		t.Fatal(err)
	}
	for _, st := range []*hot.Store{s, fresh} {
		for _, f := range hot.Families {
			for _, o := range w.names(f.Owner) {
				for _, n := range w.names(f.Member) {
					if o == n && f.Owner == f.Member {
						continue // no edge leads to itself
					}
					gone := f.Owner == hot.NounFile && o == secret || f.Member == hot.NounFile && n == secret
					if got := one(t, st, f, o, n); (got == 0) != gone {
						t.Fatalf("%s of %.20q, %.20q is %v", f.Name, o, n, got)
					}
				}
			}
		}
	}
}
