package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/recorded"
)

// change is a question about a change: a commit that is complete, one with a file left out, or one that has just begun.
type change struct {
	Size  int // files of the question
	Left  bool
	Begun bool
	Files []companion
}

// companion is one of the first files of the ranking of a change.
type companion struct {
	Facts prefetch.Facts
	Names bool // a warning may name it
	Used  bool
}

// change keeps the evidence about the commits of a history.
func (l *lessons) change(ctx context.Context, s eval.Source, o eval.Options) error {
	o.Least = 1
	take := func(d *eval.Decision) error {
		c := change{Size: len(d.Query.Files), Left: d.Left != "", Begun: d.Begun}
		for _, e := range d.Evidence[:min(len(d.Evidence), prefetch.Weighed)] {
			c.Files = append(c.Files, companion{e.Facts, e.Names(), d.Used[e.File]})
		}
		l.Changes = append(l.Changes, c)
		return nil
	}
	return eval.EachCommit(ctx, s, o, func(c *eval.Commit) error {
		if err := recorded.LeaveOut(ctx, c, take); err != nil {
			return err
		}
		return begin(ctx, c, take)
	})
}

// begin asks about a commit of three files and more as it may have begun: some of its files, in an order drawn by the
// hash of the commit and their names, without at least two of them.
func begin(ctx context.Context, c *eval.Commit, each func(*eval.Decision) error) error {
	n := len(c.Event.Paths())
	if n < 3 {
		return nil
	}
	drawn := func(p event.Path) uint64 {
		h := fnv.New64a()
		_, _ = io.WriteString(h, string(p)+c.Event.ID)
		return h.Sum64()
	}
	files := slices.SortedFunc(slices.Values(c.Event.Paths()), func(p,
		q event.Path) int {
		return cmp.Compare(drawn(p), drawn(q))
	})
	begun := 1 + c.Place%(n-2)
	return recorded.AskCommit(ctx, c, files[:begun], files[begun:], each)
}

// keptLessons makes lessons, or takes those about changes from a file.
func keptLessons(name string, learn func() ([]lessons, error)) ([]lessons, error) {
	if name == "" {
		return learn()
	}
	f, err := os.Open(name)
	if err == nil {
		defer f.Close()
		var found []lessons
		return found, gob.NewDecoder(bufio.NewReaderSize(f, 1<<20)).Decode(&found)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	found, err := learn()
	if err != nil {
		return nil, err
	}
	if f, err = os.Create(name); err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	err = gob.NewEncoder(w).Encode(found)
	return found, errors.Join(err, w.Flush(), f.Close())
}

// warning is fitted on all repositories but those left out: the weights, then a curve for each size of change. The
// weights are those within a repository. The curves are what comes true on average in a repository that nobody knows.
func warning(found []lessons, out func(int) bool) (w prefetch.Warning) {
	copy(w.Weights[:], regress(found, func(l *lessons) []example {
		return l.companions(func(c *change, i int) []float64 { return c.Files[i].Facts[:] })
	}, out))
	const n = len(prefetch.Curve{})
	curves := average(found, func(l *lessons) []example {
		var of *change
		var z, others []float64
		return l.companions(func(c *change, i int) []float64 {
			if c != of {
				of, z = c, z[:0]
				for _, f := range c.facts() {
					z = append(z, w.LogOdds(f))
				}
				others = prefetch.Others(z)
			}
			x, bends := make([]float64, n*len(w.Sizes)), prefetch.Bends(z[i], others[i])
			copy(x[n*prefetch.SizeOf(c.Size):], bends[:])
			return x
		})
	}, out)
	for size := range w.Sizes {
		copy(w.Sizes[size][:], curves[n*size:])
	}
	return w
}

// companions are rows of a regression, one for each file of each change.
func (l *lessons) companions(x func(c *change, file int) []float64) (rows []example) {
	for i := range l.Changes {
		c := &l.Changes[i]
		for k := range c.Files {
			rows = append(rows, example{x: x(c, k), used: c.Files[k].Used})
		}
	}
	return rows
}

// facts are those of the files of a change.
func (c *change) facts() []*prefetch.Facts {
	out := make([]*prefetch.Facts, len(c.Files))
	for i := range c.Files {
		out[i] = &c.Files[i].Facts
	}
	return out
}

// probabilities are those of the files of a change.
func (c *change) probabilities(m *prefetch.Warning) []float64 {
	out := make([]float64, len(c.Files))
	for i, s := range m.Scales(c.facts()) {
		out[i] = s.Probability(c.Files[i].Facts[prefetch.RankLogit])
	}
	return out
}

// warnParts is how many parts of the repositories are left out, one after the other, to measure warnings.
const warnParts = 8

// measureWarnings leaves out each part of the repositories and prints what warnings would be worth in it: by threshold,
// and how far the probabilities hold by the size of the change. All repositories count the same.
func measureWarnings(found []lessons, into map[string]float64) {
	models := make([]prefetch.Warning, warnParts)
	for part := range models {
		models[part] = warning(found, func(r int) bool { return r%warnParts == part })
	}
	for _, recorded := range []bool{true, false} {
		name := "public histories"
		if recorded {
			name = "recorded repositories"
		}
		for _, least := range []float64{.5, .55, .6, .65, .7, .75, .8, .85} {
			var sum warned
			for i := range found {
				if found[i].Recorded == recorded {
					sum.add(found[i].warn(&models[i%warnParts], least))
				}
			}
			fmt.Fprintf(os.Stderr, "%s, from %.2f: %s\n", name, least, sum)
			if least == prefetch.Sure(prefetch.Balanced) {
				printEach(found, models, recorded, least)
			}
			if least == prefetch.Sure(prefetch.Balanced) && recorded {
				into["warnings.precision"], into["warnings.recall"] = round(sum.precision/sum.warned), round(sum.recall/sum.repos)
			}
		}
	}
	loss, ece := reliability(found, models)
	into["warnings"], into["warnings.ece"] = round(loss), round(ece)
}

// printEach prints what warnings are worth in each repository.
func printEach(found []lessons, models []prefetch.Warning, recorded bool, least float64) {
	for i := range found {
		if x := found[i].warn(&models[i%warnParts], least); found[i].Recorded == recorded && x.repos > 0 {
			x.warned = max(x.warned, 1e-9)
			fmt.Fprintf(os.Stderr, "%s: %s\n", found[i].Name, x)
		}
	}
}

// warned sums what warnings are worth in repositories.
type warned struct{ repos, warned, precision, recall, false100, hit1, hit5 float64 }

func (w *warned) add(x warned) {
	w.repos, w.warned = w.repos+x.repos, w.warned+x.warned
	w.precision, w.recall, w.false100 = w.precision+x.precision, w.recall+x.recall, w.false100+x.false100
	w.hit1, w.hit5 = w.hit1+x.hit1, w.hit5+x.hit5
}

func (w warned) String() string {
	return fmt.Sprintf("precision %.3f, recall %.3f, %.2f false alarms per 100; T4 of the first 16: hit@1 %.3f, hit@5 %.3f (%.0f repositories)", w.precision/w.warned,
		w.recall/w.repos, w.false100/w.repos, w.hit1/w.repos, w.hit5/w.repos, w.repos)
}

// warn asks a model about the commits of two files and more.
func (l *lessons) warn(m *prefetch.Warning, least float64) warned {
	var names, right, left, complete, wrong, hit1, hit5 float64
	for i := range l.Changes {
		c := &l.Changes[i]
		if c.Begun || !c.Left && c.Size < 2 {
			continue
		}
		n, hit, place := c.warn(m, least)
		if !c.Left {
			complete, wrong = complete+1, wrong+float64(n)
			continue
		}
		left, names, right = left+1, names+float64(n), right+truth(hit)
		hit1, hit5 = hit1+truth(place == 1), hit5+truth(place > 0 && place <= 5)
	}
	if left == 0 {
		return warned{}
	}
	return warned{1, truth(names > 0), right / max(names, 1), right / left, 100 * wrong / max(complete, 1), hit1 / left,
		hit5 / left}
}

// warn counts the warnings of one change, tells whether one names the file left out, and its place.
func (c *change) warn(m *prefetch.Warning, least float64) (n int, hit bool, place int) {
	type scored struct {
		companion
		p float64
	}
	var all []scored
	for i, p := range c.probabilities(m) {
		all = append(all, scored{c.Files[i], p})
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.p, a.p) })
	for i, f := range all {
		if f.Used {
			place = i + 1
		}
		if f.Names && f.p >= least && n < prefetch.MaxFiles {
			n, hit = n+1, hit || f.Used
		}
	}
	return n, hit, place
}

// reliability prints, by the size of the change, the mean probability and the share that came true in ten bars. It
// returns the mean log loss and the calibration error.
func reliability(found []lessons, models []prefetch.Warning) (sum, ece float64) {
	names := [...]string{"1", "2", "3 to 5", "6 and more"}
	var bars [len(names)][10]struct{ n, p, used float64 }
	repos := 0.0
	for i := range found {
		rows := 0.0
		for k := range found[i].Changes {
			rows += float64(len(found[i].Changes[k].Files))
		}
		if rows == 0 {
			continue
		}
		repos++
		for k := range found[i].Changes {
			c := &found[i].Changes[k]
			size := prefetch.SizeOf(c.Size)
			for j, p := range c.probabilities(&models[i%warnParts]) {
				used := c.Files[j].Used
				sum += loss(p, used) / rows
				b := &bars[size][min(int(10*p), 9)]
				b.n, b.p, b.used = b.n+1/rows, b.p+p/rows, b.used+truth(used)/rows
			}
		}
	}
	for i, name := range names {
		fmt.Fprintf(os.Stderr, "files %-10s", name)
		for _, b := range bars[i] {
			ece += math.Abs(b.p-b.used) / repos
			fmt.Fprintf(os.Stderr, " %.2f→%.2f", b.p/max(b.n, 1e-9), b.used/max(b.n, 1e-9))
		}
		fmt.Fprintln(os.Stderr)
	}
	return sum / repos, ece
}
