package watcher

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Files lists the files that may be suggested, sorted: tracked files, and new ones that git does
// not ignore. It leaves out submodules, files outside of a sparse checkout, tracked files that are
// not on disk, generated and vendored files, and files that .aoaignore names. Names are kept byte
// by byte.
//
// It runs one process, which takes 3 ms for 5,000 files.
func (r *Repo) Files(ctx context.Context) ([]event.Path, error) {
	return r.allowed(r.list(ctx))
}

// Tracked is like Files but reads only the index: it leaves out new files and includes files that
// are not on disk. In a large checkout it is much faster, because it reads no file and no folder.
func (r *Repo) Tracked(ctx context.Context) ([]event.Path, error) {
	return r.allowed(r.listGit(ctx, false, "-c"))
}

// allowed returns those files of a list that may be suggested. Its arguments are the results of a
// listing.
func (r *Repo) allowed(all []event.Path, err error) ([]event.Path, error) {
	if err != nil {
		return nil, fmt.Errorf("list files of %s: %w", r.Root, err)
	}
	out := all[:0]
	for _, p := range all {
		if !r.Excluded(p) {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// list returns every file that is tracked and on disk, or new and not ignored.
func (r *Repo) list(ctx context.Context) ([]event.Path, error) {
	return r.listGit(ctx, false, "-c", "-d", "-o", "--exclude-standard")
}

// listGit runs git ls-files with the arguments in which. With sparse, files outside of a sparse
// checkout are included.
func (r *Repo) listGit(ctx context.Context, sparse bool, which ...string) ([]event.Path, error) {
	out, err := r.run(ctx, append([]string{"ls-files", "-z", "-t", "-s"}, which...)...)
	if err != nil {
		return nil, err
	}
	return parseLsFiles(out, sparse), nil
}

// parseLsFiles reads records "<tag> <path>\0" (tag ?: other) and "<tag> <mode> <oid>
// <stage>\t<path>\0" (H cached, S outside the sparse checkout, M unmerged, R missing on disk).
func parseLsFiles(out []byte, sparse bool) []event.Path {
	paths := make([]event.Path, 0, bytes.Count(out, []byte{0}))
	gone := map[event.Path]bool{}
	for len(out) > 0 {
		rec, rest, _ := bytes.Cut(out, []byte{0})
		out = rest
		if len(rec) < 3 || rec[1] != ' ' {
			continue
		}
		tag, name := rec[0], rec[2:]
		if tag != '?' {
			head, path, ok := bytes.Cut(name, []byte{'\t'})
			if !ok || bytes.HasPrefix(head, []byte("160000 ")) || tag == 'S' && !sparse {
				continue
			}
			name = path
		} else if name[len(name)-1] == '/' {
			continue // a repository inside the repository
		}
		p, err := event.NewPath(string(name))
		if err != nil {
			continue
		}
		if tag == 'R' {
			gone[p] = true
			continue
		}
		paths = append(paths, p)
	}
	if len(gone) == 0 {
		return paths
	}
	return slices.DeleteFunc(paths, func(p event.Path) bool { return gone[p] })
}
