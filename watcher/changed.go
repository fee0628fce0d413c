package watcher

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/aoa-dev/aoa/internal/aoa"
)

// Changed returns the files that differ from HEAD in the index or on disk, deleted ones and new ones that are not
// ignored among them, sorted: the change that is being made. Generated and vendored files are left out. It needs
// the git program; errors are git's.
func (r *Repo) Changed(ctx context.Context) ([]aoa.Path, error) {
	out, err := r.run(ctx, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=all", "--no-renames")
	if err != nil {
		return nil, fmt.Errorf("list changed files: %w", err)
	}
	return slices.DeleteFunc(parseChanged(out), r.Excluded), nil
}

// parseChanged reads records "XY <path>\0". A path that ends in '/' is a repository inside the repository.
func parseChanged(out []byte) []aoa.Path {
	var files []aoa.Path
	for rec := range bytes.SplitSeq(out, []byte{0}) {
		if len(rec) < 4 || rec[2] != ' ' || rec[len(rec)-1] == '/' {
			continue
		}
		if p, err := aoa.NewPath(string(rec[3:])); err == nil {
			files = append(files, p)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}
