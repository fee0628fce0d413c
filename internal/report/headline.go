package report

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
)

// Sentence is one advice of the headline, with the section of the page that explains it. Names of
// files are in backticks.
type Sentence struct {
	Text    string `json:"text"`
	Section string `json:"section"`
}

// Limits below which a file is not mentioned in the headline.
const (
	headlineLines   = 200
	headlineCommits = 5 // commits of the last year
	headlineBoth    = 3 // commits of the last year that changed both files of a pair
)

// headline returns up to three sentences: about the strongest pair of the last year, about the file
// in which a mistake is most likely, and about how accurate aOa was. The strongest pair is the one
// with the largest product of its common commits and their share in the commits of the file that
// changed less often: 8 of 10 is stronger than 14 of 43.
func (p *Page) headline() (out []Sentence) {
	var pair *Across
	strength := func(x *Across) float64 { return float64(x.Year) * float64(x.Year) / float64(max(x.YearA, 1)) }
	for i, x := range p.Across {
		if x.Year >= headlineBoth && (pair == nil || strength(&p.Across[i]) > strength(pair)) {
			pair = &p.Across[i]
		}
	}
	if pair != nil {
		of := fmt.Sprintf("%d of the %d commits", pair.Year, pair.YearA)
		if pair.Year == pair.YearA {
			of = fmt.Sprintf("All %d commits", pair.Year)
		}
		out = append(out, Sentence{fmt.Sprintf("%s that changed %s in the last year also changed %s.", of,
			quoted(pair.A), quoted(pair.B)), "across"})
	}
	if len(p.Hot) > 0 && p.Hot[0].Lines >= headlineLines && p.Hot[0].Commits >= headlineCommits {
		f := p.Hot[0]
		out = append(out, Sentence{fmt.Sprintf("%s has %s lines and changed %d times in the last "+
			"year: a mistake is likeliest there.",
			quoted(f.File), humanize.Comma(int64(f.Lines)), f.Commits), "hot"})
	}
	if x := p.Past; x != nil {
		out = append(out, Sentence{fmt.Sprintf("If you had forgotten a file in one of the last %d changes, aOa would "+
			"have listed it among its first five in %.0f %% of the cases.", x.Changes, 100*x.Five), "right"})
	}
	return out
}

// quoted puts a name in backticks, which the page prints as code.
func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "'") + "`" }
