package rank

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/aoa"
)

// Recorded work to measure against: a folder of NAME.jsonl.gz (session events) and NAME.commits.jsonl.gz (one row
// per commit and file). Without the flags the measurements are skipped.
var (
	replaySessions = flag.String("sessions", "", "measure on the recorded sessions of this folder")
	replayCommits  = flag.String("commits", "", "measure on the recorded commits of this folder")
	replayFit      = flag.Bool("fit", false, "fit weights on all but the measured repository, and print those of all")
)

// row is one recorded event.
type row struct {
	Session     string     `json:"session"`
	TS          float64    `json:"ts"`
	Seq         int        `json:"seq"`
	Kind        string     `json:"kind"`
	Path        aoa.Path   `json:"path"`
	Text        string     `json:"text"`
	Agent       string     `json:"agent"`
	OK          *bool      `json:"ok"`
	Results     []aoa.Path `json:"results"`
	ResultsKind string     `json:"results_kind"`
	Mentions    []aoa.Path `json:"mentions"`
}

func (r row) time() time.Time { return time.UnixMilli(int64(r.TS * 1000)).UTC() }
func (r row) open() bool {
	return r.Path != "" && (r.Kind == "read" || r.Kind == "edit" || r.Kind == "write")
}

func readRows(t testing.TB, name string) []row {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	var rows []row
	for lines.Scan() {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		rows = append(rows, r)
	}
	return rows
}

// change is one recorded commit.
type change struct {
	at      time.Time
	subject string
	files   []aoa.Path
}

func readChanges(t testing.TB, name string) []change {
	t.Helper()
	var out []change
	at := map[string]int{}
	for _, r := range readRows(t, name) {
		i, ok := at[r.Session]
		if !ok {
			i = len(out)
			at[r.Session] = i
			out = append(out, change{at: r.time(), subject: r.Text})
		}
		out[i].files = append(out[i].files, r.Path)
	}
	slices.SortStableFunc(out, func(a, b change) int { return a.at.Compare(b.at) })
	return out
}

func repositories(t testing.TB, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.commits.jsonl.gz"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no *.commits.jsonl.gz in %s", dir)
	}
	for i, n := range names {
		names[i] = strings.TrimSuffix(n, ".commits.jsonl.gz")
	}
	return names
}

// example is a candidate of one decision, with what became of it.
type example struct {
	x      Values
	used   bool
	unseen bool
	weight float64
	path   aoa.Path
}

// decision is one question of a replay with all its candidates.
type decision struct {
	session  string
	moment   aoa.Moment
	target   map[aoa.Path]bool // what the next step opened
	examples []example
}

// rankBy orders the candidates of a decision.
func (d decision) rankBy(score func(example) float64) []example {
	out := slices.Clone(d.examples)
	slices.SortStableFunc(out, func(a, b example) int {
		return cmp.Or(cmp.Compare(score(b), score(a)), cmp.Compare(a.path, b.path))
	})
	return out
}

// place is the rank from 1 of the first target, 0 if it is not among the candidates.
func (d decision) place(score func(example) float64) int {
	for i, e := range d.rankBy(score) {
		if d.target[e.path] {
			return i + 1
		}
	}
	return 0
}

// hits reports the share of decisions with a target in the top k, and the mean reciprocal rank.
func hits(ds []decision, k int, score func(example) float64) (hit, mrr float64) {
	if len(ds) == 0 {
		return 0, 0
	}
	for _, d := range ds {
		if n := d.place(score); n > 0 {
			mrr += 1 / float64(n)
			if n <= k {
				hit++
			}
		}
	}
	return hit / float64(len(ds)), mrr / float64(len(ds))
}

// bins holds what was predicted and what came of it.
type bins struct {
	n, p, y [10]float64
	brier   float64
}

func (b *bins) add(p float64, used bool) {
	i := min(int(p*10), 9)
	b.n[i]++
	b.p[i] += p
	b.y[i] += truth(used)
	b.brier += (p - truth(used)) * (p - truth(used))
}

// ece is the expected calibration error: the mean distance of promise and outcome.
func (b *bins) ece() float64 {
	sum, n := 0.0, 0.0
	for i := range b.n {
		sum += math.Abs(b.p[i] - b.y[i])
		n += b.n[i]
	}
	return sum / max(n, 1)
}

// above is the precision of what reaches bin i and further, and how many that is.
func (b *bins) above(i int) (precision, n float64) {
	y := 0.0
	for ; i < len(b.n); i++ {
		n += b.n[i]
		y += b.y[i]
	}
	return y / max(n, 1), n
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// fit finds weights by regularised logistic regression (Newton steps); signals that free refuses stay 0.
func fit(es []example, ridge float64, free func(Signal) bool) Values {
	var w Values
	for range 12 {
		var g [signals]float64
		var h [signals][signals]float64
		for _, e := range es {
			p := sigmoid(w.Logit(e.x))
			d, v := e.weight*(truth(e.used)-p), e.weight*p*(1-p)
			for i := range e.x {
				if e.x[i] == 0 {
					continue
				}
				g[i] += d * e.x[i]
				for j := range e.x {
					h[i][j] += v * e.x[i] * e.x[j]
				}
			}
		}
		for i := range g {
			if !free(Signal(i)) {
				for j := range h {
					h[i][j], h[j][i] = 0, 0
				}
				g[i], h[i][i] = 0, 1
				continue
			}
			r := ridge
			if Signal(i) == Bias {
				r = 1e-6
			}
			g[i] -= r * w[i]
			h[i][i] += r
		}
		step := solve(h, g)
		for i := range w {
			w[i] += step[i]
		}
	}
	return w
}

// solve is Gaussian elimination with pivots; h is symmetric and positive definite.
func solve(h [signals][signals]float64, g [signals]float64) (x [signals]float64) {
	n := int(signals)
	for i := range n {
		p := i
		for k := i + 1; k < n; k++ {
			if math.Abs(h[k][i]) > math.Abs(h[p][i]) {
				p = k
			}
		}
		h[i], h[p], g[i], g[p] = h[p], h[i], g[p], g[i]
		for k := i + 1; k < n; k++ {
			m := h[k][i] / h[i][i]
			for j := i; j < n; j++ {
				h[k][j] -= m * h[i][j]
			}
			g[k] -= m * g[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		x[i] = g[i]
		for j := i + 1; j < n; j++ {
			x[i] -= h[i][j] * x[j]
		}
		x[i] /= h[i][i]
	}
	return x
}

// platt fits a, b of σ(a·z+b) on logits and outcomes.
func platt(zs []float64, used []bool) Scale {
	es := make([]example, len(zs))
	for i, z := range zs {
		es[i] = example{used: used[i], weight: 1}
		es[i].x[Bias], es[i].x[1] = 1, z
	}
	w := fit(es, 1e-3, func(s Signal) bool { return s <= 1 })
	return Scale{w[1], w[Bias]}
}
