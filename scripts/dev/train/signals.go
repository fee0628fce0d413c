package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// runSignals prints what each signal is worth, and what it costs to keep but some of them.
func runSignals(_ context.Context, args []string) error {
	flags := flag.NewFlagSet("signals", flag.ExitOnError)
	examples := flags.String("examples", "", "what fit -examples kept")
	most := flags.Int("most", 30, "signals that each part of the questions keeps, those that save most")
	without := flags.String("without", "", "signals that none keeps, a space between two")
	_ = flags.Parse(args) // ExitOnError
	s, err := keptExamples(*examples + ".sessions")
	if err == nil && s == nil {
		err = errors.New("no examples: run fit -examples before")
	}
	if err != nil {
		return err
	}
	var few []*group
	for _, g := range groups(s.Signals) {
		x := s.worth(os.Stdout, g, *most)
		for name := range strings.FieldsSeq(*without) {
			x.use[slices.Index(s.Signals, name)] = false
		}
		few = append(few, x)
	}
	paired(os.Stdout, s.withoutOwners(groups(s.Signals)), s.withoutOwners(few))
	return nil
}

// worth prints by how much each signal of a group lowers the loss of a question, beside all others:
// to the second order, as Wald's test has it. It returns the group with the most signals of the
// greatest worth.
func (s *set) worth(to io.Writer, g *group, most int) *group {
	repos := s.by(g.in, everything)
	w := fit(repos, g, nil)
	var parts []*quadratic
	for _, qs := range repos {
		parts = append(parts, g.around(qs, w))
	}
	curve, _, n := sum(parts, len(w))
	for i := range curve {
		if curve[i][i] += ridge * max(n, 1); !g.use[i] {
			for j := range curve {
				curve[i][j], curve[j][i] = 0, 0
			}
			curve[i][i] = 1
		}
	}
	unknown := invert(curve)
	saves := func(i int) float64 { return w[i] * w[i] / (2 * unknown[i][i] * max(n, 1)) }
	var order []int
	for i := range w {
		if g.use[i] {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(saves(b), saves(a)) })
	few := *g
	few.use = make([]bool, len(g.use))
	for k, i := range order {
		few.use[i] = k < most
		fmt.Fprintf(to, "%-12s %-16s %+.3f saves %.5f\n", g.name, s.Signals[i], w[i], saves(i))
	}
	return &few
}

// withoutOwners measures each repository by weights of the groups that were fitted without its
// owner.
func (s *set) withoutOwners(groups []*group) *recorded.Table {
	t := &recorded.Table{}
	start := map[string][]float64{}
	for _, g := range groups {
		start[g.name] = fit(s.by(g.in, everything), g, nil)
	}
	byOwner := map[string]*weights{}
	for repo, name := range s.Repos {
		owner := ownerOf(name)
		if byOwner[owner] == nil {
			m := &weights{w: map[string][]float64{}, scale: map[string][2]float64{}}
			for _, g := range groups {
				others := s.by(g.in, func(r int) bool { return ownerOf(s.Repos[r]) != owner })
				m.w[g.name], m.scale[g.name] = fit(others, g, slices.Clone(start[g.name])), [2]float64{1, 0}
			}
			byOwner[owner] = m
		}
		byOwner[owner].measure(s, repo, t)
	}
	return t
}

// paired prints each measure with all and with few signals, and the mean of the differences over
// repositories with its standard error.
func paired(to io.Writer, all, few *recorded.Table) {
	for _, m := range all.Measures(recorded.Own) {
		of, n, sum, squares := few.Repos(recorded.Own, m), 0.0, 0.0, 0.0
		before := all.Repos(recorded.Own, m)
		for _, repo := range slices.Sorted(maps.Keys(before)) {
			d := of[repo].Value() - before[repo].Value()
			n, sum, squares = n+1, sum+d, squares+d*d
		}
		mean := sum / n
		fmt.Fprintf(to, "%-12s %.3f → %.3f (%+.3f ± %.3f)\n", m, all.Mean(recorded.Own, m), few.Mean(recorded.Own, m), mean,
			math.Sqrt(max(0, squares/n-mean*mean)/max(n-1, 1)))
	}
}
