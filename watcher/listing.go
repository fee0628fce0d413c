package watcher

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// List is like Files but includes generated and vendored files, because a pipeline step may depend
// on a lock file that a tool wrote. It reads the ignore rules again. basis has the absolute names
// of files and folders on which the list depends: the list is valid as long as none of them
// changes.
func (r *Repo) List(ctx context.Context) (files []event.Path, basis []string, err error) {
	r.loadRules()
	if files, err = r.list(ctx); err != nil {
		return nil, nil, fmt.Errorf("list files of %s: %w", r.Root, err)
	}
	slices.Sort(files)
	files = slices.Compact(files)
	return files, r.basis(files), nil
}

// basis returns the folders in which a file could appear or be deleted, the ignore files, the index
// and git's settings. Folders without a listed file are included, because a file may appear there.
// Folders below an ignored folder are not.
func (r *Repo) basis(files []event.Path) []string {
	folders := map[string]bool{"": true}
	for _, p := range files {
		for d := p.Dir(); !folders[d]; d = event.Path(d).Dir() {
			folders[d] = true
		}
	}
	out := []string{filepath.Join(r.GitDir, "index"), filepath.Join(r.CommonDir, "config"),
		filepath.Join(r.GitDir, "config.worktree"),
		filepath.Join(r.CommonDir, "info", "exclude")}
	rs := r.ruleset()
	if rs.globalFile != "" {
		out = append(out, rs.globalFile)
	}
	queue := make([]string, 0, len(folders))
	for d := range folders {
		queue = append(queue, d)
	}
	for len(queue) > 0 && len(out) < maxBasis {
		d := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		abs := filepath.Join(string(r.Root), filepath.FromSlash(d))
		out = append(out, abs)
		if d != "" && (rs.dir(d).ignored || isRepo(abs)) {
			continue
		}
		entries, _ := os.ReadDir(abs) // git does not list the files of an unreadable folder either
		for _, e := range entries {
			sub := strings.TrimPrefix(d+"/"+e.Name(), "/")
			switch {
			case e.Name() == ".gitignore":
				out = append(out, filepath.Join(abs, e.Name()))
			case e.IsDir() && sub != ".git" && !folders[sub]:
				folders[sub] = true
				queue = append(queue, sub)
			}
		}
	}
	slices.Sort(out)
	return out
}

// maxBasis is the number of folders that are read. A larger tree has no basis, so its caller lists
// it every time.
const maxBasis = 1_000_000

func isRepo(dir string) bool { return exists(filepath.Join(dir, ".git")) }
