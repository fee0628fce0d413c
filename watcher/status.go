package watcher

import (
	"bytes"
	"context"
	"fmt"

	"github.com/aoa-dev/aoa/internal/aoa"
)

// differing asks git which files differ from the index: changed, deleted or new and not ignored. Conflicts are
// left out, because git wrote their markers, and so is what lies in submodules. The index is not refreshed and
// not locked. It costs one process, about 20 ms for 5,000 files.
func (r *Repo) differing(ctx context.Context) (map[aoa.Path]bool, error) {
	out, err := r.run(ctx, "status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames",
		"--ignore-submodules=all", "--no-ahead-behind")
	if err != nil {
		return nil, err
	}
	return parseStatus(out)
}

// parseStatus reads git's porcelain v2 with NUL ends: "1 XY … path", "2 XY … path NUL original", "u …",
// "? path", "! path", "# header". Y is the worktree against the index, "." if they are equal.
func parseStatus(out []byte) (map[aoa.Path]bool, error) {
	differ := map[aoa.Path]bool{}
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
		case '?':
			fields = 1
		case 'u', '!', '#':
			continue
		default:
			return nil, fmt.Errorf("read git status: record %.40q is not in porcelain v2", rec)
		}
		parts := bytes.SplitN(rec, []byte{' '}, fields+1)
		if len(parts) != fields+1 {
			return nil, fmt.Errorf("read git status: record %.40q is too short", rec)
		}
		if rec[0] != '?' && (len(parts[1]) != 2 || parts[1][1] == '.') {
			continue
		}
		p, err := aoa.NewPath(string(parts[fields]))
		if err != nil {
			continue // "nested/": another repository
		}
		differ[p] = true
	}
	return differ, nil
}
