package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/recorded"
)

// miners are the rules that aOa is compared with.
var miners = []struct {
	name string
	rank func(*transactions, []event.Path) []rule
	warn func(rule) bool // nil: nothing is published
}{
	{"ROSE", (*transactions).rose, func(r rule) bool { return r.support >= roseSupport && r.confidence >= roseConfidence }},
	{"TARMAQ", (*transactions).tarmaq, nil},
	{"co-change counts", (*transactions).counted, nil},
}

// changes measures which file is missing in a commit.
func (in inputs) changes(ctx context.Context) (string, error) {
	names, err := in.names(changeHistories)
	if err != nil {
		return "", err
	}
	var t recorded.Table
	err = recorded.EachHistory(ctx, in.repos, names, func(ctx context.Context, _ int, s eval.Source) error {
		past := newTransactions()
		o := eval.Options{Learned: past.learn, Newest: newestChanges}
		err := recorded.Commits(ctx, s, o, func(d *eval.Decision) error {
			in.askChange(&t, s.Name, past, d)
			return nil
		})
		fmt.Fprintf(os.Stderr, "%s: asked\n", s.Name)
		return err
	})
	if err != nil {
		return "", err
	}
	var out strings.Builder
	out.WriteString(recorded.Line("", "MRR", "@1", "@5", "warnings right", "left-out files named", "complete commits with a warning"))
	out.WriteString(recorded.Line("---", "---", "---", "---", "---", "---", "---"))
	methods := []string{recorded.Own}
	for _, m := range miners {
		methods = append(methods, m.name)
	}
	for _, m := range methods {
		if t.N(m, "hit1") > 0 {
			out.WriteString(recorded.Line(bold(m), t.Cell(m, "mrr"), recorded.Two(t.Mean(m, "hit1")), recorded.Two(t.Mean(m, "hit5")),
				t.Cell(m, "right"), t.Cell(m, "named"), t.Cell(m, "false")))
		}
	}
	fmt.Fprintf(&out, "\nAsked: %d files left out, %d complete commits.\n\n", t.N(recorded.Own, "hit1"), t.N(recorded.Own, "false"))
	fmt.Fprintf(&out, "Losses in MRR: %s.\n\nLosses at @1: %s.\n", t.Losses("mrr"), t.Losses("hit1"))
	return out.String(), nil
}

// newestChanges is how many events of a history are asked about at most.
const newestChanges = 200

// askChange counts how all answer one question.
func (in inputs) askChange(t *recorded.Table, repo string, past *transactions, d *eval.Decision) {
	var listed, warned []event.Path
	for _, r := range d.Ranked {
		listed = append(listed, r.File)
	}
	for _, w := range d.Warned {
		warned = append(warned, w.File)
	}
	count(t, recorded.Own, repo, d, listed, warned, true)
	for _, m := range miners {
		listed, warned = nil, nil
		for _, r := range m.rank(past, d.Query.Files) {
			listed = append(listed, past.names[r.file])
			if m.warn != nil && m.warn(r) {
				warned = append(warned, past.names[r.file])
			}
		}
		count(t, m.name, repo, d, listed, warned, m.warn != nil)
	}
}

// count counts the answer of a method. Its clusters are commits.
func count(t *recorded.Table, method, repo string, d *eval.Decision, listed, warned []event.Path, warns bool) {
	add := func(measure string, sum, n float64) { t.Add(method, measure, repo, d.Session, sum, n) }
	if d.Left != "" {
		t.Place(method, "", repo, d.Session, 1+slices.Index(listed, d.Left))
	}
	switch hit := share(slices.Contains(warned, d.Left)); {
	case !warns:
	case d.Left == "":
		add("false", share(len(warned) > 0), 1)
	default:
		add("named", hit, 1)
		add("right", hit, float64(len(warned)))
	}
}

// transactions are the commits so far. Files keep their number when they are renamed.
type transactions struct {
	number  map[event.Path]int
	names   []event.Path
	there   []bool
	commits [][]int
	of      map[int][]int // file → its commits
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

// rule says that a file goes with those of a question.
type rule struct {
	file                int
	support, confidence float64
}

// The bounds that the authors give.
const (
	roseMost       = 30  // files of a transaction
	roseSupport    = 3   // of a warning
	roseConfidence = 0.9 // of a warning
	tarmaqMost     = 300 // files of a transaction
)

// rose are the rules of Zimmermann and others, "Mining Version Histories to Guide Software Changes" (2005):
// transactions that hold the whole question, by confidence, then support.
func (t *transactions) rose(asked []event.Path) []rule {
	return t.mine(asked, func(n, of int) bool { return n == of }, roseMost, func(a, b rule) int {
		return cmp.Or(cmp.Compare(b.confidence, a.confidence), cmp.Compare(b.support, a.support))
	})
}

// tarmaq are the rules of Rolfsnes and others, "Generalizing the Analysis of Evolutionary Coupling for Software Change
// Impact Analysis" (2016): transactions that hold as many files of the question as any does, by support, then
// confidence.
func (t *transactions) tarmaq(asked []event.Path) []rule {
	most := 0
	for _, n := range t.overlaps(asked) {
		most = max(most, n)
	}
	return t.mine(asked, func(n, _ int) bool { return n == most }, tarmaqMost, func(a, b rule) int {
		return cmp.Or(cmp.Compare(b.support, a.support), cmp.Compare(b.confidence, a.confidence))
	})
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

// overlaps are the commits with files of a question, and with how many.
func (t *transactions) overlaps(asked []event.Path) map[int]int {
	out := map[int]int{}
	for _, id := range t.ids(asked) {
		for _, c := range t.of[id] {
			out[c]++
		}
	}
	return out
}

// mine makes a rule of each file that goes with the part of the question that a transaction holds. Of several rules for
// a file the first in order stands.
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

// sorted are the rules of files that are there, best first, ties by path.
func (t *transactions) sorted(rules []rule, order func(a, b rule) int) []rule {
	rules = slices.DeleteFunc(rules, func(r rule) bool { return !t.there[r.file] })
	slices.SortFunc(rules, func(a, b rule) int {
		return cmp.Or(order(a, b), cmp.Compare(t.names[a.file], t.names[b.file]))
	})
	return rules
}
