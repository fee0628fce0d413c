package watcher

import (
	"context"
	"errors"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Written returns those of the files that a person or a program other than git has written: git
// does not have their content on disk. A content that git has may have been put there by git
// itself, by a pull, merge, rebase, checkout, applied stash or reset. So a file that was written
// and has since been added to the index is left out, too, and so are files that cannot be read or
// have more than index.MaxEdited bytes. Written runs git once. If git does not answer, it returns
// nothing.
func (r *Repo) Written(ctx context.Context, files []event.Path) (out []event.Path) {
	if !r.config.sha1 {
		return nil // ids of contents are no SHA-1 hashes
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
