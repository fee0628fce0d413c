package history

import (
	"cmp"
	"maps"
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
	missed := map[event.Path]float64{} // the logarithm of the product
	for _, f := range change {
		i, known := c.ids[f]
		if !known {
			continue
		}
		both := map[int32]float64{}
		for _, set := range c.newest(i, mostCommits) {
			for _, g := range set {
				both[g]++
			}
		}
		for g, k := range both {
			if name := c.files[g].name; name != "" && has(name) {
				missed[name] += math.Log1p(-min(k/(both[i]+.01), .99))
			}
		}
	}
	for _, f := range change {
		delete(missed, f)
	}
	files := slices.SortedFunc(maps.Keys(missed), func(a, b event.Path) int {
		return cmp.Or(cmp.Compare(missed[a], missed[b]), cmp.Compare(a, b))
	})
	return files[:min(len(files), n)]
}
