package watcher

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// rules has all ignore rules of a worktree. The rules of a folder are read at the first question
// about it.
type rules struct {
	root       string
	fold       bool      // core.ignoreCase
	turn       int64     // number of the loadRules call that read them
	globalFile string    // the name of core.excludesFile, or ""
	global     []pattern // core.excludesFile
	info       []pattern // .git/info/exclude
	own        []pattern // .aoaignore

	mu   sync.RWMutex
	dirs map[string]*dirRules // by folder; folders inside of ignored ones have no entry
}

// dirRules has the rules for everything in a folder.
type dirRules struct {
	parent  *dirRules
	skip    int // length of the folder's path with its slash
	ignored bool
	hidden  bool   // .aoaignore names the folder
	kept    bool   // .aoaignore includes it although generated files have such names
	absent  bool   // not on disk: rules below it are not read
	nested  string // the other repository that contains this folder, "" if none
	ignore  []pattern
}

// Ignored reports whether a new file with this path would be kept out of the store: git ignores it
// (nested .gitignore files, .git/info/exclude, core.excludesFile), .aoaignore names it, it is
// generated or vendored, or it is in a submodule. The index is not asked: a tracked file is tracked
// even if a .gitignore matches it, and Files lists it. It takes some µs once the rules of the
// folder are known; the first question about a folder reads its .gitignore.
func (r *Repo) Ignored(p event.Path) bool { return r.ruleset().ignored(p) }

func (rs *rules) ignored(p event.Path) bool {
	s := string(p)
	d := rs.dir(p.Dir())
	if d.ignored || d.hidden {
		return true
	}
	return rs.gitIgnored(d, s, p.Base(), false) || rs.excludedIn(d, s, p.Base())
}

// Nested returns the folder of the other repository, a submodule or a clone, that contains a path.
// It returns "" if none exists, if git ignores the folder, or if .aoaignore names the path.
func (r *Repo) Nested(p event.Path) string {
	rs := r.ruleset()
	nested := rs.dir(p.Dir()).nested
	for path, isDir := string(p), false; len(path) > len(nested); path, isDir = event.Path(path).Dir(), true {
		if verdict(rs.own, rs.lower(path), rs.lower(event.Path(path).Base()), isDir) == drop {
			return ""
		}
	}
	return nested
}

// ignoredDir reports whether a folder is ignored. Nothing below an ignored folder need be watched.
func (r *Repo) ignoredDir(dir string) bool {
	if dir == "" || dir == "." {
		return false
	}
	dir = filepath.ToSlash(dir)
	rs := r.ruleset()
	d := rs.dir(dir)
	if d.ignored || d.hidden {
		return true
	}
	return !d.kept && index.Generated(event.Path(dir+"/-"))
}

// Excluded reports whether a path is left out even if it is tracked: .aoaignore names it, or it has
// the name of a generated or vendored file (see index.Generated) and .aoaignore does not include it
// ("!vendor/ours/").
func (r *Repo) Excluded(p event.Path) bool {
	rs := r.ruleset()
	d := rs.dir(p.Dir())
	return d.hidden || rs.excludedIn(d, string(p), p.Base())
}

// loadRules reads all rules again. Call it when a .gitignore, .aoaignore or .git/info file has
// changed. The old rules apply until it returns. It holds no lock and may run git for up to 5 s.
func (r *Repo) loadRules() {
	rs := &rules{root: string(r.Root), fold: r.config.ignoreCase, dirs: map[string]*dirRules{}, turn: r.reloads.Add(1),
		globalFile: r.excludesFile()}
	rs.global = readPatterns(rs.globalFile, rs.fold)
	rs.info = readPatterns(filepath.Join(r.CommonDir, "info", "exclude"), rs.fold)
	rs.own = readPatterns(filepath.Join(rs.root, ".aoaignore"), rs.fold)
	for {
		old := r.rules.Load()
		if old != nil && old.turn > rs.turn || r.rules.CompareAndSwap(old, rs) {
			return
		}
	}
}

func (r *Repo) ruleset() *rules {
	if r.rules.Load() == nil {
		r.loadRules()
	}
	return r.rules.Load()
}

// defaultExcludes returns the user's global ignore file that git uses if its settings name none; ""
// if the environment names no home.
func defaultExcludes(env []string, root string) string {
	dir := config.Getenv(env, "XDG_CONFIG_HOME")
	if home := config.Home(env); dir == "" && home != "" {
		dir = filepath.Join(home, ".config")
	}
	if dir == "" {
		return ""
	}
	return locate.Absolute(filepath.Join(dir, "git", "ignore"), root) // git, too, is run at the root
}

// excludesFile returns the name of the user's global ignore file, or "". It asks git, because the
// setting may be in an included or conditional file.
func (r *Repo) excludesFile() string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := r.run(ctx, "config", "--type=path", "--get", "core.excludesFile")
	if name := strings.TrimRight(string(out), "\n"); err == nil && name != "" {
		return locate.Absolute(name, string(r.Root))
	}
	return r.excludes
}

// dir returns the rules of a folder. It reads missing rules of the folders on the way down.
func (rs *rules) dir(dir string) *dirRules {
	rs.mu.RLock()
	d := rs.dirs[dir]
	rs.mu.RUnlock()
	if d != nil {
		return d
	}
	if dir == "" {
		d = &dirRules{}
	} else {
		cut := strings.LastIndexByte(dir, '/')
		parent := rs.dir(dir[:max(cut, 0)])
		if parent.ignored && parent.hidden {
			return parent // nothing inside an ignored folder can be included again
		}
		base := dir[cut+1:]
		own := verdict(rs.own, rs.lower(dir), rs.lower(base), true)
		d = &dirRules{parent: parent, skip: len(dir) + 1, absent: parent.absent,
			ignored: parent.ignored || rs.gitIgnored(parent, dir, base, true),
			hidden:  parent.hidden || own == drop, kept: own == keep || parent.kept && own == silent}
	}
	if !d.absent && !(d.ignored && d.hidden) {
		rs.read(d, dir)
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if other := rs.dirs[dir]; other != nil {
		return other
	}
	if len(rs.dirs) < maxDirs {
		rs.dirs[dir] = d
	}
	return d
}

// maxDirs is the number of folders whose rules are kept. The rules of further folders are read at
// every question.
const maxDirs = 500_000

func (rs *rules) read(d *dirRules, dir string) {
	abs := filepath.Join(rs.root, filepath.FromSlash(dir))
	if st, err := os.Lstat(abs); err != nil || !st.IsDir() {
		d.absent = true
		return
	}
	if dir != "" && isRepo(abs) {
		if !d.ignored && !d.hidden {
			d.nested = dir
		}
		d.ignored, d.hidden = true, true // a submodule or another repository
		return
	}
	if !d.ignored {
		d.ignore = readPatterns(filepath.Join(abs, ".gitignore"), rs.fold)
	}
}

// gitIgnored reports whether git ignores a path. The first file with a matching pattern decides:
// the .gitignore of the nearest folder, then those of the folders above it, then info/exclude, then
// the global file.
func (rs *rules) gitIgnored(d *dirRules, path, base string, isDir bool) bool {
	path, base = rs.lower(path), rs.lower(base)
	for ; d != nil; d = d.parent {
		if v := verdict(d.ignore, path[d.skip:], base, isDir); v != silent {
			return v == drop
		}
	}
	if v := verdict(rs.info, path, base, isDir); v != silent {
		return v == drop
	}
	return verdict(rs.global, path, base, isDir) == drop
}

func (rs *rules) excludedIn(d *dirRules, path, base string) bool {
	switch verdict(rs.own, rs.lower(path), rs.lower(base), false) {
	case drop:
		return true
	case keep:
		return false
	}
	return !d.kept && index.Generated(event.Path(path))
}

func (rs *rules) lower(s string) string { return lowerIf(rs.fold, s) }

// opinion is what a list of patterns says about a path: nothing, ignore it, or keep it.
type opinion uint8

const (
	silent opinion = iota
	keep
	drop
)

// verdict returns the opinion of the last pattern that matches.
func verdict(ps []pattern, path, base string, isDir bool) opinion {
	for i := len(ps) - 1; i >= 0; i-- {
		if ps[i].match(path, base, isDir) {
			if ps[i].negated {
				return keep
			}
			return drop
		}
	}
	return silent
}

func readPatterns(name string, fold bool) []pattern {
	var out []pattern
	for line := range strings.SplitSeq(readRules(name), "\n") {
		if p, ok := parsePattern(line, fold); ok {
			out = append(out, p)
		}
	}
	return out
}

// maxRules is the largest file of ignore rules that is read, in bytes.
const maxRules = 1 << 20

// readRules reads a file of ignore rules as git does: a regular file (only the global file may be a
// symlink), at most maxRules bytes, without a byte order mark. A file that cannot be read counts as
// empty.
func readRules(name string) string {
	if name == "" {
		return ""
	}
	links := regularfile.FollowLinks
	if isRules(filepath.Base(name)) {
		links = regularfile.NoLinks
	}
	text, err := regularfile.Read(name, links, maxRules)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(string(text), "\ufeff")
}
