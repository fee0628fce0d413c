package watcher

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// place is where a worktree and its git dirs are. root is "" if there is only a bare repository.
type place struct{ root, git, common string }

// discover walks up from dir (absolute, symlinks resolved) to the nearest git repository by git's own rule: a
// .git folder, a .git file that names a folder, or a folder that is itself a git dir.
func discover(dir string) (place, error) {
	for d := dir; ; d = filepath.Dir(d) {
		dot := filepath.Join(d, ".git")
		if st, err := os.Stat(dot); err == nil {
			git := dot
			if !st.IsDir() {
				if git, err = gitFile(dot); err != nil {
					return place{}, err
				}
			}
			if p, ok := gitDir(git); ok {
				p.root = d
				return p, nil
			}
			if !st.IsDir() {
				return place{}, fmt.Errorf("%w: %s names %s, which is no git dir; repair it with: git worktree repair", ErrNotRepo, dot, git)
			}
		}
		if p, ok := gitDir(d); ok {
			return within(d, p), nil
		}
		if filepath.Dir(d) == d {
			return place{}, ErrNotRepo
		}
	}
}

// within finds the worktree of a git dir that was entered from inside (a hook may be started there).
func within(d string, p place) place {
	if filepath.Base(d) == ".git" {
		p.root = filepath.Dir(d)
	} else if link, err := readLine(filepath.Join(d, "gitdir")); err == nil && p.git != p.common {
		p.root = filepath.Dir(absolute(link, d))
	}
	return p
}

// hasGitDir reports whether the .git of a worktree is that git dir. A git dir names its worktree (core.worktree, gitdir): one
// from an archive could name the user's home, whose files would be listed and whose agents' settings changed.
func hasGitDir(root, git string) bool {
	dot := filepath.Join(root, ".git")
	st, err := os.Stat(dot)
	if err != nil {
		return false
	}
	if !st.IsDir() {
		if dot, err = gitFile(dot); err != nil {
			return false
		}
	}
	p, ok := gitDir(dot)
	return ok && p.git == resolved(place{git: git}).git
}

// gitDir reports whether d is a git dir by the files that git checks for.
func gitDir(d string) (place, bool) {
	if st, err := os.Lstat(filepath.Join(d, "HEAD")); err != nil || st.IsDir() {
		return place{}, false
	}
	p := place{git: d, common: d}
	if c, err := readLine(filepath.Join(d, "commondir")); err == nil {
		p.common = absolute(c, d)
	}
	for _, sub := range []string{"objects", "refs"} {
		if st, err := os.Stat(filepath.Join(p.common, sub)); err != nil || !st.IsDir() {
			return place{}, false
		}
	}
	return resolved(p), true
}

func resolved(p place) place {
	if s, err := filepath.EvalSymlinks(p.git); err == nil {
		p.git = s
	}
	if s, err := filepath.EvalSymlinks(p.common); err == nil {
		p.common = s
	}
	return p
}

// gitFile reads a .git file: "gitdir: <path>", relative to the file's folder.
func gitFile(name string) (string, error) {
	line, err := readLine(name)
	if err != nil {
		return "", err
	}
	to, ok := strings.CutPrefix(line, "gitdir: ")
	if !ok || to == "" {
		return "", fmt.Errorf("%w: %s does not begin with \"gitdir: \"", ErrNotRepo, name)
	}
	return absolute(to, filepath.Dir(name)), nil
}

// absolute is the name of a file that is given absolutely or relative to dir.
func absolute(name, dir string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// readLine is a small file's content without its line end. Anything over 16 KB is no such file.
func readLine(name string) (string, error) {
	st, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if st.Size() > 16<<10 || !st.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a file that names another", name)
	}
	b, err := os.ReadFile(name)
	return strings.TrimRight(string(b), "\r\n"), err
}
