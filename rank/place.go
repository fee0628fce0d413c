package rank

import (
	"cmp"
	"math"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

// Limits for signals about folders.
const (
	manyInFolder = 60  // in a folder with more files than this, the neighbors of a named file do not become candidates
	deep         = 8.0 // number of folders at which Depth is 1
)

// folders sets the signals about the folder of a file.
func (x *queryContext) folders(c *candidate) {
	v, in := &c.values, x.folder(c.label.dir)
	v[FolderSmall], v[FolderRecent] = in.small, in.recent
	if len(x.files) > 0 {
		v[Directory] = in.near
	}
	v[Pair] = truth(x.pairedWith(c) != "")
}

// folder has values that are the same for all files of a folder.
type folder struct {
	small, near, recent float64
}

// folder returns the values of a folder. They are computed once per question.
func (x *queryContext) folder(dir string) folder {
	in, known := x.inFolder[dir]
	if known {
		return in
	}
	if x.inFolder == nil {
		x.inFolder = map[string]folder{}
		x.lately = x.foldersOpened()
	}
	in = folder{recent: x.lately[dir], small: 1 / math.Sqrt(float64(max(len(x.tree.Dir(dir)), 1)))}
	if len(x.files) > 0 {
		in.near = proximity(x.newest().Dir(), dir)
	}
	x.inFolder[dir] = in
	return in
}

// foldersOpened returns how recently a file of each folder was opened.
func (x *queryContext) foldersOpened() map[string]float64 {
	if x.recent == nil {
		return nil
	}
	out := make(map[string]float64, len(x.recent.Members))
	for i, name := range x.recent.Members {
		if dir := x.labels.get(event.Path(name)).dir; out[dir] == 0 {
			out[dir] = recency(x.recent.Values[i], x.at, day)
		}
	}
	return out
}

// ranked has the signals that are 1/√rank among the candidates, and the values by which each ranks.
// Equal values share the best rank.
var ranked = []struct {
	rank Signal
	by   func(*candidate) float64
}{
	{TermsRank, func(c *candidate) float64 { return c.terms.value() }},
	{AlikeRank, func(c *candidate) float64 { return c.alike }},
	// Files that something in the session has named, and those that nothing has named, are ranked
	// separately.
	{CallsRank, func(c *candidate) float64 { return c.calls * c.values[Unseen] }},
	{CallsRank, func(c *candidate) float64 { return c.calls * (1 - c.values[Unseen]) }},
}

// ranks sets the signals that are ranks.
func (x *queryContext) ranks(p *pool) {
	order := make([]*candidate, 0, len(p.list))
	for _, r := range ranked {
		order = order[:0]
		for _, c := range p.list {
			if c.place = r.by(c); c.place > 0 {
				order = append(order, c)
			}
		}
		slices.SortFunc(order, func(a, b *candidate) int { return cmp.Compare(b.place, a.place) })
		place := 0
		for i, c := range order {
			if i > 0 && c.place < order[i-1].place {
				place = i
			}
			c.values[r.rank] = 1 / math.Sqrt(float64(1+place))
		}
	}
}

// termsOf adds to each folder the weight of one word of the question. A word leads to few files,
// but the other files in their folders are often about the same thing.
func (x *queryContext) termsOf(files *hot.Ranked, uses float64) {
	if x.folderTerms == nil {
		x.folderTerms = map[string]noisyOr{}
	}
	sums := map[string]float64{}
	for i, f := range files.Members {
		sums[x.labels.get(event.Path(f)).dir] += files.Values[i]
	}
	for folder, w := range sums {
		or := x.folderTerms[folder]
		or.add(share(w, uses, termSmooth))
		x.folderTerms[folder] = or
	}
}
