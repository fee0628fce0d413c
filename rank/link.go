package rank

import (
	"maps"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// link is a way in which a question leads to lead files, that is files whose partners become
// candidates.
type link int

const (
	byCurrent link = iota // lead files are the current files
	bySeed                // lead files are those whose names and contents fit the prompt best
	links                 // number of links
)

// alikeScale is the number of shared rare identifiers at which two files are half alike.
const alikeScale = 3.0

func alike(shared float64) float64 { return unit(shared / (alikeScale + shared)) }

// lead finds the lead files.
func (x *queryContext) lead(q event.Query, task event.Task) {
	x.leads[byCurrent] = x.files
	x.stems = make(map[string]event.Path, len(x.files))
	for _, f := range x.files {
		x.stems[f.PairStem()] = f
	}
	named := x.tree.Named(q.Prompt)
	for _, f := range slices.Sorted(maps.Keys(x.named)) {
		if !slices.Contains(named, f) {
			named = append(named, f)
		}
	}
	x.byName = named[:min(len(named), namedFiles)]
	if task == event.TaskPrompt {
		x.leads[bySeed] = x.seeds()
	}
}

// seedShare is the least share of a fit whose file becomes a lead file.
const seedShare = 0.05

// seeds returns the files that fit the prompt best.
func (x *queryContext) seeds() (files []event.Path) {
	for _, f := range x.fitting[:min(len(x.fitting), seedFiles)] {
		if f.Share >= seedShare {
			files = append(files, f.File)
		}
	}
	return files
}

// baseTerms returns the words of a file's name without its extension.
func (x *queryContext) baseTerms(f event.Path) []string { return x.labels.get(f).words }
