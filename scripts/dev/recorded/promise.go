package recorded

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// tenths is the number of groups into which predictions are sorted by their probability.
const tenths = 10

// Promise adds one prediction of a method to the table: its probability, and whether it came true.
// kind names the kind of prediction.
func (t *Table) Promise(method, kind, repo, cluster string, p float64, kept bool) {
	b := min(max(int(p*tenths), 0), tenths-1)
	came := 0.0
	if kept {
		came = 1
	}
	t.Add(method, fmt.Sprintf("%s promised .%d", kind, b), repo, cluster, p, 1)
	t.Add(method, fmt.Sprintf("%s came true .%d", kind, b), repo, cluster, came, 1)
}

// Promises returns, for each group of predictions of all repositories, the mean probability, the
// share that came true, and their number: ".07 → .08 (14477), …".
func (t *Table) Promises(method, kind string) string {
	var out []string
	for b := range tenths {
		var p, came Ratio
		for repo, r := range t.Repos(method, fmt.Sprintf("%s promised .%d", kind, b)) {
			c := t.Repos(method, fmt.Sprintf("%s came true .%d", kind, b))[repo]
			p, came = Ratio{Sum: p.Sum + r.Sum, N: p.N + r.N}, Ratio{Sum: came.Sum + c.Sum, N: came.N + c.N}
		}
		if p.N > 0 {
			out = append(out, fmt.Sprintf("%s → %s (%.0f)", Two(p.Value()), Two(came.Value()), p.N))
		}
	}
	return strings.Join(out, ", ")
}

// ECE returns the expected calibration error: the mean difference between the probability and the
// share that came true over the groups, and of that the mean over the repositories.
func (t *Table) ECE(method, kind string) float64 {
	far, n := map[string]float64{}, map[string]float64{}
	for b := range tenths {
		came := t.Repos(method, fmt.Sprintf("%s came true .%d", kind, b))
		for repo, p := range t.Repos(method, fmt.Sprintf("%s promised .%d", kind, b)) {
			far[repo] += math.Abs(p.Sum - came[repo].Sum)
			n[repo] += p.N
		}
	}
	var all Ratio
	for _, repo := range slices.Sorted(maps.Keys(n)) {
		all = Ratio{Sum: all.Sum + far[repo]/n[repo], N: all.N + 1}
	}
	return all.Value()
}
