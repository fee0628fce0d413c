package pipeline

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Plan is the order in which stages run.
type Plan struct {
	Order []int   // indices of stages, each after those that it needs
	Needs [][]int // by stage: the stages that it waits for, each once, in order
}

// ErrCycle means that stages wait for each other. The text of the error names them, and the stages
// that wait for them.
var ErrCycle = errors.New("stages wait for each other")

// Plan returns the order of the stages. A stage waits for the stages that it names in needs and in
// variables, for those that set a context value that it uses, and for those that make a file on
// which it depends.
func (p *Pipeline) Plan() (Plan, error) {
	names := p.Names()
	plan := Plan{Needs: make([][]int, len(names))}
	for i := range p.Stages {
		s := &p.Stages[i]
		var needs []int
		for _, n := range s.Needs {
			needs = append(needs, slices.Index(names, n))
		}
		for _, r := range s.refs() {
			if j := p.index(r.Name); r.Kind == "STAGE" && j >= 0 {
				needs = append(needs, j)
			}
			for j := range p.Stages {
				if _, sets := p.Stages[j].Sets[r.Name]; sets && r.Kind == "CONTEXT" {
					needs = append(needs, j)
				}
			}
		}
		for j := range p.Stages {
			if i != j && feeds(&p.Stages[j], s) {
				needs = append(needs, j)
			}
		}
		slices.Sort(needs)
		plan.Needs[i] = slices.Compact(needs)
	}
	done := make([]bool, len(names))
	waits := func(n int) bool { return !done[n] }
	for range names {
		next := 0 // the first stage in the file whose needs are all done
		for next < len(names) && (done[next] || slices.ContainsFunc(plan.Needs[next], waits)) {
			next++
		}
		if next == len(names) {
			var left []string
			for i, name := range names {
				if waits(i) {
					left = append(left, name)
				}
			}
			return Plan{}, fmt.Errorf("%w: %s", ErrCycle, strings.Join(left, ", "))
		}
		done[next] = true
		plan.Order = append(plan.Order, next)
	}
	return plan, nil
}

// feeds reports whether a stage makes a file on which another one depends.
func feeds(from, to *Stage) bool {
	for _, made := range from.Makes {
		for _, f := range to.Cache.Files {
			if made == f || doublestar.MatchUnvalidated(f, made) {
				return true
			}
		}
	}
	return false
}

// Before returns all stages that a stage waits for, directly or indirectly. The one that runs last
// comes first.
func (p Plan) Before(stage int) (out []int) {
	wanted := map[int]bool{stage: true}
	for k := len(p.Order) - 1; k >= 0; k-- {
		i := p.Order[k]
		if !wanted[i] {
			continue
		}
		if i != stage {
			out = append(out, i)
		}
		for _, n := range p.Needs[i] {
			wanted[n] = true
		}
	}
	return out
}
