package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/recorded"
)

// numbers are the features of a file: shift and slope of each class, then what all classes share.
func numbers(c prefetch.FileFeatures) []float64 {
	classes := prefetch.Classes()
	x := make([]float64, 2*len(classes)+5)
	i := slices.Index(classes, c.Class)
	x[2*i], x[2*i+1] = 1, c.Logit
	copy(x[2*len(classes):], []float64{c.First, c.Ahead, c.Behind, c.Mass, c.Opened})
	return x
}

func nobody(int) bool { return false }

// promises are the weights of what the files of rankings promise, fitted on all repositories but those left out.
func promises(found []lessons, out func(int) bool) []float64 {
	return regress(found, func(l *lessons) []example { return l.promises }, out)
}

// confidence puts them into the form of package prefetch.
func confidence(w []float64) prefetch.Confidence {
	c := prefetch.Confidence{Classes: map[prefetch.Class]rank.Scale{}}
	classes := prefetch.Classes()
	for i, k := range classes {
		if w[2*i+1] != 0 { // a change is promised what its ranking says
			c.Classes[k] = rank.Scale{max(0, w[2*i+1]), w[2*i]} // a file that is ranked higher is never promised less
		}
	}
	r := w[2*len(classes):]
	c.First, c.Ahead, c.Behind, c.Mass, c.Opened = r[0], r[1], r[2], r[3], r[4]
	return c
}

// ownerOf is the owner of OWNER/NAME.
func ownerOf(repo string) string {
	owner, _, _ := strings.Cut(repo, "/")
	return owner
}

// measurePromises measures all with the owner of each repository left out: the log loss of the scores of rankings and
// of promises, what was promised and came true, and lists; the means over repositories.
func measurePromises(found []lessons) map[string]float64 {
	owners := map[string]bool{}
	for i := range found {
		owners[ownerOf(found[i].Name)] = true
	}
	var t recorded.Table
	for owner := range owners {
		out := func(i int) bool { return ownerOf(found[i].Name) == owner }
		w := promises(found, out)
		c := confidence(w)
		m := lists(found, &c, out)
		for i := range found {
			if out(i) {
				found[i].measure(&t, w, &c, m)
			}
		}
	}
	into := map[string]float64{}
	for name, of := range map[string]string{"promises.ranked": "ranked", "promises.confident": "confident",
		"lists.shown": "lists shown", "lists.right": "lists right", "lists.shown_idle": "lists others"} {
		into[name] = round(t.Mean(recorded.Own, of))
	}
	into["promises.ece"], into["lists.ece"] = round(bars(&t, "file")), round(bars(&t, "list"))
	fmt.Fprintln(os.Stderr, into)
	return into
}

// measure measures one repository.
func (l *lessons) measure(t *recorded.Table, w []float64, c *prefetch.Confidence, m prefetch.ListModel) {
	add := func(measure string, sum, n float64) { t.Add(recorded.Own, measure, l.Name, "", sum, n) }
	bar := func(kind string, p float64, came bool, weight float64) {
		b := min(int(10*p), 9)
		add(fmt.Sprintf("%s promised %d", kind, b), weight*p, weight)
		add(fmt.Sprintf("%s came %d", kind, b), weight*truth(came), weight)
	}
	for _, e := range l.promises {
		r := newRow(e.x, e.used, 1)
		p := sigmoid(r.logit(w))
		add("ranked", loss(e.p, e.used), 1)
		add("confident", loss(p, e.used), 1)
		bar("file", p, e.used, 1/float64(len(l.promises)))
	}
	for _, p := range l.prompts {
		made := p.list(c, m)
		e := made.estimate
		says := truth(e.Says(prefetch.ListThreshold, prefetch.ListTokens, prefetch.Searching{}))
		bar("list", e.Any(), p.opens && made.right, 1/float64(len(l.prompts)))
		if !p.opens {
			add("lists others", says, 1)
			continue
		}
		add("lists shown", says, 1)
		add("lists right", says*truth(made.right), says)
	}
}

// bars prints what was promised and what came true, each repository counting the same, and returns the expected
// calibration error over the bars.
func bars(t *recorded.Table, kind string) float64 {
	far, all := 0.0, 0.0
	for b := range 10 {
		var promised, came, n float64
		happened := t.Repos(recorded.Own, fmt.Sprintf("%s came %d", kind, b))
		repos := t.Repos(recorded.Own, fmt.Sprintf("%s promised %d", kind, b))
		for _, name := range slices.Sorted(maps.Keys(repos)) {
			promised, came, n = promised+repos[name].Sum, came+happened[name].Sum, n+repos[name].N
		}
		if n > 0 {
			fmt.Fprintf(os.Stderr, "%s: promised %.2f, came true %.2f (%.3f)\n", kind, promised/n, came/n, n)
		}
		far, all = far+math.Abs(promised-came), all+n
	}
	return far / max(all, 1e-9)
}

func loss(p float64, used bool) float64 {
	if !used {
		p = 1 - p
	}
	return -math.Log(max(p, 1e-6))
}
