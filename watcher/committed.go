package watcher

import (
	"context"
	"errors"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
)

// Committed returns what files hold in HEAD, those of at most most bytes. A file that HEAD does not have is left out,
// and known says that it was looked for: a file is new if it is known and has no content. It costs one process. Errors
// are those of git.
func (r *Repo) Committed(ctx context.Context, files []event.Path, most int64) (contents map[event.Path][]byte,
	known map[event.Path]bool, err error) {
	contents, known = map[event.Path][]byte{}, map[event.Path]bool{}
	if len(files) == 0 {
		return contents, known, nil
	}
	blobs, err := r.git.Blobs(ctx, string(r.Root))
	if err != nil {
		return contents, known, err
	}
	defer blobs.Close()
	for _, f := range files {
		data, err := blobs.Read("HEAD:"+string(f), most)
		switch {
		case errors.Is(err, git.ErrNoBlob):
			known[f] = true
		case err != nil:
			return contents, known, err
		case data != nil:
			contents[f], known[f] = data, true
		}
	}
	return contents, known, nil
}
