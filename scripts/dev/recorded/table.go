package recorded

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
)

// Own is the method that a table compares with the others.
const Own = "aOa"

// Ratio is a sum over questions and their number.
type Ratio struct{ Sum, N float64 }

// Value returns the mean, 0 without questions.
func (r Ratio) Value() float64 {
	if r.N == 0 {
		return 0
	}
	return r.Sum / r.N
}

func (r Ratio) plus(o Ratio) Ratio { return Ratio{r.Sum + o.Sum, r.N + o.N} }

// Clusters holds the sums of one repository by session, commit or text. Questions of one cluster
// resemble each other, so intervals are computed by drawing clusters.
type Clusters map[string]Ratio

// All returns the sum of the clusters.
func (c Clusters) All() (all Ratio) {
	for _, name := range slices.Sorted(maps.Keys(c)) {
		all = all.plus(c[name])
	}
	return all
}

// Table adds up the results of methods. It is safe for concurrent use.
type Table struct {
	mu   sync.Mutex
	sums map[string]map[string]map[string]Clusters // by method, measure and repository
}

// Add adds n questions of a cluster, with the sum of the results of a method by a measure.
func (t *Table) Add(method, measure, repo, cluster string, sum, n float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sums == nil {
		t.sums = map[string]map[string]map[string]Clusters{}
	}
	if t.sums[method] == nil {
		t.sums[method] = map[string]map[string]Clusters{}
	}
	if t.sums[method][measure] == nil {
		t.sums[method][measure] = map[string]Clusters{}
	}
	if t.sums[method][measure][repo] == nil {
		t.sums[method][measure][repo] = Clusters{}
	}
	c := t.sums[method][measure][repo]
	c[cluster] = c[cluster].plus(Ratio{sum, n})
}

// Place adds one question whose right file is at a position from 1, or 0 if it is not listed, to
// the measures hit1, hit3, hit5, hit10 and mrr, each with the name of the task before it.
func (t *Table) Place(method, task, repo, cluster string, place int) {
	for _, k := range []int{1, 3, 5, 10} {
		t.Add(method, fmt.Sprint(task, "hit", k), repo, cluster, truth(place > 0 && place <= k), 1)
	}
	t.Add(method, task+"mrr", repo, cluster, truth(place > 0)/float64(max(place, 1)), 1)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Measures returns the names of the measures that a method has, sorted.
func (t *Table) Measures(method string) []string { return slices.Sorted(maps.Keys(t.sums[method])) }

// Repos returns the sums of each repository that has questions.
func (t *Table) Repos(method, measure string) map[string]Ratio {
	out := map[string]Ratio{}
	for repo, c := range t.sums[method][measure] {
		if all := c.All(); all.N > 0 {
			out[repo] = all
		}
	}
	return out
}

// N returns the number of questions.
func (t *Table) N(method, measure string) (n int) {
	for _, r := range t.Repos(method, measure) {
		n += int(r.N)
	}
	return n
}

// Mean returns the mean over the repositories that have questions, each counting the same.
func (t *Table) Mean(method, measure string) float64 {
	var all Ratio
	repos := t.Repos(method, measure)
	for _, name := range slices.Sorted(maps.Keys(repos)) {
		all = all.plus(Ratio{repos[name].Value(), 1})
	}
	return all.Value()
}

// Interval returns the 95 % interval of the mean.
func (t *Table) Interval(method, measure string) [2]float64 {
	var repos [][][2]Ratio
	m := t.sums[method][measure]
	for _, repo := range slices.Sorted(maps.Keys(m)) {
		if m[repo].All().N > 0 {
			repos = append(repos, m[repo].beside(nil))
		}
	}
	return interval(repos)
}

// Beside returns how much better a method is in this table than in another one: the mean and its 95
// % interval, over the questions of the clusters that both tables have.
func (t *Table) Beside(old *Table, method, measure string) (mean float64, in [2]float64) {
	var repos [][][2]Ratio
	m, n := t.sums[method][measure], Ratio{}
	for _, repo := range slices.Sorted(maps.Keys(m)) {
		if before := old.sums[method][measure][repo]; before.All().N > 0 && m[repo].All().N > 0 {
			pairs := m[repo].beside(before)
			repos = append(repos, pairs)
			n = n.plus(Ratio{difference(pairs), 1})
		}
	}
	return n.Value(), interval(repos)
}

// beside returns the clusters of both tables, nil if none exist.
func (c Clusters) beside(old Clusters) (out [][2]Ratio) {
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if before, both := old[name]; both || old == nil {
			out = append(out, [2]Ratio{c[name], before})
		}
	}
	return out
}

func difference(pairs [][2]Ratio) float64 {
	var a, b Ratio
	for _, p := range pairs {
		a, b = a.plus(p[0]), b.plus(p[1])
	}
	return a.Value() - b.Value()
}

// draws is the number of draws of the bootstrap. More draws do not change the second digit.
const draws = 1000

// interval returns the 95 % interval of the mean difference over repositories, each given by its
// clusters. It draws repositories, and in each as many clusters as it has, both with replacement.
// The seed is fixed, so the same record gives the same interval.
func interval(repos [][][2]Ratio) [2]float64 {
	random := rand.New(rand.NewPCG(1, uint64(len(repos))))
	means := make([]float64, 0, draws)
	for range draws {
		sum, n := 0.0, 0.0
		for range repos {
			clusters := repos[random.IntN(len(repos))]
			drawn := make([][2]Ratio, len(clusters))
			asked := 0.0
			for i := range drawn {
				drawn[i] = clusters[random.IntN(len(clusters))]
				asked += drawn[i][0].N
			}
			if asked > 0 {
				sum, n = sum+difference(drawn), n+1
			}
		}
		if n > 0 {
			means = append(means, sum/n)
		}
	}
	if len(means) == 0 {
		return [2]float64{}
	}
	slices.Sort(means)
	return [2]float64{means[len(means)*25/1000], means[min(len(means)-1, len(means)*975/1000)]}
}

// Cell returns the mean with its interval, as a cell of a page.
func (t *Table) Cell(method, measure string) string {
	if t.N(method, measure) == 0 {
		return "–"
	}
	in := t.Interval(method, measure)
	return fmt.Sprintf("%s (%s–%s)", Two(t.Mean(method, measure)), Two(in[0]), Two(in[1]))
}

// Losses returns the repositories in which another method is better than Own, with both numbers, by
// one measure.
func (t *Table) Losses(measure string) string {
	var out []string
	own := t.Repos(Own, measure)
	for _, repo := range slices.Sorted(maps.Keys(own)) {
		best, by := own[repo].Value(), ""
		for _, m := range slices.Sorted(maps.Keys(t.sums)) {
			if v := t.Repos(m, measure)[repo].Value(); v > best {
				best, by = v, m
			}
		}
		if by != "" {
			out = append(out, fmt.Sprintf("%s %s against %s of %s", repo, Two(own[repo].Value()), Two(best), by))
		}
	}
	return cmp.Or(strings.Join(out, "; "), "none")
}

// Line returns a line of a table on a page.
func Line(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// Two returns a number with two digits, without the leading zero.
func Two(x float64) string { return strings.TrimPrefix(fmt.Sprintf("%.2f", x), "0") }

// tableFile is the form in which a table is kept.
type tableFile struct {
	Means map[string]map[string]Mean                `json:"means"` // by method and measure
	Sums  map[string]map[string]map[string]Clusters `json:"sums"`
}

// Mean is a mean over repositories with its 95 % interval.
type Mean struct{ Value, Low, High, Questions float64 }

// Write writes the table as JSON: the means, and the sums from which they are computed.
func (t *Table) Write(to io.Writer) error {
	f := tableFile{map[string]map[string]Mean{}, t.sums}
	for method, measures := range t.sums {
		f.Means[method] = map[string]Mean{}
		for m := range measures {
			in := t.Interval(method, m)
			f.Means[method][m] = Mean{t.Mean(method, m), in[0], in[1], float64(t.N(method, m))}
		}
	}
	return json.NewEncoder(to).Encode(f)
}

// Compare prints how much better Own is in this table than in one that was written to a file.
func (t *Table) Compare(to io.Writer, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var f tableFile
	if err := json.Unmarshal(data, &f); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	old := &Table{sums: f.Sums}
	for _, m := range t.Measures(Own) {
		mean, in := t.Beside(old, Own, m)
		fmt.Fprintf(to, "%-20s %.3f → %.3f: %+.3f (%+.3f to %+.3f), %d questions\n", m, old.Mean(Own, m),
			t.Mean(Own, m), mean, in[0], in[1], t.N(Own, m))
	}
	return nil
}
