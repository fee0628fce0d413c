package watcher

import (
	"bytes"
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
// does.
type lives struct {
	now   func() (map[event.Path]bool, error) // the files that exist in the end
	there map[event.Path]bool                 // by name in the commits already read: it existed before them
}

// newLives returns the state after the newest commit of a revision. It reads the files of the
// revision when it needs them.
func newLives(ctx context.Context, program *git.Program, dir, revision string) *lives {
	var files map[event.Path]bool
	return &lives{there: map[event.Path]bool{}, now: func() (map[event.Path]bool, error) {
		if files != nil {
			return files, nil
		}
		out, err := program.Run(ctx, dir, "ls-tree", "-r", "-z", "--name-only", "--full-tree", revision)
		if err != nil {
			return nil, err
		}
		files = map[event.Path]bool{}
		for name := range bytes.SplitSeq(out, []byte{0}) {
			if p, err := event.NewPath(string(name)); err == nil {
				files[p] = true
			}
		}
		return files, nil
	}}
}

// before marks the files of a commit that live on, and goes back to the time before the commit.
func (l *lives) before(c *Commit) error {
	for i := range c.Files {
		f := &c.Files[i]
		p := f.gone()
		if p == "" {
			continue
		}
		there, known := l.there[p]
		if !known {
			files, err := l.now()
			if err != nil {
				return err
			}
			there = files[p]
		}
		f.Lives = there
	}
	for _, f := range c.Files {
		if f.Status == 'A' || f.From != "" {
			l.there[f.Path] = false
		}
	}
	for _, f := range c.Files {
		if p := f.gone(); p != "" {
			l.there[p] = true
		}
	}
	return nil
}
