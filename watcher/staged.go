package watcher

import (
	"bytes"
	"context"
	"fmt"

	"github.com/aoa-dev/aoa/internal/event"
)

// Staged returns the files of the commit being made: what differs between HEAD and the index. It needs the
// git program; errors are git's.
func (r *Repo) Staged(ctx context.Context) ([]event.Path, error) {
	if !r.HasGit() {
		return nil, fmt.Errorf("list staged files: %w", ErrNoGit)
	}
	out, err := r.run(ctx, "diff", "--cached", "--name-only", "-z", "--no-renames")
	if err != nil {
		return nil, fmt.Errorf("list staged files: %w", err)
	}
	var files []event.Path
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if p, err := event.NewPath(string(name)); err == nil {
			files = append(files, p)
		}
	}
	return files, nil
}
