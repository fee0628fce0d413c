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

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// runSignals prints what each signal of sessions and of texts is worth, and what it costs to keep
// only some of them.
func runSignals(_ context.Context, args []string) error {
	flags := flag.NewFlagSet("signals", flag.ExitOnError)
	examples := flags.String("examples", "", "file that train fit -examples wrote")
	most := flags.Int("most", 30, "number of signals to keep: those that save the most loss")
	without := flags.String("without", "", "signals that are left out before, a space between two")
	part := flags.String("of", "sessions", "sessions or texts")
	_ = flags.Parse(args) // ExitOnError
	ending, of := ".sessions", groups
	measure, fewer := (*set).withoutOwners, strings.Fields(*without)
	if *part == "texts" {
		ending, of, measure = ".fits", textGroups, (*set).withoutParts
	}
	s, err := keptExamples(*examples + ending)
	if err == nil && s == nil {
		err = errors.New("no examples: run fit -examples before")
	}
	if err != nil {
		return err
	}
	if *part == "texts" {
		s.Signals = rank.TextSignalNames()
	}
	few := of(s.Signals)
	keepOnly(few, func(i int) bool { return !slices.Contains(fewer, s.Signals[i]) })
	gone := s.keepMost(os.Stdout, few, *most)
	fmt.Println("left out:", strings.Join(gone, " "))
	paired(os.Stdout, measure(s, of(s.Signals)), measure(s, few))
	return nil
}

// keepMost keeps in the groups only the signals that save the most loss, added up over all groups.
// It prints what each of them saves, and returns the other ones.
func (s *set) keepMost(to io.Writer, of []*group, most int) (gone []string) {
	saved, order := make([]float64, len(s.Signals)), make([]int, len(s.Signals))
	for _, g := range of {
		for i, x := range s.worth(g) {
			saved[i] += x
		}
	}
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(saved[b], saved[a]) })
	for place, i := range order {
		if fmt.Fprintf(to, "%2d %-16s saves %.5f\n", place+1, s.Signals[i], saved[i]); place >= most {
			gone = append(gone, s.Signals[i])
		}
	}
	keepOnly(of, func(i int) bool { return !slices.Contains(gone, s.Signals[i]) })
	return gone
}

// keepOnly removes the signals from the groups that are not kept.
func keepOnly(groups []*group, kept func(signal int) bool) {
	for _, g := range groups {
		for i, used := range g.use {
			g.use[i] = used && kept(i)
		}
	}
}

// worth returns by how much each signal of a group lowers the loss of a question, given all the
// others. It is the second-order estimate that Wald's test uses.
func (s *set) worth(g *group) []float64 {
	repos := s.by(g.in, everything)
	w := fit(repos, g, nil)
	var parts []*quadratic
	for _, qs := range repos {
		parts = append(parts, g.around(qs, w))
	}
	curve, _, n := sum(parts, len(w))
	for i := range curve {
		if curve[i][i] += cmp.Or(g.ridge, ridge) * max(n, 1); !g.use[i] {
			for j := range curve {
				curve[i][j], curve[j][i] = 0, 0
			}
			curve[i][i] = 1
		}
	}
	unknown := invert(curve)
	saves := make([]float64, len(w))
	for i := range w {
		if g.use[i] {
			saves[i] = w[i] * w[i] / (2 * unknown[i][i] * max(n, 1))
		}
	}
	return saves
}

// textGroups returns the kinds of texts that are fitted on commit messages.
func textGroups(signals []string) (out []*group) {
	for _, kind := range []string{"short", "long"} {
		g := textGroup(kind, len(signals))
		task := taskFits + event.Task(kind)
		g.in = func(q *question) bool { return q.Task == task && q.message() }
		out = append(out, g)
	}
	return out
}

// withoutParts measures each text with weights that were fitted without the part of the
// repositories to which the text belongs.
func (s *set) withoutParts(groups []*group) *recorded.Table {
	t := &recorded.Table{}
	for _, g := range groups {
		for fold := range textFolds {
			w := fit(s.by(g.in, func(repo int) bool { return repo%textFolds != fold }), g, nil)
			for _, qs := range s.by(g.in, func(repo int) bool { return repo%textFolds == fold }) {
				for _, q := range qs {
					place := firstRight(q, w)
					t.Add(recorded.Own, g.name+".hit1", s.Repos[q.Repo], q.Session, truth(place == 1), 1)
					t.Add(recorded.Own, g.name+".hit5", s.Repos[q.Repo], q.Session, truth(place > 0 && place <= 5), 1)
				}
			}
		}
	}
	return t
}

// withoutOwners measures each repository with weights that were fitted without its owner.
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
