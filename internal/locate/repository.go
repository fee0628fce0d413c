package locate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// ErrNotRepo is returned when a folder is in no git repository.
var ErrNotRepo = errors.New("not a git repository")

// Repository holds the paths of a worktree and its git dirs: absolute paths without symlinks.
type Repository struct {
	Root      string // the worktree; "" if there is only a bare repository
	GitDir    string // of this worktree: HEAD, index
	CommonDir string // the git dir that all its worktrees share
}

// Discover walks up from dir (absolute, symlinks resolved) to the nearest git repository by git's
// own rules: a .git folder, a .git file that names a folder, or a folder that is itself a git dir.
// The error wraps ErrNotRepo or comes from the file system.
func Discover(dir string) (Repository, error) {
	for d := dir; ; d = filepath.Dir(d) {
		dot := filepath.Join(d, ".git")
		if st, err := os.Stat(dot); err == nil {
			git := dot
			if !st.IsDir() {
				if git, err = gitFile(dot); err != nil {
					return Repository{}, err
				}
			}
			if r, ok := gitDir(git); ok {
				r.Root = d
				return r, nil
			}
			if !st.IsDir() {
				return Repository{}, fmt.Errorf("%w: %s names %s, which is not a git dir; repair it with: git worktree repair",
					ErrNotRepo, dot, git)
			}
		}
		if r, ok := gitDir(d); ok {
			return within(d, r), nil
		}
		if filepath.Dir(d) == d {
			return Repository{}, ErrNotRepo
		}
	}
}

// within finds the worktree of a git dir when the search began inside the git dir, where hooks may
// be started.
func within(d string, r Repository) Repository {
	if filepath.Base(d) == ".git" {
		r.Root = filepath.Dir(d)
	} else if link, err := Link(filepath.Join(d, "gitdir")); err == nil && r.GitDir != r.CommonDir {
		r.Root = filepath.Dir(link)
	}
	return r
}

// Superproject returns the repository that has r as a submodule. Its worktree encloses r, and its
// git dir holds the git dir of r.
func (r Repository) Superproject() (Repository, bool) {
	modules := string(filepath.Separator) + "modules" + string(filepath.Separator)
	if r.Root == "" || !strings.Contains(r.CommonDir, modules) { // most repositories are not submodules
		return Repository{}, false
	}
	outer, err := Discover(filepath.Dir(r.Root))
	return outer, err == nil && strings.HasPrefix(r.CommonDir, outer.CommonDir+string(filepath.Separator))
}

// HasGitDir reports whether the .git of a worktree points to the given git dir. A git dir itself
// names its worktree (core.worktree, gitdir), but one from an archive could name the user's home;
// aOa would then list the files there and change the settings of agents.
func HasGitDir(root, git string) bool {
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
	r, ok := gitDir(dot)
	return ok && r.GitDir == resolved(Repository{GitDir: git}).GitDir
}

// gitDir reports whether d is a git dir, by the same files that git checks for.
func gitDir(d string) (Repository, bool) {
	if st, err := os.Lstat(filepath.Join(d, "HEAD")); err != nil || st.IsDir() {
		return Repository{}, false
	}
	r := Repository{GitDir: d, CommonDir: d}
	if common, err := Link(filepath.Join(d, "commondir")); err == nil {
		r.CommonDir = common
	}
	for _, sub := range []string{"objects", "refs"} {
		if st, err := os.Stat(filepath.Join(r.CommonDir, sub)); err != nil || !st.IsDir() {
			return Repository{}, false
		}
	}
	return resolved(r), true
}

func resolved(r Repository) Repository {
	if s, err := filepath.EvalSymlinks(r.GitDir); err == nil {
		r.GitDir = s
	}
	if s, err := filepath.EvalSymlinks(r.CommonDir); err == nil {
		r.CommonDir = s
	}
	return r
}

// gitFile reads a .git file: "gitdir: PATH".
func gitFile(name string) (string, error) {
	line, err := readLine(name)
	if err != nil {
		return "", err
	}
	to, ok := strings.CutPrefix(line, "gitdir: ")
	if !ok || to == "" {
		return "", fmt.Errorf("%w: %s does not begin with \"gitdir: \"", ErrNotRepo, name)
	}
	return Absolute(to, filepath.Dir(name)), nil
}

// Link reads a git file that contains the name of another file, absolute or relative to its own
// folder.
func Link(name string) (string, error) {
	line, err := readLine(name)
	if err != nil {
		return "", err
	}
	return Absolute(line, filepath.Dir(name)), nil
}

// Absolute returns name as an absolute path; a relative one is taken from dir.
func Absolute(name, dir string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// readLine returns the content of a small file without its line end. It refuses files over 16 KB.
func readLine(name string) (string, error) {
	b, err := regularfile.Read(name, regularfile.FollowLinks, 16<<10)
	return strings.TrimRight(string(b), "\r\n"), err
}
