package rank

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// link says how a question leads to files whose partners are candidates.
type link int

const (
	byHand  link = iota // they are in hand
	byNamed             // the prompt names them
	bySeed              // their names and contents fit the prompt best
	links               // their number
)

// The signals of partners, by how they were found.
var (
	comodOf   = [links]Signal{Comod, NamedComod, SeedComod}
	sessionOf = [links]Signal{Session, NamedSession, SeedSession}
	alikeOf   = [links]Signal{Alike, NamedAlike, SeedAlike}
)

// alikeScale: rare identifiers shared that make a file one half alike.
const alikeScale = 3.0

func alike(shared float64) float64 { return unit(shared / (alikeScale + shared)) }

// lead finds the files whose partners are read. For a change those in hand are enough.
func (x *setting) lead(q event.Query, task event.Task) {
	x.leads[byHand] = x.files
	x.stems = make(map[string]event.Path, len(x.files))
	for _, f := range x.files {
		x.stems[f.PairStem()] = f
	}
	if task == event.TaskChange {
		return
	}
	named := x.tree.Named(q.Prompt)
	for _, f := range slices.Sorted(maps.Keys(x.named)) {
		if !slices.Contains(named, f) {
			named = append(named, f)
		}
	}
	x.leads[byNamed] = named[:min(len(named), namedFiles)]
	if task == event.TaskPrompt {
		x.leads[bySeed] = x.seeds()
	}
}

// The weights of what makes a seed.
const (
	seedWord  = 0.5 // of a word's idf when it is in the path only; in the name it counts whole
	seedSaid  = 4.0 // of the file whose contents fit best; the k-th counts 1/√k of it
	seedFloor = 3.0 // less is no seed
	seedRare  = 64  // a word in more paths than this makes no seed
	seedBest  = 10  // files found by contents that may be seeds
)

// seeds are the files that fit the prompt best, by their names and by what they say.
func (x *setting) seeds() []event.Path {
	weight := map[event.Path]float64{}
	for _, w := range x.words {
		with := x.tree.Word(w)
		if len(with) > seedRare {
			continue
		}
		rare := index.Rarity(x.tree.Len(), len(with))
		for _, f := range with {
			if slices.Contains(x.baseTerms(f), w) {
				weight[f] += rare
			} else {
				weight[f] += seedWord * rare
			}
		}
	}
	if x.contents != nil {
		for i, found := range x.contents.Words(x.words, seedBest) {
			if x.tree.Has(found.Path) {
				weight[found.Path] += seedSaid / math.Sqrt(float64(1+i))
			}
		}
	}
	files := slices.DeleteFunc(slices.Collect(maps.Keys(weight)), func(f event.Path) bool { return weight[f] <= seedFloor })
	slices.SortFunc(files, func(a, b event.Path) int {
		return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(a, b))
	})
	return files[:min(len(files), seedFiles)]
}

// baseTerms are the words of a file's name, without its extension.
func (x *setting) baseTerms(f event.Path) []string { return x.labels.of(f).words }

// name is how much of a file's name the question says: Σ idf of the name's words in it / (1 + Σ idf of all of them).
func (x *setting) name(f event.Path, said float64) float64 {
	if said == 0 {
		return 0
	}
	all := 1.0
	for _, w := range x.baseTerms(f) {
		all += x.rarity(w)
	}
	return unit(said / all)
}
