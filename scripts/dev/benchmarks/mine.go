package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// transactions are the commits that were learned so far. A file keeps its number when it is
// renamed.
type transactions struct {
	number  map[event.Path]int
	names   []event.Path
	there   []bool
	commits [][]int
	of      map[int][]int // the commits of each file
}

func newTransactions() *transactions {
	return &transactions{number: map[event.Path]int{}, of: map[int][]int{}}
}

func (t *transactions) id(p event.Path) int {
	i, known := t.number[p]
	if !known {
		i = len(t.names)
		t.number[p], t.names, t.there = i, append(t.names, p), append(t.there, false)
	}
	return i
}

func (t *transactions) learn(e event.Event) {
	switch e.Kind() {
	case event.KindRename:
		for i, from := range e.From() {
			id := t.id(from)
			delete(t.number, from)
			t.number[e.Paths()[i]], t.names[id] = id, e.Paths()[i]
		}
	case event.KindCommit:
		for _, p := range e.Gone() {
			t.there[t.id(p)] = false
		}
		var files []int
		for _, p := range e.Paths() {
			id := t.id(p)
			t.there[id] = true
			files = append(files, id)
		}
		if len(files) > tarmaqMost {
			return
		}
		for _, id := range files {
			t.of[id] = append(t.of[id], len(t.commits))
		}
		t.commits = append(t.commits, files)
	}
}

// rule is a file that should belong to the files of a question, with the support and confidence of
// the evidence.
type rule struct {
	file                int
	support, confidence float64
}

// Limits from the papers of the authors.
const (
	roseMost       = 30  // files of the largest commit that is used
	roseSupport    = 3   // least support of a warning
	roseConfidence = 0.9 // least confidence of a warning
	tarmaqMost     = 300 // files of the largest commit that is used
)

// rose returns the rules of Zimmermann and others, "Mining Version Histories to Guide Software
// Changes" (2005). They come from the transactions that contain all files of the question, ordered
// by confidence, then by support.
func (t *transactions) rose(asked []event.Path) []rule {
	return t.mine(asked, func(n, of int) bool { return n == of }, roseMost, func(a, b rule) int {
		return cmp.Or(cmp.Compare(b.confidence, a.confidence), cmp.Compare(b.support, a.support))
	})
}

// tarmaq returns the rules of Rolfsnes and others, "Generalizing the Analysis of Evolutionary
// Coupling for Software Change Impact Analysis" (2016). They come from the transactions that
// contain the most files of the question, ordered by support, then by confidence.
func (t *transactions) tarmaq(asked []event.Path) []rule {
	most := 0
	for _, n := range t.overlaps(asked) {
		most = max(most, n)
	}
	return t.mine(asked, func(n, _ int) bool { return n == most }, tarmaqMost, func(a, b rule) int {
		return cmp.Or(cmp.Compare(b.support, a.support), cmp.Compare(b.confidence, a.confidence))
	})
}

// shared returns rules between two files: the share of the commits of a file of the question in
// which another one changed. If there are several rules for a file, the one with the highest
// confidence is used.
func (t *transactions) shared(asked []event.Path) []rule {
	in, kept := t.ids(asked), map[int]rule{}
	order := func(a, b rule) int {
		return cmp.Or(cmp.Compare(b.confidence, a.confidence), cmp.Compare(b.support, a.support))
	}
	for _, id := range in {
		of, with := 0.0, map[int]float64{}
		for _, c := range t.of[id] {
			if len(t.commits[c]) > roseMost {
				continue
			}
			of++
			for _, other := range t.commits[c] {
				if !slices.Contains(in, other) {
					with[other]++
				}
			}
		}
		for other, n := range with {
			r := rule{other, n, n / of}
			if old, has := kept[other]; !has || order(r, old) < 0 {
				kept[other] = r
			}
		}
	}
	return t.sorted(slices.Collect(maps.Values(kept)), order)
}

// counted adds up how often a file was committed with each file of the question.
func (t *transactions) counted(asked []event.Path) []rule {
	sums, in := map[int]float64{}, t.ids(asked)
	for commit, n := range t.overlaps(asked) {
		for _, id := range t.commits[commit] {
			if !slices.Contains(in, id) && len(t.commits[commit]) <= roseMost {
				sums[id] += float64(n)
			}
		}
	}
	var out []rule
	for id, n := range sums {
		out = append(out, rule{id, n, 0})
	}
	return t.sorted(out, func(a, b rule) int { return cmp.Compare(b.support, a.support) })
}

func (t *transactions) ids(asked []event.Path) (out []int) {
	for _, p := range asked {
		if id, known := t.number[p]; known {
			out = append(out, id)
		}
	}
	return out
}

// overlaps returns the commits that contain files of a question, and how many of these files each
// contains.
func (t *transactions) overlaps(asked []event.Path) map[int]int {
	out := map[int]int{}
	for _, id := range t.ids(asked) {
		for _, c := range t.of[id] {
			out[c]++
		}
	}
	return out
}

// mine makes a rule of each file that belongs to the part of the question which a transaction
// contains. If there are several rules for a file, the first in order is used.
func (t *transactions) mine(asked []event.Path, fits func(n, of int) bool, most int, order func(a, b rule) int) []rule {
	in, overlaps := t.ids(asked), t.overlaps(asked)
	together, alone := map[string]map[int]float64{}, map[string]float64{}
	for commit, n := range overlaps {
		if !fits(n, len(asked)) || len(t.commits[commit]) > most {
			continue
		}
		var part, others []int
		for _, id := range t.commits[commit] {
			if slices.Contains(in, id) {
				part = append(part, id)
			} else {
				others = append(others, id)
			}
		}
		slices.Sort(part)
		key := fmt.Sprint(part)
		if together[key] == nil {
			together[key] = map[int]float64{}
		}
		alone[key]++
		for _, id := range others {
			together[key][id]++
		}
	}
	kept := map[int]rule{}
	for key, with := range together {
		for id, n := range with {
			r := rule{id, n, n / alone[key]}
			if old, has := kept[id]; !has || order(r, old) < 0 {
				kept[id] = r
			}
		}
	}
	var out []rule
	for _, r := range kept {
		out = append(out, r)
	}
	return t.sorted(out, order)
}

// sorted returns the rules for files that exist, the best first; ties are ordered by path.
func (t *transactions) sorted(rules []rule, order func(a, b rule) int) []rule {
	rules = slices.DeleteFunc(rules, func(r rule) bool { return !t.there[r.file] })
	slices.SortFunc(rules, func(a, b rule) int {
		return cmp.Or(order(a, b), cmp.Compare(t.names[a.file], t.names[b.file]))
	})
	return rules
}
