package hot

import (
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
)

func TestRenameBothWays(t *testing.T) {
	backends(t, func(t *testing.T, open func(Options) *Store) {
		s := open(Options{})
		apply(t, s, 1, func(b *Batch) {
			b.Add(Comod, "a", "b", noon, 1)
			b.Add(Comod, "b", "a", noon, 2)
			b.Add(Next, "x", "a", noon, 3)
			b.Add(TermFiles, "a", "a", noon, 4)
			b.Add(FileTags, "a", "go", noon, 5)
			b.Add(Frequency, "", "a", noon, 6)
			b.Stamp(Recency, "a", noon)
		})
		apply(t, s, 2, func(b *Batch) {
			b.Add(Frequency, "", "a", noon, 1)
			b.Rename("a", "tmp") // swap a and b
			b.Rename("b", "a")
			b.Rename("tmp", "b")
			b.Add(Frequency, "", "a", noon, 10)
		})
		for _, c := range []struct {
			f           Family
			owner, name string
			want        float64
		}{{Comod, "b", "a", 1}, {Comod, "a", "b", 2}, {Next, "x", "b", 3}, {Next, "x", "a", 0}, {TermFiles, "a", "b", 4}, {FileTags, "b", "go", 5},
			{FileTags, "a", "go", 0}, {Frequency, "", "b", 7}, {Frequency, "", "a", 10}, {Recency, "", "b", seconds(noon)}, {Recency, "", "a", 0}} {
			if got := one(t, s, c.f, c.owner, c.name); !near(got, c.want) {
				t.Errorf("%s of %s, %s: %v, want %v", c.f.Name, c.owner, c.name, got, c.want)
			}
		}
	})
}

func TestForget(t *testing.T) {
	backends(t, func(t *testing.T, open func(Options) *Store) {
		s := open(Options{})
		w := newWorld()
		apply(t, s, 1, func(b *Batch) {
			for _, f := range b.families {
				for _, o := range w.names(f.owner) {
					for _, n := range w.names(f.member) {
						if f.half == 0 {
							b.Stamp(f.Family, n, noon)
						} else {
							b.Add(f.Family, o, n, noon, 1)
						}
					}
				}
			}
		})
		secret := w.paths[0]
		if one(t, s, Comod, w.paths[1], secret) == 0 {
			t.Fatal("nothing to forget")
		}
		if err := s.Forget(t.Context(), event.Path(secret)); err != nil {
			t.Fatal(err)
		}
		recs, err := s.Dirty(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		fresh := open(Options{})
		if err := fresh.Restore(t.Context(), recs); err != nil {
			t.Fatal(err)
		}
		for _, st := range []*Store{s, fresh} {
			for _, f := range st.families {
				for _, o := range w.names(f.owner) {
					for _, n := range w.names(f.member) {
						if o == n && f.owner == f.member {
							continue // no edge leads to itself
						}
						gone := f.owner == nounPath && o == secret || f.member == nounPath && n == secret
						if got := one(t, st, f.Family, o, n); (got == 0) != gone {
							t.Fatalf("%s of %.20q, %.20q is %v", f.Name, o, n, got)
						}
					}
				}
			}
		}
	})
}
