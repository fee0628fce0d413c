package main

import (
	"bufio"
	"cmp"
	"encoding/gob"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
)

type question struct {
	Repo    int
	Session string
	Moment  string
	Again   bool
	After   bool
	Files   []file
	Truth   int
	Unseen  int
	Left    bool
}
type file struct {
	Path    uint32
	Signals []uint8
	Values  []float32
	Target  bool
	Used    bool
	Out     bool
	Seen    bool
}
type set struct {
	Repos     []string
	Questions []question
	Signals   []string
}

var (
	epochs = flag.Int("epochs", 5, "")
	ridge  = flag.Float64("ridge", .001, "")
	sure   = flag.Float64("sure", .1, "")
	keepN  = flag.Int("neg", 0, "negatives kept")
	topK   = flag.Int("top", 0, "")
	anyW   = flag.Float64("any", 0, "weight of any-loss")
)

type ex struct {
	repo  int
	files []*file
	truth float64
}

func fit(qs []*ex, off map[int]bool, ns int) []float64 {
	w := make([]float64, ns)
	grad, mean, sq := make([]float64, ns), make([]float64, ns), make([]float64, ns)
	count := map[int]float64{}
	for _, q := range qs {
		count[q.repo]++
	}
	order := make([]int, len(qs))
	for i := range order {
		order[i] = i
	}
	rng := rand.New(rand.NewPCG(1, 2))
	step := 0
	var z []float64
	for ep := range *epochs {
		speed := .05 * (1 - .95*float64(ep)/float64(*epochs))
		rng.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
		for from := 0; from < len(order); from += 64 {
			clear(grad)
			tot := 0.0
			for _, i := range order[from:min(from+64, len(order))] {
				q := qs[i]
				wt := 1 / math.Sqrt(count[q.repo])
				tot += wt
				z = z[:0]
				top, right := math.Inf(-1), 0.0
				for _, f := range q.files {
					z = append(z, logit(w, f))
					top = max(top, z[len(z)-1])
					if f.Target {
						right++
					}
				}
				sum, good := 0.0, 0.0
				for i, f := range q.files {
					e := math.Exp(z[i] - top)
					sum += e
					if f.Target {
						good += e
					}
				}
				for i, f := range q.files {
					d := 0.0
					if right > 0 {
						e := math.Exp(z[i] - top)
						d = (1 - *sure) * e / sum
						if f.Target {
							d -= (1 - *sure) * ((1-*anyW)/right + *anyW*e/good)
						}
					}
					p := 1 / (1 + math.Exp(-z[i]))
					if f.Used {
						p--
					}
					d = wt * (d + *sure/5*p)
					for k, s := range f.Signals {
						grad[s] += d * float64(f.Values[k])
					}
				}
			}
			step++
			for s := range w {
				if off[s] {
					continue
				}
				d := grad[s]/tot + *ridge*w[s]
				mean[s] = .9*mean[s] + .1*d
				sq[s] = .99*sq[s] + .01*d*d
				w[s] -= speed * mean[s] / (1 - math.Pow(.9, float64(step))) / (math.Sqrt(sq[s]/(1-math.Pow(.99, float64(step)))) + 1e-6)
			}
		}
	}
	return w
}

func logit(w []float64, f *file) float64 {
	z := 0.0
	for k, s := range f.Signals {
		z += w[s] * float64(f.Values[k])
	}
	return z
}

type res struct{ n, a, b, c float64 }

func measure(q *ex, w []float64, r *res, list bool) {
	if q.truth == 0 {
		return
	}
	type sc struct {
		f *file
		z float64
	}
	ss := make([]sc, len(q.files))
	for i, f := range q.files {
		ss[i] = sc{f, logit(w, f)}
	}
	slices.SortStableFunc(ss, func(a, b sc) int { return cmp.Compare(b.z, a.z) })
	if list {
		r.n++
		any, ten := 0.0, 0.0
		for i, s := range ss {
			if s.f.Target {
				if i < 5 {
					any = 1
				}
				if i < 10 {
					ten++
				}
			}
		}
		r.a += any
		r.b += ten / q.truth
		for _, f := range q.files {
			if f.Target {
				r.c++
				break
			}
		}
		return
	}
	r.n += q.truth
	for i, s := range ss {
		if s.f.Target {
			r.c++
			if i < 1 {
				r.a++
			}
			if i < 5 {
				r.b++
			}
		}
	}
}

func main() {
	name := flag.String("ex", "/tmp/ex.gob", "")
	task := flag.String("task", "T1", "")
	ablate := flag.Bool("ablate", false, "")
	show := flag.Bool("show", false, "")
	offs := flag.String("off", "", "")
	only := flag.String("only", "", "")
	flag.Parse()
	fl, err := os.Open(*name)
	if err != nil {
		panic(err)
	}
	var s set
	if err := gob.NewDecoder(bufio.NewReaderSize(fl, 1<<20)).Decode(&s); err != nil {
		panic(err)
	}
	var qs []*ex
	for i := range s.Questions {
		q := &s.Questions[i]
		var e = &ex{repo: q.Repo}
		ok := func(f *file) bool { return true }
		switch *task {
		case "T1":
			if q.Moment != "prompt" {
				continue
			}
			e.truth = float64(q.Truth)
			ok = func(f *file) bool { return !f.Out }
		case "T2":
			if q.Moment != "open" || q.After {
				continue
			}
			e.truth = float64(q.Unseen)
			ok = func(f *file) bool { return !f.Seen }
		case "T3":
			if q.Moment != "open" || q.After {
				continue
			}
			e.truth = float64(q.Truth - q.Unseen)
			ok = func(f *file) bool { return f.Seen && !f.Out }
		case "T4":
			if q.Moment != "change" || !q.Left {
				continue
			}
			e.truth = 1
		}
		if e.truth == 0 {
			continue
		}
		neg := 0
		for k := range q.Files {
			f := &q.Files[k]
			if !ok(f) {
				continue
			}
			if !f.Target {
				neg++
				if *keepN > 0 && neg > *keepN {
					continue
				}
			}
			e.files = append(e.files, f)
		}
		qs = append(qs, e)
	}
	ns := len(s.Signals)
	run := func(off map[int]bool) (map[int]*res, res) {
		out := map[int]*res{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		slots := make(chan bool, 2)
		for r := range s.Repos {
			wg.Go(func() {
				slots <- true
				defer func() { <-slots }()
				var tr []*ex
				for _, q := range qs {
					if q.repo != r {
						tr = append(tr, q)
					}
				}
				w := fit(tr, off, ns)
				if *topK > 0 {
					w = fit(tr, weakest(tr, w, ns, *topK, off), ns)
				}
				x := &res{}
				for _, q := range qs {
					if q.repo == r {
						measure(q, w, x, *task == "T1")
					}
				}
				mu.Lock()
				out[r] = x
				mu.Unlock()
			})
		}
		wg.Wait()
		m := res{}
		for r, x := range out {
			if x.n < 5 || strings.Contains(s.Repos[r], "UnrealFrog") && (*task == "T2" || *task == "T3") {
				continue
			}
			m.n++
			m.a += x.a / x.n
			m.b += x.b / x.n
			m.c += x.c / x.n
		}
		m.a, m.b, m.c = m.a/m.n, m.b/m.n, m.c/m.n
		return out, m
	}
	off := map[int]bool{}
	for _, n := range strings.Fields(*offs) {
		for i, x := range s.Signals {
			if x == n || strings.HasSuffix(n, "*") && strings.HasPrefix(x, strings.TrimSuffix(n, "*")) {
				off[i] = true
			}
		}
	}
	if *only != "" {
		for i, x := range s.Signals {
			if !slices.Contains(strings.Fields(*only), x) {
				off[i] = true
			}
		}
	}
	if *topK > 0 {
		w := fit(qs, off, ns)
		wk := weakest(qs, w, ns, *topK, off)
		for i, n := range s.Signals {
			if !wk[i] {
				fmt.Print(n, " ")
			}
		}
		fmt.Println()
	}
	out, base := run(off)
	for r, n := range s.Repos {
		if out[r].n > 0 {
			fmt.Printf("%-30s n %5.0f %.3f %.3f  cand %.3f\n", n, out[r].n, out[r].a/out[r].n, out[r].b/out[r].n, out[r].c/out[r].n)
		}
	}
	fmt.Printf("macro %s %.4f %.4f cand %.3f\n", *task, base.a, base.b, base.c)
	if *show {
		w := fit(qs, off, ns)
		idx := make([]int, ns)
		for i := range idx {
			idx[i] = i
		}
		slices.SortFunc(idx, func(a, b int) int { return cmp.Compare(math.Abs(w[b]), math.Abs(w[a])) })
		for _, i := range idx {
			if w[i] != 0 {
				fmt.Printf("  %-24s %7.3f\n", s.Signals[i], w[i])
			}
		}
	}
	if *ablate {
		for i, n := range s.Signals {
			if off[i] {
				continue
			}
			o := map[int]bool{i: true}
			for k := range off {
				o[k] = true
			}
			_, m := run(o)
			fmt.Printf("- %-24s %+.4f %+.4f\n", n, m.a-base.a, m.b-base.b)
		}
	}
}

func weakest(qs []*ex, w []float64, ns, k int, off map[int]bool) map[int]bool {
	sum, sq, n := make([]float64, ns), make([]float64, ns), 0.0
	for _, q := range qs {
		m := make([]float64, ns)
		for _, f := range q.files {
			for j, s := range f.Signals {
				m[s] += float64(f.Values[j])
			}
		}
		c := float64(len(q.files))
		for _, f := range q.files {
			n++
			for j, s := range f.Signals {
				d := float64(f.Values[j]) - m[s]/c
				sq[s] += d*d - m[s]/c*m[s]/c
			}
		}
		for s := range m {
			sq[s] += c * m[s] / c * m[s] / c
		}
	}
	_ = sum
	type im struct {
		i int
		v float64
	}
	var is []im
	for i := range w {
		is = append(is, im{i, math.Abs(w[i]) * math.Sqrt(max(sq[i], 0)/n)})
	}
	slices.SortFunc(is, func(a, b im) int { return cmp.Compare(b.v, a.v) })
	out := map[int]bool{}
	for i := range off {
		out[i] = true
	}
	for _, x := range is[min(k, len(is)):] {
		out[x.i] = true
	}
	return out
}
