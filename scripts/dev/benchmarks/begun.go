package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// Limits for the questions about changes that have begun.
const (
	begunCommits = 60 // commits of a history that are asked about, at most
	countedFiles = 50 // files of the largest commit that counting uses
	begunFirst   = 5  // files of an answer that count
)

// The methods, in the order of the table.
const (
	fileAlone = "aOa, the file"
	textAlone = "aOa, the message"
	counting  = "counting common commits"
)

// begun measures how well the files of a commit are found, given one of its sources and its
// message.
func (in inputs) begun(ctx context.Context) (string, error) {
	names, err := in.names(changeHistories)
	if err != nil {
		return "", err
	}
	var t recorded.Table
	err = recorded.EachHistory(ctx, in.repos, names, func(ctx context.Context, _ int, s eval.Source) error {
		past, at := newTransactions(), 0
		err := recorded.BegunCommits(ctx, s, recorded.Options{Contents: true}, begunCommits, func(b *recorded.Begun) error {
			for ; s.Commits[at].ID != b.ID; at++ {
				past.learn(s.Commits[at])
			}
			return askBegun(ctx, &t, b, past)
		})
		fmt.Fprintf(os.Stderr, "%s: asked\n", s.Name)
		return err
	})
	if err != nil {
		return "", err
	}
	methods := []string{recorded.Own, textAlone, fileAlone, counting}
	var out strings.Builder
	out.WriteString(recorded.Line("", "commits", "**aOa**, both", textAlone, fileAlone, counting))
	out.WriteString(recorded.Line("---", "---:", "---", "---", "---", "---"))
	all := []string{"all", fmt.Sprint(t.N(recorded.Own, begunFive))}
	for _, m := range methods {
		all = append(all, t.Cell(m, begunFive))
	}
	out.WriteString(recorded.Line(all...))
	for _, repo := range slices.Sorted(slices.Values(names)) {
		cells := []string{repo, fmt.Sprintf("%.0f", t.Repos(recorded.Own, begunFive)[repo].N)}
		for _, m := range methods {
			cells = append(cells, recorded.Two(t.Repos(m, begunFive)[repo].Value()))
		}
		out.WriteString(recorded.Line(cells...))
	}
	fmt.Fprintf(&out, "\nPromised → the commit changed it (how many): %s.\n", t.Promises(recorded.Own, "begun"))
	return out.String(), nil
}

// begunFive is the share of the other files among the first five.
const begunFive = "share of five"

// askBegun counts the answers of all methods to one question.
func askBegun(ctx context.Context, t *recorded.Table, b *recorded.Begun, past *transactions) error {
	files, err := b.Files(ctx)
	if err != nil {
		return err
	}
	w := prefetch.ShippedBegun()
	both := func(f *recorded.BegunFile) float64 { return w.LogOdds(prefetch.BegunValues(f.File, f.Text, f.Beside)) }
	for m, score := range map[string]func(*recorded.BegunFile) float64{recorded.Own: both,
		textAlone: func(f *recorded.BegunFile) float64 { return f.Text },
		fileAlone: func(f *recorded.BegunFile) float64 { return f.Beside }} {
		known := slices.DeleteFunc(slices.Clone(files), func(f recorded.BegunFile) bool { return math.IsNaN(score(&f)) })
		slices.SortFunc(known, func(a, b recorded.BegunFile) int {
			return cmp.Or(cmp.Compare(score(&b), score(&a)), cmp.Compare(a.File, b.File))
		})
		right := 0
		for _, f := range known[:min(len(known), begunFirst)] {
			right += int(share(f.Used))
			if m == recorded.Own {
				t.Promise(m, "begun", b.Repo, b.ID, 1/(1+math.Exp(-both(&f))), f.Used)
			}
		}
		t.Add(m, begunFive, b.Repo, b.ID, float64(right)/float64(len(b.Others)), 1)
	}
	right := 0
	counted := past.committedWith(b.Given)
	for _, r := range counted[:min(len(counted), begunFirst)] {
		right += int(share(slices.Contains(b.Others, past.names[r.file])))
	}
	t.Add(counting, begunFive, b.Repo, b.ID, float64(right)/float64(len(b.Others)), 1)
	return nil
}

// committedWith returns the files that were committed with another one most often, in commits of at
// most countedFiles files.
func (t *transactions) committedWith(f event.Path) []rule {
	sums, id := map[int]float64{}, t.id(f)
	for _, c := range t.of[id] {
		for _, g := range t.commits[c] {
			if g != id && t.there[g] && len(t.commits[c]) <= countedFiles {
				sums[g]++
			}
		}
	}
	var out []rule
	for g, n := range sums {
		out = append(out, rule{g, n, 0})
	}
	return t.sorted(out, func(a, b rule) int { return cmp.Compare(b.support, a.support) })
}
