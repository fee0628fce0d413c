package recorded

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Alone is a question about a commit of which only one file is known, without its change. It is
// valid only during the call.
type Alone struct {
	Repo  string
	ID    string // id of the commit that is asked about
	At    time.Time
	Given event.Path
	// the other files of the commit that existed before; none if the commit changes only Given
	Others []event.Path
	Past   *eval.Past // what was known before the commit

	Counted []event.Path // the files with the most commits in common, counting commits of at most 50 files
}

// Answer returns the files that belong to Given, the most probable first.
func (a *Alone) Answer(ctx context.Context) []event.Suggestion {
	q := event.Query{Task: event.TaskChange, Files: []event.Path{a.Given}, Limit: mostRanked, At: a.At}
	ans, _ := a.Past.Complete(ctx, q, 1)
	return ans.All()
}

// Right returns how many of the first five files are among Others.
func (a *Alone) Right(files []event.Path) (n int) {
	for _, f := range files[:min(len(files), 5)] {
		if slices.Contains(a.Others, f) {
			n++
		}
	}
	return n
}

// Limits of such questions.
const (
	mostAlone    = 30 // files of the largest commit that is asked about
	givenOf      = 2  // files of a commit that are asked about, at most
	countedFiles = 50 // files of the largest commit that counting uses
)

// AloneCommits replays a history and asks about one file of a commit at a time: which other files
// does the commit change? It asks before the commit is learned, about at most n commits, evenly
// spaced over the part of the history after the share since.
func AloneCommits(ctx context.Context, s eval.Source, since float64, n int, each func(*Alone) error) error {
	past, counts := eval.NewPast(), counts{ids: map[event.Path]int{}}
	w, err := NewWorld(ctx, s, Options{Contents: true, Learned: func(e event.Event) { past.Learn(e); counts.learn(e) }})
	if err != nil {
		return err
	}
	defer w.Close()
	past.Link(w.Links)
	var fit []int
	for i, e := range s.Commits {
		if b, ok := e.Body.(event.Commit); ok && float64(i) >= since*float64(len(s.Commits)) && len(b.Paths) > 0 &&
			len(b.Paths)+len(b.Gone) <= mostAlone && !b.Sweep() {
			fit = append(fit, i)
		}
	}
	ask := map[int]bool{}
	for k := range min(n, len(fit)) {
		ask[fit[k*len(fit)/min(n, len(fit))]] = true
	}
	for i, e := range s.Commits {
		if ask[i] {
			known := slices.DeleteFunc(slices.Concat(e.Paths(), e.Gone()), func(p event.Path) bool { return !w.Tree.Has(p) })
			for _, given := range drawn(e.ID, known) {
				a := &Alone{Repo: s.Name, ID: e.ID, At: e.Time, Given: given, Past: past, Counted: counts.with(given, w.Tree.Has)}
				a.Others = slices.DeleteFunc(slices.Clone(known), func(p event.Path) bool { return p == given })
				if err := each(a); err != nil {
					return fmt.Errorf("evaluate %s: %w", s.Name, err)
				}
			}
		}
		if err := w.Learn(ctx, e); err != nil {
			return fmt.Errorf("evaluate %s: %w", s.Name, err)
		}
	}
	return nil
}

// drawn returns the files of a commit that are asked about, chosen by its ID. Images and binaries
// are left out.
func drawn(id string, known []event.Path) []event.Path {
	order := func(p event.Path) uint32 {
		h := fnv.New32a()
		_, _ = h.Write([]byte(id + string(p)))
		return h.Sum32()
	}
	out := slices.DeleteFunc(slices.Clone(known), func(p event.Path) bool {
		return index.KindOf(p) == index.KindBinary || p.Upkeep()
	})
	slices.SortFunc(out, func(a, b event.Path) int { return cmp.Compare(order(a), order(b)) })
	return out[:min(len(out), givenOf)]
}

// Links returns what links other files with p, as far as it is known now.
func (w *World) Links(p event.Path) map[event.Path]*index.Link {
	if w.read() != nil {
		return nil // The next question returns the same error.
	}
	return index.World{Tree: w.Tree, Contents: w.said, Text: w.text}.Links(p)
}

// counts has the commits of at most countedFiles files. A file keeps its number when it is renamed.
type counts struct {
	ids     map[event.Path]int
	names   []event.Path
	commits [][]int
	of      [][]int // the commits of each file
}

func (c *counts) id(p event.Path) int {
	i, known := c.ids[p]
	if !known {
		i = len(c.names)
		c.ids[p], c.names, c.of = i, append(c.names, p), append(c.of, nil)
	}
	return i
}

func (c *counts) learn(e event.Event) {
	switch b := e.Body.(type) {
	case event.Rename:
		for i, from := range b.From {
			id := c.id(from)
			delete(c.ids, from)
			c.ids[b.To[i]], c.names[id] = id, b.To[i]
		}
	case event.Commit:
		if len(b.Paths)+len(b.Gone) > countedFiles {
			return
		}
		var files []int
		for _, p := range slices.Concat(b.Paths, b.Gone) {
			files = append(files, c.id(p))
		}
		for _, i := range files {
			c.of[i] = append(c.of[i], len(c.commits))
		}
		c.commits = append(c.commits, files)
	}
}

// with returns the files that most often changed together with one; ties are ordered by path.
func (c *counts) with(p event.Path, has func(event.Path) bool) (out []event.Path) {
	id, at := c.id(p), map[event.Path]int{}
	for _, n := range c.of[id] {
		for _, g := range c.commits[n] {
			// A file that a rename has replaced still has its name: the commits of both count.
			if name := c.names[g]; g != id && has(name) {
				at[name]++
			}
		}
	}
	out = slices.Collect(maps.Keys(at))
	slices.SortFunc(out, func(a, b event.Path) int { return cmp.Or(cmp.Compare(at[b], at[a]), cmp.Compare(a, b)) })
	return out
}
