package history

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Companion is a file that may belong to a change.
type Companion struct {
	File, With event.Path // With is the file of the change with the strongest evidence
	Facts      Facts      // evidence of With, and of the other files
	LogOdds    float64

	// Ahead is how far the z of this file is ahead of the next file outside of the change, both by
	// With, at most 3; it is 0 if another file is first. If several files change nearly always with
	// With, all of them are first, and the next one is the first that does not.
	Ahead    float64
	Foremost int // number of files of the change for which it is the first outside

	like []precedent // the precedents by With
}

// Foremost records, for each file of a change, which file outside of the change has the highest z
// with it, and the second-highest z. Fill it with Add, then call Of for each companion.
type Foremost map[event.Path]*first

type first struct {
	file    event.Path
	z, next float64 // the z of file, and the z of the file after it

	always map[event.Path]float64 // z of the files that nearly always change with the file; nil if none do
	below  float64                // z of the first of the other files
}

// nearlyAlways is the z from which on a partner is not hidden by another partner of the same file:
// for example one of two documents that every change of a format needs, or a document beside a
// changelog. A pair in 60 of 60 commits has a z of some 2, one in 18 of 20 a z of .5.
const nearlyAlways = 1.5

// mostAhead is the largest Ahead. No file has a z this high.
const mostAhead = 3

// Add records the z of one file of the change for another file.
func (f Foremost) Add(with, file event.Path, z float64) {
	x := f[with]
	if x == nil {
		x = &first{z: -mostAhead, next: -mostAhead, below: -mostAhead}
		f[with] = x
	}
	if z >= nearlyAlways {
		if x.always == nil {
			x.always = map[event.Path]float64{}
		}
		x.always[file] = z
	} else {
		x.below = max(x.below, z)
	}
	if z > x.z {
		x.file, x.z, x.next = file, z, x.z
	} else {
		x.next = max(x.next, z)
	}
}

// Of sets Ahead and Foremost of a companion.
func (f Foremost) Of(c *Companion) {
	for with, x := range f {
		is, z, next := x.file == c.File, x.z, x.next
		if own, always := x.always[c.File]; always {
			is, z, next = true, own, x.below
		}
		if !is {
			continue
		}
		if c.Foremost++; with == c.With {
			c.Ahead = min(z-next, mostAhead)
		}
	}
}

// Companions returns the files that may belong to a change, the most probable first, at most most.
// has tells which files exist; only those are returned. links are those of the only file of a
// change, nil if no one looked. memo may be nil. It takes some 0.1 ms for each file of the change.
func (c *Commits) Companions(memo *Memo, w *Weights, change []event.Path, diffs map[event.Path]index.Sketch,
	links Links, has func(event.Path) bool, most int) []Companion {
	c.know(links)
	c.mu.RLock()
	defer c.mu.RUnlock()
	s := c.scratch()
	defer s.free()
	foremost := Foremost{}
	c.each(s, memo, w, change, diffs, links, has, func(with event.Path, x *partner) {
		b := s.companion(x.file, c.files[x.file].name)
		foremost.Add(with, b.File, x.z)
		if b.sum += x.p; x.z > b.z {
			b.z, b.With, b.Facts, b.like = x.z, with, x.facts, x.like
		}
	})
	alike := c.alike(change)
	odds := make([]float64, len(s.found))
	for i := range s.found {
		b := &s.found[i]
		b.Facts[Others], b.Facts[Alike] = Beside(b.z, b.sum-probability(b.z), alike[s.ids[i]])
		b.Facts[Alone] = AloneOf(len(change) == 1, b.z)
		b.LogOdds = w.LogOdds(&b.Facts)
		odds[i] = b.LogOdds
	}
	out := mostProbable(s.found, odds, most)
	for i := range out[:min(len(out), mostForemost)] {
		foremost.Of(&out[i])
	}
	return out
}

// best is a companion while the files of the change are examined one after the other.
type best struct {
	Companion
	z, sum float64 // z of With; sum of the probabilities by all files
}

// mostProbable returns the companions with the largest log odds, in order, at most most. It first
// finds by odds alone which of the hundreds these are, because moving companions of some 300 bytes
// around takes longer. It reorders odds.
func mostProbable(found []best, odds []float64, most int) []Companion {
	slices.Sort(odds)
	least := math.Inf(-1)
	if len(odds) > most {
		least = odds[len(odds)-most]
	}
	order := make([]*best, 0, most)
	for i := range found {
		if b := &found[i]; b.LogOdds >= least {
			order = append(order, b)
		}
	}
	slices.SortFunc(order, func(a, b *best) int {
		return cmp.Or(cmp.Compare(b.LogOdds, a.LogOdds), cmp.Compare(a.File, b.File))
	})
	out := make([]Companion, min(len(order), most))
	for i := range out {
		out[i] = order[i].Companion
	}
	return out
}

// mostForemost is the number of companions, the most probable ones, for which Ahead and Foremost
// are computed.
const mostForemost = 16

// Beside returns the facts Others and Alike of a file. z is the evidence of the strongest file of
// the change, sum the sum of the probabilities by the other files. alike is 0 if no commit is
// similar to the change.
func Beside(z, sum, alike float64) (others, more float64) {
	if alike != 0 {
		more = max(0, alike-z)
	}
	return math.Log1p(max(sum, 0)), more
}

// aloneUntil is the least probability by one file at which it makes no difference whether the
// change has other files.
const aloneUntil = 0.8

// AloneOf returns the fact Alone. z is the evidence of the only file of the change; alone is false
// if the change has several.
func AloneOf(alone bool, z float64) float64 {
	if !alone {
		return 0
	}
	return max(0, 1-probability(z)/aloneUntil)
}

// Evidence is what one file of a change tells about another file. It is for fitting weights.
type Evidence struct {
	File, With event.Path // With is the file of the change
	Facts      Facts
	Both       int // number of commits that they share, of the newest 300 of With
	Alike      float64
}

// Evidence returns the evidence for all files that may belong to a change.
func (c *Commits) Evidence(change []event.Path, diffs map[event.Path]index.Sketch, links Links,
	has func(event.Path) bool) (out []Evidence) {
	c.know(links)
	c.mu.RLock()
	defer c.mu.RUnlock()
	alike := c.alike(change)
	s := c.scratch()
	defer s.free()
	c.each(s, nil, nil, change, diffs, links, has, func(with event.Path, x *partner) {
		out = append(out, Evidence{c.files[x.file].name, with, x.facts, int(x.both), alike[x.file]})
	})
	return out
}

// examined returns the files of a change that are looked at: the last mostFiles of them. New files
// are left out first, because they tell little.
func (c *Commits) examined(change []event.Path) []event.Path {
	if len(change) <= mostFiles {
		return change
	}
	var out, known []event.Path
	for _, f := range change {
		if _, has := c.ids[f]; has {
			known = append(known, f)
		} else {
			out = append(out, f)
		}
	}
	out = append(out, known...)
	return out[len(out)-mostFiles:]
}

// each yields what each examined file of a change tells about each file outside of it. The partner
// is valid only during the call. The caller holds c.mu.
func (c *Commits) each(s *scratch, memo *Memo, w *Weights, change []event.Path, diffs map[event.Path]index.Sketch,
	links Links, has func(event.Path) bool, yield func(with event.Path, x *partner)) {
	for _, f := range change {
		if i, known := c.ids[f]; known {
			s.inside[i] = true
			s.insides = append(s.insides, i)
		}
	}
	outside := func(f int32) bool { return !s.inside[f] && has(c.files[f].name) }
	every := func(f int32) bool { return has(c.files[f].name) }
	for _, with := range c.examined(change) {
		if memo == nil || links != nil {
			c.pairs(w, with, diffs[with], links, s, outside, func(x *partner) { yield(with, x) })
			continue
		}
		all := memo.partners(memoKey{with, w, len(diffs[with]) > 0}, func(add func(*partner)) {
			c.pairs(w, with, diffs[with], links, s, every, add)
		})
		for i := range all {
			if x := &all[i]; !s.inside[x.file] {
				yield(with, x)
			}
		}
	}
}

// Memo remembers what each file of a change tells about other files, for several questions about
// the same change, each without another of its files. For a change of n files it saves n−1 of n
// computations. It is valid as long as no commit, rename or file is added. It is safe for
// concurrent use. The zero value is empty. Questions with links do not use it.
type Memo struct {
	mu   sync.Mutex // guards the field below
	once map[memoKey]func() []partner
}

// memoKey is what the evidence of a file depends on, besides the commits and the files that exist.
type memoKey struct {
	with    event.Path
	weights *Weights
	diff    bool // it is known what the change does to the file
}

// partners returns what was remembered for a key. The first call computes it, while other calls for
// the same key wait.
func (m *Memo) partners(key memoKey, compute func(add func(*partner))) []partner {
	m.mu.Lock()
	get := m.once[key]
	if get == nil {
		get = sync.OnceValue(func() (all []partner) {
			compute(func(x *partner) { all = append(all, *x) })
			return all
		})
		if m.once == nil {
			m.once = map[memoKey]func() []partner{}
		}
		m.once[key] = get
	}
	m.mu.Unlock()
	return get()
}
