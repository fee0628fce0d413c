package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/rank"
)

// prompted is a recorded prompt, and what its turn opened.
type prompted struct {
	query event.Query
	turn  prefetch.Turn
	opens bool
	files []candidate
}

// candidate is a file that a list may name.
type candidate struct {
	at          prefetch.FileFeatures
	text, terms float64
	used        bool
}

// mostListed is how many files of a ranking are kept to make a list of: the likeliest stand among them.
const mostListed = 24

// prompt keeps what a list is made of.
func (l *lessons) prompt(d *eval.Decision) {
	p := prompted{query: d.Query, turn: prefetch.Turn{Prompts: d.Prompts - 1, Named: len(d.Prompted) > 0},
		opens: len(d.Turn) > 0}
	for i, at := range prefetch.FileFeaturesOf(d.Query, d.Ranked) {
		if len(p.files) == mostListed {
			break
		}
		if f := d.Ranked[i]; !d.Prompted[f.File] {
			p.files = append(p.files, candidate{at, f.Values()[rank.TextShare], f.Terms(), slices.Contains(d.Turn,
				f.File)})
		}
	}
	l.prompts = append(l.prompts, p)
}

// listed is the list of one prompt.
type listed struct {
	files    int
	features prefetch.ListFeatures
	estimate prefetch.ListEstimate
	right    bool // the turn opens one of the files
}

// list makes the list of a prompt under a confidence, as the model does.
func (p prompted) list(c *prefetch.Confidence, m prefetch.ListModel) listed {
	var files []prefetch.Prediction
	used := map[event.Path]bool{}
	for i, f := range p.files {
		x := prefetch.Prediction{File: event.Path(fmt.Sprint(i)), Shipped: c.Probability(f.at), Text: f.text,
			Terms: f.terms}
		x.P, used[x.File] = x.Shipped, f.used
		files = append(files, x)
	}
	slices.SortStableFunc(files, func(a, b prefetch.Prediction) int { return cmp.Compare(b.P, a.P) })
	files, e := m.Choose(p.query, p.turn, files, nil)
	out := listed{files: len(files), features: prefetch.ListFeaturesOf(p.query, p.turn, files), estimate: e}
	for _, f := range files {
		out.right = out.right || used[f.File]
	}
	return out
}

// lists fits the estimates of a list on all repositories but those left out.
func lists(found []lessons, c *prefetch.Confidence, out func(int) bool) prefetch.ListModel {
	rows := make([]lessons, len(found))
	for i := range found {
		for _, p := range found[i].prompts {
			l := p.list(c, prefetch.ListModel{})
			f := l.features
			rows[i].promises = append(rows[i].promises, example{x: []float64{1, f.Turn, f.Words, f.Short, f.Named},
				used: p.opens})
			if p.opens && l.files > 0 {
				rows[i].rights = append(rows[i].rights, example{x: []float64{1, f.Turn, f.Words, f.First, f.Any, f.Text,
					f.Terms, f.Named}, used: l.right})
			}
		}
	}
	o := regress(rows, func(l *lessons) []example { return l.promises }, out)
	r := regress(rows, func(l *lessons) []example { return l.rights }, out)
	return prefetch.ListModel{
		Opens: prefetch.ListWeights{Bias: o[0], ListFeatures: prefetch.ListFeatures{Turn: o[1], Words: o[2],
			Short: o[3], Named: o[4]}},
		Right: prefetch.ListWeights{Bias: r[0], ListFeatures: prefetch.ListFeatures{Turn: r[1], Words: r[2],
			First: r[3], Any: r[4], Text: r[5], Terms: r[6], Named: r[7]}},
	}
}
