package history

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// If only a file is named and its change is not known, commits tell which files belong to it. But
// two things are misleading then. First, a commit of sixty files would count as much as one of two,
// so that the work of a formatter looks like a pair: Sized counts a commit more the fewer files it
// has. Second, a file with a single common commit would come before the file's own test just
// because people are working on it this week: Keeps counts Fresh only as far as the two have
// commits in common. If there are few commits, names and contents tell more (index.Link).

// Links tells how names and contents connect other files with one file. It may be empty; nil means
// that no one has looked.
type Links map[event.Path]*index.Link

// sizedPrior is the number of common commits as which the share in the folder counts.
const sizedPrior = 1.0

// leastInFolder is the smallest share of a folder's commits that is assumed for a file that is
// asked about alone. If the share were 0, only commits could lead from a new file to another
// folder.
const leastInFolder = 0.01

// mostStem is the largest number of files with one stem for which two of them are a pair by name.
// Every project with examples has many files called conf.py, and every language its sphinx.po.
const mostStem = 8

// everywhere reports whether more files than mostStem have a stem. The caller holds c.mu.
func (c *Commits) everywhere(stem string) bool { return len(c.stems[stem]) > mostStem }

// focusOf returns how much a commit of n files counts for each of its pairs.
func focusOf(n int) float64 { return 1 / float64(max(1, n-1)) }

// keepsHalf is the number of common commits at which the fact Keeps is half of Fresh.
const keepsHalf = 2.0

// Limits for the fact Chance.
const (
	chanceBoth = 1   // number of common commits that may be chance
	chanceLink = 0.2 // least value of a fact that links two files
)

// facts sets the facts that come from the links of a file. both is the number of commits that it
// shares.
func (l Links) facts(x *Facts, f event.Path, both int32) {
	link := l[f]
	if link == nil {
		link = &index.Link{}
	}
	share := func(names float64) float64 { return names / (1 + names) }
	x[Stem], x[Sibling], x[Path] = link.Stem, link.Sibling, link.Path
	x[Calls], x[Linked], x[Chance] = share(link.Uses)+share(link.Used), 0, 0
	if both <= chanceBoth {
		x[Linked] = link.Imports + x[Calls]
		x[Chance] = truth(max(x[Stem], x[Calls], x[Path], x[Linked], x[Name], x[Folder]) < chanceLink)
	}
	k := index.KindOf(f)
	x[Prose], x[Data] = truth(k == index.KindProse), truth(k == index.KindData || k == index.KindBinary)
}
