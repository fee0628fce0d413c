package watcher

import (
	"io/fs"
	"os"
	"path/filepath"
)

// gitFolders lists the folders of git dirs that are watched: the git dirs themselves, the refs
// below heads and origin, the reflog of HEAD, the ignore rules in info, and the git dirs of other
// worktrees. Objects and hooks are not watched.
func gitFolders(r *Repo) []string {
	out := []string{r.GitDir}
	if r.CommonDir != r.GitDir {
		out = append(out, r.CommonDir)
	}
	for _, dir := range []string{filepath.Join(r.GitDir, "logs"), filepath.Join(r.CommonDir, "info")} {
		if isDir(dir) {
			out = append(out, dir)
		}
	}
	for _, name := range []string{"refs/heads", "refs/remotes/origin", "reftable"} {
		out = append(out, foldersBelow(filepath.Join(r.CommonDir, filepath.FromSlash(name)))...)
	}
	trees := filepath.Join(r.CommonDir, "worktrees")
	if !isDir(trees) {
		return out
	}
	out = append(out, trees)
	names, _ := os.ReadDir(trees)
	for _, n := range names {
		if dir := filepath.Join(trees, n.Name()); n.IsDir() && dir != r.GitDir {
			out = append(out, dir)
		}
	}
	return out
}

// foldersBelow lists a folder and all folders in it; the list is empty if it does not exist.
// Symlinks are not followed.
func foldersBelow(root string) []string {
	var out []string
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			out = append(out, path)
		}
		return nil // the folder was removed meanwhile
	})
	return out
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func isDir(path string) bool {
	fi, err := os.Lstat(path)
	return err == nil && fi.IsDir()
}
