package watcher

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Changed returns the files that differ from HEAD in the index or on disk, sorted. Deleted files
// and new ones that are not ignored are included; generated and vendored files are left out. Errors
// are those of git.
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

// differing returns the files on disk that differ from the index: changed, deleted, or new and not
// ignored. Submodules are left out, and so are files with conflicts, because git wrote the conflict
// markers. The index is neither refreshed nor locked.
func (r *Repo) differing(ctx context.Context) (map[event.Path]bool, error) {
	found, err := r.status(ctx)
	if err != nil {
		return nil, err
	}
	differ := map[event.Path]bool{}
	for _, s := range found {
		if s.disk {
			differ[s.path] = true
		}
	}
	return differ, nil
}

// status returns the files that differ between HEAD, index and disk, without submodules. It runs
// two processes, which take about 20 ms for 5,000 files. aOa never runs a repository's filters, so
// git compares a filtered file as it is on disk: a file that git has to read, such as one of Git
// LFS right after a clone, counts as changed until the user's own git refreshes the index.
func (r *Repo) status(ctx context.Context) ([]fileStatus, error) {
	out, err := r.run(ctx, "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
	if err != nil {
		return nil, err
	}
	return parseStatus(out)
}

// fileStatus is one record of git status.
type fileStatus struct {
	path event.Path
	disk bool // the disk differs from the index and git did not write the file
}

// parseStatus reads git's porcelain format with NUL ends, "XY path": X compares the index with
// HEAD, Y the disk with the index. A new path that ends in '/' is another repository and is left
// out.
func parseStatus(out []byte) ([]fileStatus, error) {
	var found []fileStatus
	for len(out) > 0 {
		rec, rest, ok := bytes.Cut(out, []byte{0})
		if !ok || len(rec) < 4 || rec[2] != ' ' {
			return nil, fmt.Errorf("read git status: record %.40q is not in porcelain form", rec)
		}
		out = rest
		state, name := string(rec[:2]), rec[3:]
		p, err := event.NewPath(string(name))
		if err != nil || name[len(name)-1] == '/' {
			continue
		}
		conflict := strings.Contains(state, "U") || state == "AA" || state == "DD"
		found = append(found, fileStatus{p, state[1] != ' ' && !conflict})
	}
	return found, nil
}
