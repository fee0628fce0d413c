package history

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Where a file is named and nothing is known of its change, commits say which files go with it as
// far as they know it. Two things mislead there. A commit of sixty files is worth as much as one of
// two, so that what a formatter went through looks like a pair: Sized counts a commit by how few
// files it has. And a file with a single common commit is put above its test because everybody
// works on it this week: Keeps is Fresh only as far as the two have commits in common. Where
// commits are few, names and contents say more (index.Link).

// Links say what names and contents tell of other files beside one. They may be empty; nil means
// that nobody has looked.
type Links map[event.Path]*index.Link

// sizedPrior is the number of commits of two files that the share in the folder counts like.
const sizedPrior = 1.0

// leastInFolder is the smallest share in the folder of a file that is asked about alone. Below it,
// only commits would lead from a new file to another folder.
const leastInFolder = 0.01

// mostStem is the largest number of files with one stem that makes two of them a pair by name.
// Every project of examples has a conf.py, and every language a sphinx.po.
const mostStem = 8

// everywhere reports whether too many files have a stem for that. c.mu is held.
func (c *Commits) everywhere(stem string) bool { return len(c.stems[stem]) > mostStem }

// focusOf returns how much a commit of n files counts for each of its pairs.
func focusOf(n int) float64 { return 1 / float64(max(1, n-1)) }

// keepsHalf is the number of common commits from which a file that was changed lately counts half
// as one.
const keepsHalf = 2.0

func keeps(fresh float64, both int32) float64 {
	return fresh * float64(both) / (float64(both) + keepsHalf)
}

// Bounds of Chance.
const (
	chanceBoth = 1   // common commits that may be chance
	chanceLink = 0.2 // of a fact that links two files
)

// facts fills in what the links say of a file that shares that many commits.
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
