package prefetch

import (
	"path"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/index"
)

// A candidate for a single file without a change is listed if it has at least one of these
// probabilities, which depend on the evidence. They were chosen on 60 files of six repositories
// (docs/dev/measurements/ranking.md).
const (
	worthNamed  = 0.03 // a pair by name, or one has the path of the other
	worthLinked = 0.05 // other words of names, or contents, connect it, or commits with at least leastSupport
	worthFolder = 0.10 // only the folder connects it
	// leastSupport is the least history.Commits.Support that commits connecting two files must
	// have: that of one commit of eleven files. Of 14 files that only larger commits connected with
	// the given one, people wanted one.
	leastSupport = 0.1
)

// listed returns those of the candidates for a single file without a change that are worth listing, at
// most most beside the usual ones. A short list of files that belong to the given one helps more than
// one that is filled up with others. But people look for the test of a source first, and for the source
// of a test: that file is listed however unlikely it is, and if the list is full and its last file weak,
// it takes its place.
func (b *companions) listed(files []Candidate, most int) (out []Candidate) {
	n, last, other := 0, -1, b.testOrSource(files)
	for i := range files {
		x := &files[i]
		switch {
		case i != other && (n == most || !b.worth(x)):
		case n < most && b.usual(x):
			out = append(out, *x)
		case n < most:
			n, last = n+1, len(out)
			out = append(out, *x)
		case out[last].P < event.PossibleFrom:
			out[last] = *x
		}
	}
	return out
}

// testOrSource returns the index of the candidate that is the test of the given file, or the source if
// that is a test: the only pair of a test and a source in the folder, by name and with the same
// extension, or the only one in the repository. It returns -1 if none exists. Two files called
// rbac.go do not tell which of them rbac_test.go in a third folder tests, and test_cli.py may test a
// folder called cli.
func (b *companions) testOrSource(files []Candidate) int {
	given := b.change[0]
	own, wanted := index.KindOf(given), index.KindTest
	if own == index.KindTest {
		wanted = index.KindSource
	}
	if own != index.KindTest && own != index.KindSource {
		return -1
	}
	var all, near []int
	rivals := false // a folder, or another file of the same kind as the given one, has its stem
	for i := range files {
		f := files[i].File
		rivals = rivals || path.Base(f.Dir()) == given.PairStem()
		if b.found[files[i].Place].Facts[history.Name] == 0 || f.Ext() != given.Ext() {
			continue
		}
		switch index.KindOf(f) {
		case own:
			rivals = true
		case wanted:
			if all = append(all, i); f.Dir() == given.Dir() {
				near = append(near, i)
			}
		}
	}
	switch {
	case len(near) == 1:
		return near[0]
	case len(all) == 1 && !rivals:
		return all[0]
	}
	return -1
}

// worth reports whether a companion is worth listing.
func (b *companions) worth(x *Candidate) bool {
	switch link := linkOf(&b.found[x.Place].Facts); {
	case link == linkStem, link == linkPath:
		return x.P >= worthNamed
	case link != "" && link != linkFolder, b.past.Commits.Support(x.with, x.File) >= leastSupport:
		return x.P >= worthLinked
	default:
		return link == linkFolder && x.P >= worthFolder
	}
}
