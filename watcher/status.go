package watcher

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Changed returns the files that differ from HEAD in the index or on disk, deleted ones and new ones that are not
// ignored among them, sorted. Generated and vendored files are left out. Errors are those of git.
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

// differing returns the files that differ from the index: changed, deleted or new and not ignored. Conflicts are left
// out, because git wrote their markers, and so are submodules. The index is not refreshed and not locked.
func (r *Repo) differing(ctx context.Context) (map[event.Path]bool, error) {
	found, err := r.status(ctx)
	if err != nil {
		return nil, err
	}
	differ := map[event.Path]bool{}
	for _, s := range found {
		if s.disk != '.' && !s.conflict {
			differ[s.path] = true
		}
	}
	return differ, nil
}

// status asks git which files differ between HEAD, index and disk, without submodules. It costs two processes, about
// 20 ms for 5,000 files, and some more where files with a filter are changed.
func (r *Repo) status(ctx context.Context) ([]fileStatus, error) {
	if err := r.checkRules(); err != nil {
		return nil, err
	}
	out, err := r.run(ctx, "status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--no-ahead-behind")
	if err != nil {
		return nil, err
	}
	found, err := parseStatus(out)
	if err != nil {
		return nil, err
	}
	return r.trustStat(ctx, found)
}

// fileStatus is one record of git status.
type fileStatus struct {
	path     event.Path
	index    byte // the index against HEAD: '.' if they are equal, '?' for a new file
	disk     byte // the disk against the index, the same way
	mode     bool // the disk has another mode than the index
	conflict bool
}

// parseStatus reads git's porcelain v2 with NUL ends: "1 XY … path", "2 XY … path NUL original", "u XY … path",
// "? path", "! path", "# header". A new path that ends in '/' is another repository and left out.
func parseStatus(out []byte) ([]fileStatus, error) {
	var found []fileStatus
	for len(out) > 0 {
		rec, rest, ok := bytes.Cut(out, []byte{0})
		if !ok || len(rec) < 2 || rec[1] != ' ' {
			return nil, fmt.Errorf("read git status: record %.40q is not in porcelain v2", rec)
		}
		out = rest
		fields := 0
		switch rec[0] {
		case '1':
			fields = 8 // 1 XY sub mH mI mW hH hI path
		case '2':
			fields = 9 // 2 XY sub mH mI mW hH hI score path
			_, out, _ = bytes.Cut(out, []byte{0})
		case 'u':
			fields = 10 // u XY sub m1 m2 m3 mW h1 h2 h3 path
		case '?':
			fields = 1
		case '!', '#':
			continue
		default:
			return nil, fmt.Errorf("read git status: record %.40q is not in porcelain v2", rec)
		}
		parts := bytes.SplitN(rec, []byte{' '}, fields+1)
		if len(parts) != fields+1 {
			return nil, fmt.Errorf("read git status: record %.40q is too short", rec)
		}
		s := fileStatus{index: '?', disk: '?'}
		if rec[0] != '?' {
			if len(parts[1]) != 2 {
				return nil, fmt.Errorf("read git status: record %.40q has no state", rec)
			}
			s.index, s.disk, s.conflict = parts[1][0], parts[1][1], rec[0] == 'u'
			s.mode = !s.conflict && !bytes.Equal(parts[4], parts[5])
		}
		name := parts[fields]
		p, err := event.NewPath(string(name))
		if err != nil || name[len(name)-1] == '/' {
			continue
		}
		s.path = p
		found = append(found, s)
	}
	return found, nil
}
