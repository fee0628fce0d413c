package history

import (
	"cmp"
	"math"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Simple returns the first n existing files by the simple rule with which the report compares aOa:
// the files that were committed most often together with those of a change. The value of a file is
// 1 − Π(1 − commits of both / commits of the changed file) over the newest commits of each changed
// file. Files with equal values are ordered by name.
func (c *Commits) Simple(change []event.Path, has func(event.Path) bool, n int) []event.Path {
	c.mu.RLock()
	defer c.mu.RUnlock()
	given := map[int32]bool{}
	missed := map[int32]float64{} // the logarithm of the product
	for _, f := range change {
		i, known := c.ids[f]
		if !known {
			continue
		}
		given[i] = true
		both := map[int32]float64{}
		for _, set := range c.newest(c.files[i].commits, mostCommits) {
			for _, g := range set {
				both[g]++
			}
		}
		for g, k := range both {
			missed[g] += math.Log1p(-min(k/(both[i]+.01), .99))
		}
	}
	type partner struct {
		name   event.Path
		missed float64
	}
	var found []partner
	for g, m := range missed {
		if name := c.files[g].name; name != "" && !given[g] {
			found = append(found, partner{name, m})
		}
	}
	slices.SortFunc(found, func(a, b partner) int {
		return cmp.Or(cmp.Compare(a.missed, b.missed), cmp.Compare(a.name, b.name))
	})
	var files []event.Path
	for _, p := range found {
		if len(files) == n {
			break
		}
		if has(p.name) {
			files = append(files, p.name)
		}
	}
	return files
}
