package rank

import (
	"cmp"
	"math"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Bounds of what a place can say.
const (
	manyInFolder = 60  // a named file's neighbours are candidates only in a folder of at most so many files
	deep         = 8.0 // folders that make Depth 1
)

// folders fills in the signals of where the file lies and what kind of file it is.
func (x *queryContext) folders(c *candidate) {
	v, in := &c.values, x.folder(c.label.dir)
	v[FolderSmall], v[FolderShare], v[FolderRecent] = in.small, in.share, in.recent
	v[Depth], v[Document], v[Test] = c.label.depth, truth(c.label.document), truth(c.label.test)
	if len(x.files) > 0 {
		v[Directory] = in.near
		v[Pair] = truth(x.pairedWith(c) != "")
	}
	if n, known := x.places[c.path]; known {
		v[RecencyRank] = 1 / math.Log2(float64(2+n))
	}
	for _, g := range x.leads[byNamed] {
		if g == c.path {
			continue
		}
		lead := x.labels.of(g)
		if lead.stem == c.label.stem {
			v[NamedPair] = 1
		}
	}
}

// folder is what a folder says of every file in it.
type folder struct {
	files                      int
	small, near, share, recent float64
}

// folder looks at a folder once per question.
func (x *queryContext) folder(dir string) folder {
	in, known := x.inFolder[dir]
	if known {
		return in
	}
	if x.inFolder == nil {
		x.inFolder = map[string]folder{}
		x.glance()
	}
	in = folder{files: len(x.tree.Dir(dir)), share: x.folderShare(dir), recent: x.lately[dir]}
	in.small = 1 / math.Sqrt(float64(max(in.files, 1)))
	if len(x.files) > 0 {
		in.near = proximity(x.newest().Dir(), dir)
	}
	x.inFolder[dir] = in
	return in
}

// glance goes through the files opened last, the newest first.
func (x *queryContext) glance() {
	n := 0
	if x.recent != nil {
		n = len(x.recent.Members)
	}
	x.lately, x.places = make(map[string]float64, n), make(map[event.Path]int, n)
	if n == 0 {
		return
	}
	for i, name := range x.recent.Members {
		f := event.Path(name)
		dir := x.labels.of(f).dir
		if _, known := x.lately[dir]; !known {
			x.lately[dir] = recency(x.recent.Values[i], x.at, day)
		}
		x.places[f] = x.behind
		if !has(x.open, f) {
			x.behind++
		}
	}
}

// folderShare is the folder's share of the files opened last, each counting 0.8 of the one after it.
func (x *queryContext) folderShare(dir string) float64 {
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

// The signals that are also ranked among the candidates: 1/√rank, equal ones share the best rank.
var ranked = []struct{ of, rank Signal }{{Terms, TermsRank}, {Comod, ComodRank},
	{Session, SessionRank}, {Alike, AlikeRank}}

// ranks fills in the places of candidates among each other.
func (x *queryContext) ranks(p *pool) {
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
