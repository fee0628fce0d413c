package watcher

import (
	"context"
	"fmt"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Changed returns the files that differ from HEAD in the index or on disk, deleted ones and new ones that are not
// ignored among them, sorted: the change that is being made. Generated and vendored files are left out. It needs
// the git program; errors are git's.
func (r *Repo) Changed(ctx context.Context) ([]event.Path, error) {
	found, err := r.status(ctx)
	if err != nil {
		return nil, fmt.Errorf("list changed files: %w", err)
	}
	var files []event.Path
	for _, s := range found {
		if !r.Excluded(s.path) {
			files = append(files, s.path)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}
