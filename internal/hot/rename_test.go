package hot_test

import (
	"testing"

	"github.com/aoa-dev/aoa/internal/hot"
)

func TestRenameBothWays(t *testing.T) {
	s := hot.New(nil)
	fill(t, s, func(b *hot.Store) {
		b.Add(hot.Comod, "a", "b", noon, 1)
		b.Add(hot.Comod, "b", "a", noon, 2)
		b.Add(hot.Coaccess, "x", "a", noon, 3)
		b.Add(hot.TermFiles, "a", "a", noon, 4)
		b.Add(hot.FileTags, "a", "go", noon, 5)
		b.Add(hot.Frequency, "", "a", noon, 6)
		b.Stamp(hot.Recency, "a", noon)
	})
	fill(t, s, func(b *hot.Store) {
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
