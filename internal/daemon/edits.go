package daemon

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/regularfile"
	"github.com/aoa-dev/aoa/prefetch"
)

// archive is what the checkout and the log know about a change.
func (w *worktree) archive(db *cold.DB) prefetch.Archive {
	return prefetch.Archive{Together: db.Together, Changes: db.Changes, Edits: w.edits,
		Users: func(name string, most int) []index.User { return w.reader.Contents().Users(name, most) }}
}

// editTime is how long a question waits for git to tell what files held, at most half of the time it has.
const editTime = time.Second

// edits compares files on the disk with HEAD. If git fails or takes too long, there are none.
func (w *worktree) edits(ctx context.Context, files []event.Path) map[event.Path][]index.Edit {
	wait := editTime
	if end, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(end)/2)
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	before, known, err := w.repo.Committed(ctx, files, index.MaxEdited)
	if err != nil {
		return nil
	}
	out := map[event.Path][]index.Edit{}
	for _, f := range files {
		if after, ok := w.onDisk(f); ok && known[f] {
			out[f] = index.Edits(f, before[f], after)
		}
	}
	return out
}

// onDisk is what a file holds, nothing if it is gone; not ok if it is too large or no file of the checkout.
func (w *worktree) onDisk(f event.Path) (data []byte, ok bool) {
	data, err := regularfile.Read(w.repo.Root.Abs(f), regularfile.NoLinks, index.MaxEdited)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true
	}
	return data, err == nil && w.tree.Load().Has(f)
}
