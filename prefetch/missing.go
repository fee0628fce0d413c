package prefetch

import (
	"github.com/aoa-dev/aoa/internal/aoa"
	"github.com/aoa-dev/aoa/rank"
)

// Bounds of one look for what a change lacks.
const (
	missingFiles  = 16 // files of the change whose commits are counted, the last ones: as many as the ranking reads
	missingTries  = 4  // candidates looked at for each one wanted
	missingShared = 2  // commits that two files must share: one may be chance
)

// Lack is a file that usually changes with a change and is not in it.
type Lack struct {
	File  aoa.Path
	Score float64  // probability that it belongs to the change
	With  aoa.Path // the file of the change that it changed with most regularly
	Both  int      // commits that changed both
	Of    int      // commits that changed With
}

// Missing names what a change lacks, the likeliest first, at most limit: files of the ranking that reach least and
// that share two commits with a file of the change. together counts the commits of both files, and of the first.
func Missing(ranked []rank.Scored, change []aoa.Path, least float64, limit int, together func(with, f aoa.Path) (both, of int, err error)) ([]Lack, error) {
	var out []Lack
	for i, f := range ranked {
		if f.Score < least || i >= missingTries*limit || len(out) == limit {
			break
		}
		lack, err := regular(f, change, together)
		if err != nil {
			return out, err
		}
		if lack.Both >= missingShared {
			out = append(out, lack)
		}
	}
	return out, nil
}

// regular finds the file of the change that f changed with most regularly.
func regular(f rank.Scored, change []aoa.Path, together func(with, f aoa.Path) (both, of int, err error)) (Lack, error) {
	best := Lack{File: f.File, Score: f.Score}
	share := 0.0
	for _, with := range change[max(0, len(change)-missingFiles):] {
		both, of, err := together(with, f.File)
		if err != nil {
			return best, err
		}
		// One more than counted: 1 of 1 says less than 9 of 10.
		if s := float64(both) / float64(of+1); s > share {
			best.With, best.Both, best.Of, share = with, both, of, s
		}
	}
	return best, nil
}
