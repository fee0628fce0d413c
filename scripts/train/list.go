package main

import (
	"cmp"
	"fmt"
	"os"
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

// measureLists leaves each repository out in turn: at which share of the prompts whose turn opens files a list is
// shown, in which share of these a file is right, and at which share of the others one is shown; the means over the
// repositories.
func measureLists(found []lessons, into map[string]float64) {
	var said, right, others, n, spoke float64
	var bars [10]struct{ n, p, used float64 }
	for i := range found {
		if len(found[i].prompts) == 0 {
			continue
		}
		without := func(r int) bool { return r == i }
		c := confidence(found, without)
		m := lists(found, &c, without)
		var open, shown, hit, idle, noise float64
		for _, p := range found[i].prompts {
			l := p.list(&c, m)
			e := l.estimate
			says := truth(e.Says(prefetch.ListThreshold, prefetch.ListTokens, prefetch.Searching{}))
			if p.opens {
				open, shown, hit = open+1, shown+says, hit+says*truth(l.right)
			} else {
				idle, noise = idle+1, noise+says
			}
			b := &bars[min(int(10*e.Any()), 9)]
			b.n, b.p, b.used = b.n+1, b.p+e.Any(), b.used+truth(p.opens && l.right)
		}
		said, others, n = said+shown/max(open, 1), others+noise/max(idle, 1), n+1
		if shown > 0 {
			right, spoke = right+hit/shown, spoke+1
		}
		fmt.Fprintf(os.Stderr,
			"%d prompts, %.0f whose turn opens files: lists at %.2f of these, right in %.2f; at %.2f of the others\n", len(found[i].prompts), open,
			shown/max(open, 1), hit/max(shown, 1), noise/max(idle, 1))
	}
	for _, b := range bars {
		if b.n > 0 {
			fmt.Fprintf(os.Stderr, "a list promised %.2f: came true %.2f (%.0f)\n", b.p/b.n, b.used/b.n, b.n)
		}
	}
	into["lists.shown"], into["lists.right"], into["lists.shown_idle"] = round(said/max(n, 1)), round(right/max(spoke,
		1)), round(others/max(n, 1))
}
