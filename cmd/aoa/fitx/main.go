package main

import (
	"encoding/gob"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/rank"
)

type Example struct {
	Repo, ID, Kind string
	Part           float64
	Issue          bool
	Paths          []string
	Kinds          []uint8
	Signals        [][]uint8
	Values         [][]float32
	Target         []bool
	Truth          int
	SrcTruth       int
	Ms             float64
}

var names = rank.TextSignalNames()

type Opt struct {
	ridge  float64
	epochs int
	prior  []float64
	weight func(*Example) float64
	off    map[int]bool
}

func fit(qs []*Example, o Opt) []float64 {
	n := len(names)
	w := make([]float64, n)
	if o.prior != nil {
		copy(w, o.prior)
	}
	grad, mean, sq := make([]float64, n), make([]float64, n), make([]float64, n)
	count := map[string]float64{}
	for _, q := range qs {
		count[q.Repo] += 1
	}
	order := make([]int, len(qs))
	for i := range order {
		order[i] = i
	}
	rng := rand.New(rand.NewPCG(1, 2))
	step := 0
	for ep := range o.epochs {
		speed := .05 * (1 - .95*float64(ep)/float64(o.epochs))
		rng.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
		bs := 64
		for from := 0; from < len(order); from += bs {
			clear(grad)
			tot := 0.0
			for _, i := range order[from:min(from+bs, len(order))] {
				q := qs[i]
				wt := 1 / math.Sqrt(count[q.Repo])
				if o.weight != nil {
					wt *= o.weight(q)
				}
				tot += wt
				gradient(q, w, grad, wt)
			}
			step++
			for s := range w {
				if o.off[s] {
					w[s] = 0
					continue
				}
				p := 0.0
				if o.prior != nil {
					p = o.prior[s]
				}
				d := grad[s]/tot + o.ridge*(w[s]-p)
				mean[s] = .9*mean[s] + .1*d
				sq[s] = .99*sq[s] + .01*d*d
				w[s] -= speed * mean[s] / (1 - math.Pow(.9, float64(step))) / (math.Sqrt(sq[s]/(1-math.Pow(.99, float64(step)))) + 1e-6)
			}
		}
	}
	return w
}

func logits(q *Example, w []float64) []float64 {
	z := make([]float64, len(q.Paths))
	for i := range z {
		for k, s := range q.Signals[i] {
			z[i] += w[s] * float64(q.Values[i][k])
		}
	}
	return z
}

func gradient(q *Example, w, grad []float64, wt float64) {
	z := logits(q, w)
	top, right := math.Inf(-1), 0
	for i := range z {
		top = max(top, z[i])
		if q.Target[i] {
			right++
		}
	}
	if right == 0 {
		return
	}
	sum, good := 0.0, 0.0
	for i := range z {
		e := math.Exp(z[i] - top)
		sum += e
		if q.Target[i] {
			good += e
		}
	}
	for i := range z {
		d := math.Exp(z[i]-top) / sum
		if q.Target[i] {
			// mean over targets half, any half
			d -= .5/float64(right) + .5*math.Exp(z[i]-top)/good
		}
		d *= wt
		for k, s := range q.Signals[i] {
			grad[s] += d * float64(q.Values[i][k])
		}
	}
}

type Res struct{ n, a1, a3, a5, a10 float64 }

func measure(qs []*Example, w []float64, src bool) (r Res) {
	for _, q := range qs {
		truth := q.Truth
		if src {
			truth = q.SrcTruth
		}
		if truth == 0 {
			continue
		}
		z := logits(q, w)
		idx := []int{}
		for i := range z {
			if !src || q.Kinds[i] == 0 {
				idx = append(idx, i)
			}
		}
		sort.SliceStable(idx, func(a, b int) bool { return z[idx[a]] > z[idx[b]] })
		r.n++
		for p, i := range idx {
			if q.Target[i] {
				if p < 1 {
					r.a1++
				}
				if p < 3 {
					r.a3++
				}
				if p < 5 {
					r.a5++
				}
				if p < 10 {
					r.a10++
				}
				break
			}
		}
	}
	return
}
func (r Res) String() string {
	return fmt.Sprintf("n %4.0f @1 %.3f @3 %.3f @5 %.3f @10 %.3f", r.n, r.a1/r.n, r.a3/r.n, r.a5/r.n, r.a10/r.n)
}
func (r *Res) add(o Res) { r.n += o.n; r.a1 += o.a1; r.a3 += o.a3; r.a5 += o.a5; r.a10 += o.a10 }

func load(name string) (out []Example) {
	f, err := os.Open(name)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if err := gob.NewDecoder(f).Decode(&out); err != nil {
		panic(err)
	}
	return
}

func split(qs []*Example, ok func(*Example) bool) (in, out []*Example) {
	for _, q := range qs {
		if ok(q) {
			in = append(in, q)
		} else {
			out = append(out, q)
		}
	}
	return
}

func main() {
	subj := flag.String("subj", "/tmp/subj.gob", "")
	dev := flag.String("dev", "/tmp/dev.gob", "")
	ridge := flag.Float64("ridge", .002, "")
	ridge2 := flag.Float64("ridge2", .05, "")
	ablate := flag.Bool("ablate", false, "")
	offs := flag.String("off", "", "")
	flag.Parse()
	S, D := load(*subj), load(*dev)
	var ss, ds []*Example
	for i := range S {
		ss = append(ss, &S[i])
	}
	for i := range D {
		ds = append(ds, &D[i])
	}
	slices.SortStableFunc(ss, func(a, b *Example) int { return strings.Compare(a.Repo+a.ID, b.Repo+b.ID) })
	slices.SortStableFunc(ds, func(a, b *Example) int { return strings.Compare(a.Repo+a.ID, b.Repo+b.ID) })
	off := map[int]bool{}
	for _, n := range strings.Fields(*offs) {
		off[slices.Index(names, n)] = true
	}
	cand := func(qs []*Example) (r float64) {
		n := 0.0
		for _, q := range qs {
			n++
			if slices.Contains(q.Target, true) {
				r++
			}
		}
		return r / n
	}
	fmt.Printf("questions %d, truth among candidates %.3f; dev %.3f\n", len(ss), cand(ss), cand(ds))
	run := func(off map[int]bool, verbose bool) (Res, Res, Res) {
		// folds of repositories: 6
		repos := []string{}
		for _, q := range ss {
			if !slices.Contains(repos, q.Repo) {
				repos = append(repos, q.Repo)
			}
		}
		fold := map[string]int{}
		for i, r := range repos {
			fold[r] = i % 6
		}
		var all, src, allDev Res
		var mu sync.Mutex
		var wg sync.WaitGroup
		slots := make(chan struct{}, 2)
		for k := range 6 {
			wg.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				test, train := split(ss, func(q *Example) bool { return fold[q.Repo] == k })
				for _, kind := range []string{"short", "long"} {
					te, _ := split(test, func(q *Example) bool { return q.Kind == kind })
					tr, _ := split(train, func(q *Example) bool { return q.Kind == kind })
					w := fit(tr, Opt{ridge: *ridge, epochs: 6, off: off})
					a, b := measure(te, w, false), measure(te, w, true)
					mu.Lock()
					all.add(a)
					src.add(b)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		// dev: leave one repo out; long weights from subjects as prior, issues on top
		long, _ := split(ss, func(q *Example) bool { return q.Kind == "long" })
		base := fit(long, Opt{ridge: *ridge, epochs: 6, off: off})
		for _, repo := range []string{"pytest-dev/pytest", "sphinx-doc/sphinx", "astropy/astropy", "pylint-dev/pylint", "mwaskom/seaborn"} {
			te, tr := split(ds, func(q *Example) bool { return q.Repo == repo })
			w := fit(tr, Opt{ridge: *ridge2, epochs: 40, prior: base, off: off})
			a := measure(te, w, true)
			allDev.add(a)
			if verbose {
				fmt.Println("  ", repo, a, "   without issues:", measure(te, base, true))
			}
		}
		if verbose {
			fmt.Println("dev, subjects' weights only:", measure(ds, base, true))
			fin := fit(ds, Opt{ridge: *ridge2, epochs: 40, prior: base, off: off})
			sh, _ := split(ss, func(q *Example) bool { return q.Kind == "short" })
			short := fit(sh, Opt{ridge: *ridge, epochs: 6, off: off})
			out := map[string]map[string]float64{"short": {}, "long": {}}
			for i, n := range names {
				out["short"][n], out["long"][n] = math.Round(short[i]*1000)/1000, math.Round(fin[i]*1000)/1000
			}
			data, _ := json.Marshal(out)
			os.WriteFile("/tmp/texts.json", data, 0o644)
			for i, n := range names {
				fmt.Printf("%-26s short %7.3f long %7.3f issue %7.3f\n", n, short[i], base[i], fin[i])
			}
		}
		return all, src, allDev
	}
	a, s, d := run(off, true)
	fmt.Println("subjects, all files   ", a)
	fmt.Println("subjects, sources only", s)
	fmt.Println("dev issues, sources   ", d)
	if *ablate {
		for i, n := range names {
			o := map[int]bool{i: true}
			for k := range off {
				o[k] = true
			}
			a2, s2, d2 := run(o, false)
			fmt.Printf("- %-24s all @1 %+.4f @5 %+.4f  src @1 %+.4f @5 %+.4f dev @1 %+.3f @5 %+.3f\n", n, a2.a1/a2.n-a.a1/a.n, a2.a5/a2.n-a.a5/a.n, s2.a1/s2.n-s.a1/s.n, s2.a5/s2.n-s.a5/s.n, d2.a1/d2.n-d.a1/d.n, d2.a5/d2.n-d.a5/d.n)
		}
	}
}
