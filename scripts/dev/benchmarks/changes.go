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
		h := asked{t: &t, repo: s.Name, past: newTransactions(), wrong: map[wrongName]bool{}}
		o := eval.Options{Learned: h.past.learn, Newest: newestChanges, Sketched: history.MaxSketched}
		err := recorded.Commits(ctx, s, o, func(d *recorded.Decision) error {
			h.ask(d)
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

// asked counts how all methods answer the questions about one history.
type asked struct {
	t     *recorded.Table
	repo  string
	past  *transactions
	wrong map[wrongName]bool // what was named and not left out
}

// wrongName is a file that a method named in a commit. It counts once, however many questions there
// are about the commit.
type wrongName struct {
	method, measure, commit string
	file                    event.Path
}

// ask counts how all methods answer one question.
func (h *asked) ask(d *recorded.Decision) {
	var listed, warned []event.Path
	for _, r := range d.Ranked {
		listed = append(listed, r.File)
	}
	for _, w := range d.Warned {
		warned = append(warned, w.File)
	}
	h.count(recorded.Own, d, listed, warned, true)
	if index.KindOf(d.Left) == index.KindTest && d.Left != "" {
		tests := slices.DeleteFunc(slices.Clone(listed), func(p event.Path) bool { return index.KindOf(p) != index.KindTest })
		h.t.Add(recorded.Own, "tests", h.repo, d.Session, share(slices.Contains(tests[:min(len(tests), mostTests)], d.Left)), 1)
	}
	for _, p := range d.Missing {
		h.t.Promise(recorded.Own, "check", h.repo, d.Session, p.P, p.Kept)
	}
	for _, m := range miners {
		listed, warned = nil, nil
		for _, r := range m.rank(h.past, d.Query.Files) {
			listed = append(listed, h.past.names[r.file])
			if m.support > 0 && r.support >= m.support && r.confidence >= m.confidence {
				warned = append(warned, h.past.names[r.file])
			}
		}
		h.count(m.name, d, listed, warned, m.support > 0)
	}
}

// count counts the answer of a method to a question about a commit. Intervals are computed by
// drawing commits.
func (h *asked) count(method string, d *recorded.Decision, listed, warned []event.Path, warns bool) {
	add := func(measure string, sum, n float64) { h.t.Add(method, measure, h.repo, d.Session, sum, n) }
	if d.Left != "" {
		h.t.Place(method, "", h.repo, d.Session, 1+slices.Index(listed, d.Left))
	}
	if !warns {
		return
	}
	warn := func(of string, warned []event.Path) {
		hit := share(slices.Contains(warned, d.Left))
		if d.Left == "" {
			add("false"+of, share(len(warned) > 0), 1)
			return
		}
		add("named"+of, hit, 1)
		n := hit
		for _, f := range warned {
			if wrong := (wrongName{method, of, d.Session, f}); f != d.Left && !h.wrong[wrong] {
				h.wrong[wrong] = true
				n++
			}
		}
		add("right"+of, hit, n)
	}
	warn("", warned)
	if !d.Left.Upkeep() {
		warn(ofWork, slices.DeleteFunc(slices.Clone(warned), event.Path.Upkeep))
	}
}

// ofWork marks the measures without changelogs, manifests, lock files and settings of tools, which
// aoa check never reports: such files are neither left out nor counted when a rule names them.
const ofWork = " of work"
