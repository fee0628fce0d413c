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

// Listing is every file that a pattern may name, and what the list rests on.
type Listing struct {
	Files []event.Path // tracked and on the disk, or new and not ignored; generated and vendored ones too; sorted
	Basis []string     // absolute names of files and folders: as long as each of them looks the same, the list holds
}

// List is Files without its choice of what is worth suggesting: a lock file that a tool wrote decides what the next step
// does, too. It reads the rules for ignored files anew.
func (r *Repo) List(ctx context.Context) (Listing, error) {
	r.Reload()
	files, err := r.list(ctx)
	if err != nil {
		return Listing{}, fmt.Errorf("list files of %s: %w", r.Root, err)
	}
	slices.Sort(files)
	files = slices.Compact(files)
	return Listing{Files: files, Basis: r.basis(files)}, nil
}

// basis names the folders in which a file could appear or vanish, the ignore files, the index and git's settings. Folders
// that hold no listed file are among them: the next one may appear there. An ignored folder stands for all below it.
func (r *Repo) basis(files []event.Path) []string {
	folders := map[string]bool{"": true}
	for _, p := range files {
		for d := p.Dir(); !folders[d]; d = event.Path(d).Dir() {
			folders[d] = true
		}
	}
	out := []string{filepath.Join(r.GitDir, "index"), filepath.Join(r.CommonDir, "config"), filepath.Join(r.GitDir, "config.worktree"),
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
		entries, _ := os.ReadDir(abs) // one that cannot be read has no files for git either
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

// maxBasis bounds the folders that are looked at; a tree with more of them is listed every time anew by its user.
const maxBasis = 1_000_000

func isRepo(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}
