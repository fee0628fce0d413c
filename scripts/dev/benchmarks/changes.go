package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// miners are the rules that aOa is compared with. They warn about files whose rule has at least
// this support and confidence. No such limits are published for TARMAQ, so it gets those of ROSE.
// cochange names a file that changed in 80 % of the commits of another one; counting has the limit
// of aoa check. Both ignore pairs with a single common commit.
var miners = []struct {
	name                string
	rank                func(*transactions, []event.Path) []rule
	support, confidence float64
}{
	{"ROSE", (*transactions).rose, roseSupport, roseConfidence},
	{"TARMAQ", (*transactions).tarmaq, roseSupport, roseConfidence},
	{"cochange", (*transactions).shared, 2, .8},
	{"counting", (*transactions).shared, 2, prefetch.Balanced + prefetch.WarnMargin},
	{"co-change counts", (*transactions).counted, 0, 0},
}

// warners are the methods that name files of a change as missing.
var warners = []string{recorded.Own, "ROSE", "TARMAQ", "cochange", "counting"}

// changes measures which file is missing in a commit.
func (in inputs) changes(ctx context.Context) (string, error) {
	names, err := in.names(changeHistories)
	if err != nil {
		return "", err
	}
	var t recorded.Table
	err = recorded.EachHistory(ctx, in.repos, names, func(ctx context.Context, _ int, s eval.Source) error {
		past := newTransactions()
		o := eval.Options{Learned: past.learn, Newest: newestChanges, Sketched: history.MaxSketched}
		err := recorded.Commits(ctx, s, o, func(d *recorded.Decision) error {
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
	out.WriteString(recorded.Line("", "MRR", "@1", "@5"))
	out.WriteString(recorded.Line("---", "---", "---", "---"))
	for _, m := range []string{recorded.Own, "ROSE", "TARMAQ", "co-change counts"} {
		if t.N(m, "hit1") > 0 {
			out.WriteString(recorded.Line(bold(m), t.Cell(m, "mrr"), recorded.Two(t.Mean(m, "hit1")),
				recorded.Two(t.Mean(m, "hit5"))))
		}
	}
	out.WriteString("\n" + recorded.Line("", "left-out files named", "named files right",
		"complete commits with a file named", "without changelogs, manifests, lock files: named", "right", "complete"))
	out.WriteString(recorded.Line("---", "---", "---", "---", "---", "---", "---"))
	for _, m := range warners {
		cells := []string{bold(m)}
		for _, measure := range []string{"named", "right", "false", "named" + ofWork, "right" + ofWork, "false" + ofWork} {
			cells = append(cells, t.Cell(m, measure))
		}
		out.WriteString(recorded.Line(cells...))
	}
	fmt.Fprintf(&out, "\nThere are %d questions with a file left out, and %d about complete commits.\n\n",
		t.N(recorded.Own, "hit1"), t.N(recorded.Own, "false"))
	fmt.Fprintf(&out, "Of %d left-out files that are tests, %s are among the first %d tests of the answer.\n\n",
		t.N(recorded.Own, "tests"), t.Cell(recorded.Own, "tests"), mostTests)
	fmt.Fprintf(&out, "Promised by the check → it was the file that was left out (how many): %s.\n\n",
		t.Promises(recorded.Own, "check"))
	fmt.Fprintf(&out, "Repositories in which another method is better in MRR: %s.\n\nAt @1: %s.\n\n",
		t.Losses("mrr"), t.Losses("hit1"))
	out.WriteString(eachRepository(&t))
	return out.String(), nil
}

// eachRepository returns three figures for each repository, in percent: how many files left out are
// named, how many of the named files are right, and for how many complete commits a file is named.
func eachRepository(t *recorded.Table) string {
	var out strings.Builder
	out.WriteString("Left-out files named / named files right / complete commits with a file named, in percent:\n\n")
	out.WriteString(recorded.Line(append([]string{"", "files left out", "complete commits"}, warners...)...))
	out.WriteString(recorded.Line("---", "---:", "---:", "---", "---", "---", "---", "---"))
	asked := t.Repos(recorded.Own, "named")
	for _, repo := range slices.Sorted(maps.Keys(asked)) {
		cells := []string{repo, fmt.Sprintf("%.0f", asked[repo].N),
			fmt.Sprintf("%.0f", t.Repos(recorded.Own, "false")[repo].N)}
		for _, m := range warners {
			right := "–"
			if r, any := t.Repos(m, "right")[repo]; any {
				right = percent(r)
			}
			cells = append(cells, percent(t.Repos(m, "named")[repo])+" / "+right+" / "+percent(t.Repos(m, "false")[repo]))
		}
		out.WriteString(recorded.Line(cells...))
	}
	return out.String()
}

func percent(r recorded.Ratio) string { return fmt.Sprintf("%.0f", 100*r.Value()) }

// mostTests is how many tests aoa suggest --tests names.
const mostTests = 20

// newestChanges is how many events of a history are asked about at most.
const newestChanges = 200

// askChange counts how all methods answer one question.
func (in inputs) askChange(t *recorded.Table, repo string, past *transactions, d *recorded.Decision) {
	var listed, warned []event.Path
	for _, r := range d.Ranked {
		listed = append(listed, r.File)
	}
	for _, w := range d.Warned {
		warned = append(warned, w.File)
	}
	count(t, recorded.Own, repo, d, listed, warned, true)
	if index.KindOf(d.Left) == index.KindTest && d.Left != "" {
		tests := slices.DeleteFunc(slices.Clone(listed), func(p event.Path) bool { return index.KindOf(p) != index.KindTest })
		t.Add(recorded.Own, "tests", repo, d.Session, share(slices.Contains(tests[:min(len(tests), mostTests)], d.Left)), 1)
	}
	for _, p := range d.Missing {
		t.Promise(recorded.Own, "check", repo, d.Session, p.P, p.Kept)
	}
	for _, m := range miners {
		listed, warned = nil, nil
		for _, r := range m.rank(past, d.Query.Files) {
			listed = append(listed, past.names[r.file])
			if m.support > 0 && r.support >= m.support && r.confidence >= m.confidence {
				warned = append(warned, past.names[r.file])
			}
		}
		count(t, m.name, repo, d, listed, warned, m.support > 0)
	}
}

// count counts the answer of a method to a question about a commit. Intervals are computed by
// drawing commits.
func count(t *recorded.Table, method, repo string, d *recorded.Decision, listed, warned []event.Path, warns bool) {
	add := func(measure string, sum, n float64) { t.Add(method, measure, repo, d.Session, sum, n) }
	if d.Left != "" {
		t.Place(method, "", repo, d.Session, 1+slices.Index(listed, d.Left))
	}
	if !warns {
		return
	}
	warn := func(of string, warned []event.Path) {
		hit := share(slices.Contains(warned, d.Left))
		if d.Left == "" {
			add("false"+of, share(len(warned) > 0), 1)
		} else {
			add("named"+of, hit, 1)
			add("right"+of, hit, float64(len(warned)))
		}
	}
	warn("", warned)
	if !d.Left.Upkeep() {
		warn(ofWork, slices.DeleteFunc(slices.Clone(warned), event.Path.Upkeep))
	}
}

// ofWork marks the measures without changelogs, manifests, lock files and settings of tools, which
// aoa check never reports: such files are neither left out nor counted when a rule names them.
const ofWork = " of work"
