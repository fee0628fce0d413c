package client

import "os"

// place is where the daemon of a repository listens.
type place struct {
	dir    string // the worktree, or the git dir of a bare repository: where a daemon is started
	common string // the common git dir, symlinks resolved
	store  string
	socket string
}

// maxSocket is the longest socket path inside the store, in bytes, as in internal/api.
const maxSocket = 100

// Locate says which store and socket serve the repository around dir (absolute), the superproject's for a submodule. ok is false outside of any
// repository, in one without a store, and when the folder of the store or the socket belongs to someone else.
// It agrees with api.Locate, which the daemon uses; a test of theirs may hold them together.
func Locate(dir string) (store, socket string, ok bool) {
	p, ok := find(dir)
	return p.store, p.socket, ok
}

func find(dir string) (place, bool) {
	p, ok := repository(dir)
	if !ok {
		// An agent that works outside of any repository still belongs to its project.
		if p, ok = repository(os.Getenv("CLAUDE_PROJECT_DIR")); !ok {
			return p, false
		}
	}
	found, ok := p.withStore()
	if os.Getenv("AOA_STORE") != "" {
		return found, ok
	}
	// What is done in a submodule belongs to the outermost superproject that has a store.
	for p, in := p.superproject(); in; p, in = p.superproject() {
		if outer, has := p.withStore(); has {
			found, ok = outer, true
		}
	}
	return found, ok
}

// superproject is the repository of which this one is a submodule: it encloses this one and holds its git dir.
func (p place) superproject() (place, bool) {
	const modules = string(os.PathSeparator) + "modules" + string(os.PathSeparator)
	for i := 0; i+len(modules) < len(p.common); i++ {
		if p.common[i:i+len(modules)] == modules { // most repositories are no submodules: they end here
			outer, ok := repository(parent(p.dir))
			n := len(outer.common)
			return outer, ok && n < len(p.common) && p.common[:n] == outer.common && os.IsPathSeparator(p.common[n])
		}
	}
	return place{}, false
}

// withStore finds the store and the socket of a repository. ok is false when there is no store, or when one of the two belongs to someone else.
func (p place) withStore() (place, bool) {
	p.store = p.common + string(os.PathSeparator) + "aoa"
	if v := os.Getenv("AOA_STORE"); v != "" {
		p.store = v
	} else if !isDir(p.store) {
		state := stateDir()
		if state == "" {
			return p, false
		}
		p.store = join(state, "aoa", fingerprint(p.common))
	}
	if !ours(p.store) {
		return p, false
	}
	p.socket = join(p.store, "sock")
	if len(p.socket) > maxSocket {
		folder := join(tempRoot(), "aoa-"+itoa(os.Getuid()))
		if exists(folder) && !ours(folder) {
			return p, false
		}
		p.socket = join(folder, fingerprint(p.common))
	}
	return p, true
}

func stateDir() string {
	if v := os.Getenv("XDG_STATE_HOME"); v != "" {
		return v
	}
	home := os.Getenv("HOME")
	if home == "" {
		home = os.Getenv("USERPROFILE")
	}
	if home == "" {
		return ""
	}
	return join(home, ".local", "state")
}

// repository walks up from dir by git's own rule: a .git folder, a .git file that names one, or a folder that
// is itself a git dir.
func repository(dir string) (p place, ok bool) {
	if !absolute(dir) {
		return p, false
	}
	for {
		if st, err := os.Stat(join(dir, ".git")); err == nil {
			git := join(dir, ".git")
			if !st.IsDir() {
				git = link(dir, git)
			}
			return gitDir(dir, git)
		}
		if exists(join(dir, "HEAD")) && isDir(join(dir, "refs")) {
			return gitDir(dir, dir)
		}
		up := parent(dir)
		if up == dir {
			return p, false
		}
		dir = up
	}
}

// gitDir resolves a git dir to its common one: linked worktrees share a store.
func gitDir(dir, git string) (place, bool) {
	if git == "" {
		return place{}, false
	}
	common := git
	if c := firstLine(join(git, "commondir")); c != "" {
		if common = c; !absolute(c) {
			common = join(git, c)
		}
	}
	// The kernel's answer has no symlinks: what is hashed and measured must be what the daemon sees.
	if os.Chdir(common) != nil {
		return place{}, false
	}
	return place{dir: dir, common: physical(common)}, true
}

// link reads a .git file: "gitdir: PATH", relative to its folder.
func link(dir, name string) string {
	const prefix = "gitdir: "
	line := firstLine(name)
	if len(line) <= len(prefix) || line[:len(prefix)] != prefix {
		return ""
	}
	if to := line[len(prefix):]; absolute(to) {
		return to
	} else {
		return join(dir, to)
	}
}

// firstLine is a small file's content without its line end, "" if there is none.
func firstLine(name string) string {
	b := readSmall(name)
	for i, c := range b {
		if c == '\n' || c == '\r' {
			b = b[:i]
			break
		}
	}
	return string(b)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func isDir(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}

func join(parts ...string) string {
	s := parts[0]
	for _, p := range parts[1:] {
		if s != "" && !os.IsPathSeparator(s[len(s)-1]) {
			s += string(os.PathSeparator)
		}
		s += p
	}
	return s
}

func parent(dir string) string {
	i := len(dir) - 1
	for i > 0 && !os.IsPathSeparator(dir[i]) {
		i--
	}
	if root := volume(dir) + 1; i < root { // "/x" and "C:\x" end at their root
		return dir[:min(root, len(dir))]
	}
	return dir[:i]
}

func absolute(dir string) bool {
	n := volume(dir)
	return len(dir) > n && os.IsPathSeparator(dir[n])
}

// volume is the length of a Windows drive, 0 elsewhere.
func volume(dir string) int {
	if os.PathSeparator == '\\' && len(dir) >= 2 && dir[1] == ':' {
		return 2
	}
	return 0
}

func itoa(n int) string {
	if n < 0 {
		return "-" + itoa(-n)
	}
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}
