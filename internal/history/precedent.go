package history

import (
	"cmp"
	"math"
	"slices"

	"github.com/aoa-dev/aoa/internal/index"
)

// Limits for comparing a diff with the earlier diffs of its file.
const (
	mostDiffs = 200 // newest earlier diffs, which are compared
	mostLike  = 10  // the most similar of these, whose commits are the precedents
	// The share of all commits counts as much as likePrior precedents; a precedent counts the
	// square of its similarity.
	likePrior = 0.1
	leastLike = 0.1 // least similarity of a precedent that is shown
)

// precedent is an earlier commit of a file with a diff that is similar to the present one.
type precedent struct {
	commit int32
	like   float64 // cosine similarity, in (0,1]
}

// precedents returns the commits of a file with diffs most similar to the present one, the most
// similar first. A word counts by its rarity among the diffs of the file. The commit that created
// the file does not count. The caller holds c.mu.
func (c *Commits) precedents(self int32, present index.Sketch) []precedent {
	f := &c.files[self]
	before := len(f.commits) - len(f.sketches) // number of commits without a sketch
	from := max(0, len(f.sketches)-mostDiffs)
	if before == 0 && from == 0 {
		from = min(1, len(f.sketches))
	}
	with, n := map[uint32]int{}, 0
	for _, k := range f.sketches[from:] {
		if k != nil {
			n++
		}
		for _, h := range k {
			with[h]++
		}
	}
	if n == 0 || len(present) == 0 {
		return nil
	}
	weights := rarity(n)
	norm := 0.0
	for _, h := range present {
		norm += weights[with[h]]
	}
	var out []precedent
	for i, k := range f.sketches[from:] {
		dot, own := 0.0, 0.0
		rest := present
		for _, h := range k {
			w := weights[with[h]]
			own += w
			for len(rest) > 0 && rest[0] < h {
				rest = rest[1:]
			}
			if len(rest) > 0 && rest[0] == h {
				dot += w
			}
		}
		if dot > 0 {
			out = append(out, precedent{f.commits[before+from+i], dot / math.Sqrt(own*norm)})
		}
	}
	slices.SortFunc(out, func(a, b precedent) int {
		return cmp.Or(cmp.Compare(b.like, a.like), cmp.Compare(b.commit, a.commit))
	})
	return out[:min(len(out), mostLike)]
}

// rarity returns the squared weight of a word, by the number of diffs, of n, that have it.
func rarity(n int) []float64 {
	out := make([]float64, n+1)
	for i := range out {
		w := math.Log((float64(n) + 1) / (float64(i) + .5))
		out[i] = w * w
	}
	return out
}

// like returns the fact Like of a file. share is its share of all commits, common the log odds of
// Common.
func (c *Commits) like(of []precedent, f int32, share, common float64) float64 {
	if len(of) == 0 {
		return 0
	}
	sum, all := 0.0, 0.0
	for _, p := range of {
		w := p.like * p.like
		all += w
		if _, has := slices.BinarySearch(c.sets[p.commit], f); has {
			sum += w
		}
	}
	return logOdds((sum+likePrior*share)/(all+likePrior)) - common
}

// word is a word of the present diff with its rarity among all diffs.
type word struct {
	hash   uint32
	weight float64 // the weights of a diff add up to 1
}

// rareWords weights the words of a diff by their rarity among all diffs.
func (s *Sketches) rareWords(present index.Sketch) []word {
	if s == nil {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.files == 0 {
		return nil
	}
	out, sum := make([]word, 0, len(present)), 0.0
	for _, h := range present {
		w := math.Log((float64(s.files) + 1) / (float64(s.rare[h]) + .5))
		out, sum = append(out, word{h, w}), sum+w
	}
	for i := range out {
		out[i].weight /= sum
	}
	return out
}

// said returns the fact Words of a file: the summed weight of those words that earlier diffs of the
// file had, too.
func (f *file) said(words []word) (sum float64) {
	known := f.words
	for _, w := range words {
		i, has := slices.BinarySearch(known, w.hash)
		if has {
			sum += w.weight
		}
		known = known[i:]
	}
	return sum
}

// Limits for the words of a file. With more words, only those of its newest diffs are kept.
const (
	mostFileWords = 2048
	keptFileDiffs = 16
)

// sketched adds what the newest commit changed in the file; x is zero if that is not known.
func (f *file) sketched(x index.FileSketch) {
	k := x.Sketch
	if len(f.sketches) == 0 && k == nil {
		return // it belongs to an old commit
	}
	f.sketches, f.places = append(f.sketches, k), append(f.places, x.Places)
	f.words = union(f.words, k)
	if len(f.words) > mostFileWords {
		f.words = nil
		for _, k := range f.sketches[max(0, len(f.sketches)-keptFileDiffs):] {
			f.words = union(f.words, k)
		}
	}
}

// union merges two ascending lists.
func union(a, b []uint32) []uint32 {
	out := make([]uint32, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			out, a = append(out, a[0]), a[1:]
		case a[0] > b[0]:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// Precedents returns the earlier commits that changed x.File, and changed x.With in a similar way
// as now: the ids of the most similar ones, at most most, and how many more there are. x comes from
// Companions.
func (c *Commits) Precedents(x *Companion, most int) (ids []string, more int) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	f := c.ids[x.File]
	for _, p := range x.like {
		_, both := slices.BinarySearch(c.sets[p.commit], f)
		switch {
		case p.like < leastLike || !both || c.names[p.commit] == 0:
		case len(ids) < most:
			ids = append(ids, idOf(c.names[p.commit])[:shortID])
		default:
			more++
		}
	}
	return ids, more
}

// places returns the places that the precedents of x changed in its file, each with the sum of the
// precedents' similarities. x comes from Companions.
func (c *Commits) places(x *Companion) map[uint32]float64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	f := &c.files[c.ids[x.File]]
	out := map[uint32]float64{}
	for _, p := range x.like {
		i, both := slices.BinarySearch(f.commits, p.commit)
		if i -= len(f.commits) - len(f.places); p.like >= leastLike && both && i >= 0 {
			for _, h := range f.places[i] {
				out[h] += p.like
			}
		}
	}
	return out
}
