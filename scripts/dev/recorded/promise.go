package recorded

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// tenths is how many bins promises are sorted into.
const tenths = 10

// Promise counts a probability of a method, and whether it came true. kind says what was promised.
func (t *Table) Promise(method, kind, repo, cluster string, p float64, kept bool) {
	b := min(max(int(p*tenths), 0), tenths-1)
	came := 0.0
	if kept {
		came = 1
	}
	t.Add(method, fmt.Sprintf("%s promised .%d", kind, b), repo, cluster, p, 1)
	t.Add(method, fmt.Sprintf("%s came true .%d", kind, b), repo, cluster, came, 1)
}

// Promises returns what was promised and what came true, those of all repositories together: ".07 →
// .08 (14477), …".
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

// ECE returns the expected calibration error, the mean over repositories: the distance of what was
// promised and what came true, over the bins.
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
