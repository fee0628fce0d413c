package watcher

import (
	"context"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
)

// lives tells which files a commit took away in its own line of the history only. If another
// repository is merged that moved its src/lib.rs into a folder, the src/lib.rs of this one is still
// there: it must not get the new name, nor lose its commits.
//
// git log says nothing of lines, so commits are read from new to old. A file that exists in the end
// existed before each commit that neither adds it nor gives it this name, up to the newest that
// does. A file that a newer commit took away existed until then if the newer commit follows the
// older one. If neither follows the other, two branches took the same file away.
type lives struct {
	git      *git.Program
	dir      string
	revision string
	end      map[event.Path]bool   // the files that exist in the end; nil until they are needed
	taken    map[event.Path]string // by name: the commit already read that took the file away, "" if one added it
	follows  map[[2]string]bool    // by two commits: whether the first follows the second
}

// before marks the files of a commit that live on, and goes back to the time before the commit.
func (l *lives) before(ctx context.Context, c *Commit) (err error) {
	for i := range c.Files {
		if f := &c.Files[i]; f.gone() != "" {
			if f.Lives, err = l.on(ctx, f.gone(), c.ID); err != nil {
				return err
			}
		}
	}
	for _, f := range c.Files {
		if f.Status == 'A' || f.From != "" {
			l.taken[f.Path] = ""
		}
	}
	for _, f := range c.Files {
		if p := f.gone(); p != "" && !f.Lives {
			l.taken[p] = c.ID
		}
	}
	return nil
}

// on reports whether a file existed after a commit that took it away.
func (l *lives) on(ctx context.Context, p event.Path, commit string) (bool, error) {
	newer, known := l.taken[p]
	if !known {
		return l.exists(ctx, p)
	}
	if newer == "" {
		return false, nil
	}
	pair := [2]string{newer, commit}
	if _, known := l.follows[pair]; !known {
		// commits that newer does not reach
		out, err := l.git.Run(ctx, l.dir, "rev-list", "-n", "1", commit, "^"+newer)
		if err != nil {
			return false, err
		}
		l.follows[pair] = len(out) == 0
	}
	return l.follows[pair], nil
}

// exists reports whether a file exists in the end.
func (l *lives) exists(ctx context.Context, p event.Path) (bool, error) {
	if l.end == nil {
		files, err := treeOf(ctx, l.git, l.dir, l.revision)
		if err != nil {
			return false, err
		}
		l.end = setOf(files)
	}
	return l.end[p], nil
}
