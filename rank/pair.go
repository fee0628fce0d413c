package rank

import (
	"maps"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// names finds the files that the prompt names, and sorts those with which a candidate can be a pair
// by name: files that the prompt names, the current ones, and those edited since the prompt.
func (x *queryContext) names(q event.Query) {
	named := x.tree.Named(q.Prompt)
	for _, f := range slices.Sorted(maps.Keys(x.named)) {
		if !slices.Contains(named, f) {
			named = append(named, f)
		}
	}
	x.byName = named[:min(len(named), namedFiles)]
	x.stems = make(map[string][]event.Path, len(x.byName)+len(x.files))
	newest := slices.Clone(x.files) // the newest first
	slices.Reverse(newest)
	for _, f := range slices.Concat(x.byName, newest, x.edited) {
		stem := x.labels.get(f).stem
		x.stems[stem] = append(x.stems[stem], f)
	}
}

// pairedWith returns a file of the question that is a pair with the candidate by name, or "".
func (x *queryContext) pairedWith(c *candidate) event.Path {
	for _, f := range x.stems[c.label.stem] {
		if f != c.path {
			return f
		}
	}
	return ""
}
