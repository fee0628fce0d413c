package pipeline

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/iterator"
	"gonum.org/v1/gonum/graph/topo"
)

// Plan is who waits for whom.
type Plan struct {
	Order []int   // stages by index, each after those that it needs
	Needs [][]int // stage → those that it waits for, without doubles, in order
}

// ErrCycle is wrapped when stages wait for each other.
var ErrCycle = errors.New("stages wait for each other")

// Plan orders the stages. A stage waits for those that it names in needs and in variables, and for those that
// set a context that it names or make a file that it depends on. texts are the prompts and templates by stage.
func (p *Pipeline) Plan(texts map[string]string) (Plan, error) {
	names := p.Names()
	g := &edges{needs: make([][]int, len(names)), feeds: make([][]int, len(names))}
	for i := range p.Stages {
		s := &p.Stages[i]
		for _, n := range s.Needs {
			g.add(slices.Index(names, n), i)
		}
		for _, r := range s.refs(texts[s.Name]) {
			if j := p.index(r.Name); r.Kind == "STAGE" && j >= 0 {
				g.add(j, i)
			}
			for j := range p.Stages {
				if _, sets := p.Stages[j].Sets[r.Name]; sets && r.Kind == "CONTEXT" {
					g.add(j, i)
				}
			}
		}
		for j := range p.Stages {
			if i != j && feeds(&p.Stages[j], s) {
				g.add(j, i)
			}
		}
	}
	for i := range g.needs {
		if slices.Contains(g.needs[i], i) {
			return Plan{}, fmt.Errorf("%w: %s needs itself", ErrCycle, names[i])
		}
	}
	sorted, err := topo.SortStabilized(g, nil)
	var circles topo.Unorderable
	if errors.As(err, &circles) {
		return Plan{}, fmt.Errorf("%w: %s", ErrCycle, g.circle(circles[0], names))
	}
	plan := Plan{Needs: g.needs}
	for _, n := range sorted {
		plan.Order = append(plan.Order, int(n.ID()))
	}
	return plan, nil
}

// feeds reports whether a stage makes a file that the other one depends on.
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

// Before returns all that a stage waits for, directly or not, the last one to run first.
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

// edges is the graph of the stages: an edge leads from a stage to one that waits for it.
type edges struct{ needs, feeds [][]int }

func (g *edges) add(from, to int) {
	if slices.Contains(g.needs[to], from) {
		return
	}
	g.needs[to] = append(g.needs[to], from)
	slices.Sort(g.needs[to])
	g.feeds[from] = append(g.feeds[from], to)
}

// circle names the way round: every stage of the component feeds another one of it.
func (g *edges) circle(component []graph.Node, names []string) string {
	in := map[int]bool{}
	least := int(component[0].ID())
	for _, n := range component {
		in[int(n.ID())] = true
		least = min(least, int(n.ID()))
	}
	way := []int{least}
	for {
		last := way[len(way)-1]
		next := g.feeds[last][slices.IndexFunc(g.feeds[last], func(i int) bool { return in[i] })]
		if at := slices.Index(way, next); at >= 0 {
			way = append(way[at:], next)
			break
		}
		way = append(way, next)
	}
	said := make([]string, len(way))
	for i, n := range way {
		said[i] = names[n]
	}
	return strings.Join(said, " → ")
}

// node and edge are the graph's words for them.
type (
	node int64
	edge [2]node
)

func (n node) ID() int64                { return int64(n) }
func (e edge) From() graph.Node         { return e[0] }
func (e edge) To() graph.Node           { return e[1] }
func (e edge) ReversedEdge() graph.Edge { return edge{e[1], e[0]} }

func nodes(ids []int) graph.Nodes {
	out := make([]graph.Node, len(ids))
	for i, id := range ids {
		out[i] = node(id)
	}
	return iterator.NewOrderedNodes(out)
}

// The methods of graph.Directed.

func (g *edges) Node(id int64) graph.Node {
	if id < 0 || id >= int64(len(g.needs)) {
		return nil
	}
	return node(id)
}

func (g *edges) Nodes() graph.Nodes {
	all := make([]int, len(g.needs))
	for i := range all {
		all[i] = i
	}
	return nodes(all)
}

func (g *edges) From(id int64) graph.Nodes { return nodes(g.feeds[id]) }
func (g *edges) To(id int64) graph.Nodes   { return nodes(g.needs[id]) }

func (g *edges) HasEdgeFromTo(u, v int64) bool { return slices.Contains(g.feeds[u], int(v)) }
func (g *edges) HasEdgeBetween(u, v int64) bool {
	return g.HasEdgeFromTo(u, v) || g.HasEdgeFromTo(v, u)
}

func (g *edges) Edge(u, v int64) graph.Edge {
	if !g.HasEdgeFromTo(u, v) {
		return nil
	}
	return edge{node(u), node(v)}
}
