package rank

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/aoa"
)

// Bounds of what a place can say.
const (
	manyInFolder = 60  // a named file's neighbours are candidates only in a folder of at most so many files
	deep         = 8.0 // folders that make Depth 1
)

// folders fills in the signals of where the file lies and what kind of file it is.
func (x *setting) folders(c *candidate) {
	v, dir := &c.values, c.path.Dir()
	around := len(x.tree.Dir(dir))
	v[FolderSmall] = 1 / math.Sqrt(float64(max(around, 1)))
	v[Depth] = unit(float64(strings.Count(string(c.path), "/")) / deep)
	v[Document], v[Test] = truth(document(c.path)), truth(isTest(c.path))
	if len(x.files) > 0 {
		v[Directory] = proximity(x.newest().Dir(), dir)
		v[Pair] = truth(x.pairedWith(c.path) != "")
	}
	v[FolderShare] = x.folderShare(dir)
	if x.recent != nil {
		for i, f := range x.recent.Members { // the newest first
			if aoa.Path(f).Dir() == dir {
				v[FolderRecent] = recency(x.recent.Values[i], x.at, day)
				break
			}
		}
		rank := 0
		for _, f := range x.recent.Members {
			if aoa.Path(f) == c.path {
				v[RecencyRank] = 1 / math.Log2(float64(2+rank))
				break
			}
			if !has(x.open, aoa.Path(f)) {
				rank++
			}
		}
	}
	for _, g := range x.leads[byNamed] {
		if g == c.path {
			continue
		}
		if aoa.Stem(g) == aoa.Stem(c.path) {
			v[NamedPair] = 1
		}
		if g.Dir() == dir && around <= manyInFolder {
			v[NamedFolder] = v[FolderSmall]
		}
	}
}

// folderShare is the folder's share of the files opened last, each counting 0.8 of the one after it.
func (x *setting) folderShare(dir string) float64 {
	if len(x.latest) == 0 {
		return 0
	}
	if x.weights == nil {
		x.weights = map[string]float64{}
		w, all := 1.0, 0.0
		for range x.latest {
			all, w = all+w, w*folderFade
		}
		w = 1.0
		for _, f := range x.latest {
			x.weights[f.Dir()] += w / all
			w *= folderFade
		}
	}
	return unit(x.weights[dir])
}

func document(f aoa.Path) bool {
	switch strings.ToLower(f.Ext()) {
	case ".md", ".mdx", ".txt", ".rst", ".adoc":
		return true
	}
	return false
}

func isTest(f aoa.Path) bool {
	name := strings.ToLower(string(f))
	return strings.Contains(name, "test") || strings.Contains(name, ".spec.")
}

// The signals that are also ranked among the candidates: 1/√rank, equal ones share the best rank.
var ranked = []struct{ of, rank Signal }{{Words, WordsRank}, {Terms, TermsRank}, {Comod, ComodRank},
	{Session, SessionRank}, {Alike, AlikeRank}}

// ranks fills in the places of candidates among each other.
func (x *setting) ranks(p *pool) {
	order := make([]*candidate, 0, len(p.list))
	for _, r := range ranked {
		order = order[:0]
		for _, c := range p.list {
			if c.values[r.of] > 0 {
				order = append(order, c)
			}
		}
		slices.SortFunc(order, func(a, b *candidate) int { return cmp.Compare(b.values[r.of], a.values[r.of]) })
		place := 0
		for i, c := range order {
			if i > 0 && c.values[r.of] < order[i-1].values[r.of] {
				place = i
			}
			c.values[r.rank] = 1 / math.Sqrt(float64(1+place))
		}
	}
}
