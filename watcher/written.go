package watcher

import (
	"context"
	"errors"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Written returns those of the files that somebody has written: files whose content on disk git
// does not have. What git has, it may have put there itself: a pull, merge, rebase or checkout, a
// stash that was applied, a reset. So what was written and added to the index since is left out,
// too, and so are files that cannot be read or have more than index.MaxEdited bytes. It costs one
// process of git. If git does not answer, nothing is returned.
func (r *Repo) Written(ctx context.Context, files []event.Path) (out []event.Path) {
	if !r.config.sha1 {
		return nil // the ids of contents are others
	}
	blobs, err := r.git.Blobs(ctx, string(r.Root))
	if err != nil {
		return nil
	}
	defer blobs.Close()
	for _, f := range files {
		text, err := regularfile.Read(r.Root.Abs(f), regularfile.NoLinks, index.MaxEdited)
		if err != nil {
			continue
		}
		_, err = blobs.Read(index.BlobID(text), 0)
		switch {
		case err == nil:
		case errors.Is(err, git.ErrNoBlob):
			out = append(out, f)
		default:
			return out
		}
	}
	return out
}
