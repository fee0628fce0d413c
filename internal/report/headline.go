package report

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
)

// Sentence is one thing to act on, and the section of the page that has the rest. Names in backticks are of files.
type Sentence struct {
	Text    string `json:"text"`
	Section string `json:"section"`
}

// headline is up to three sentences: the pair that changed together most in the last year, the file that is
// hottest, and how right aOa was. What the repository has nothing of is left out.
func (p *Page) headline() (out []Sentence) {
	var pair *Across
	for i, x := range p.Across {
		if x.Year >= leastBoth && (pair == nil || x.Year > pair.Year) {
			pair = &p.Across[i]
		}
	}
	if pair != nil {
		alone := ""
		if n := pair.YearA - pair.Year; n > 0 {
			alone = fmt.Sprintf(", and %s changed %s without it", quoted(pair.A), times(n))
		}
		out = append(out, Sentence{fmt.Sprintf("%s and %s changed together %s in the last year%s.", quoted(pair.A),
			quoted(pair.B), times(pair.Year), alone), "across"})
	}
	if len(p.Hot) > 0 {
		f := p.Hot[0]
		out = append(out, Sentence{fmt.Sprintf("%s has %s lines and changed %s in the last year: the first place for tests.",
			quoted(f.File), humanize.Comma(int64(f.Lines)), times(f.Commits)), "hot"})
	}
	if x := p.Past; x != nil {
		out = append(out, Sentence{fmt.Sprintf("Had you forgotten a file in one of your last %d changes, aOa would "+
			"have listed it among five in %.0f %% of the cases.", x.Changes, 100*x.Five), "right"})
	}
	return out
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// quoted is a name in backticks; the page sets it apart.
func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "'") + "`" }
