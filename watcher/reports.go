package watcher

import (
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/aoa-dev/aoa/internal/event"
)

// maxPending is the number of paths that may wait. Beyond it the whole tree is scanned instead.
const maxPending = 100_000

// reports holds what the system has reported and the loop has not handled yet. The goroutine that
// drains the notifier adds to it. Adding needs neither the disk nor the clock, so that the kernel's
// queue does not fill up.
type reports struct {
	wake  chan struct{} // has a value while the loop has something to handle; never closed
	roots []watchRoot   // longest prefix first; set before draining begins
	limit int           // largest number of pending paths, see maxPending

	mu     sync.Mutex // guards the following fields
	saves  debouncer
	found  bool // the watcher found some of these changes itself; no report says when they happened
	git    gitWork
	moves  []move    // in order: paths that were created, renamed or removed and may be folders
	headAt time.Time // last sign that HEAD or a ref moved; zero if there was none since HEAD was read
	lostAt time.Time // when reports were first lost; zero if none were lost since the last recovery
	nudged bool      // a hook may have changed files
	rules  bool      // .git/info changed, so ignore rules must be read again
}

// watchRoot is a folder that is watched with everything below it.
type watchRoot struct {
	prefix string // absolute, in the system's form, with a separator at the end
	git    bool   // a git dir, not the worktree
	own    bool   // the worktree's own git dir, which has its index
}

// move is a change that may concern a folder.
type move struct {
	path string // relative to the worktree, with slashes; absolute in a git dir
	git  bool
	gone bool // removed or renamed away
}

func newReports(r *Repo, quiet, atMost time.Duration) *reports {
	in := &reports{wake: make(chan struct{}, 1), limit: maxPending, saves: newDebouncer(quiet, atMost)}
	in.addRoot(string(r.Root), false, false)
	in.addRoot(r.CommonDir, true, r.CommonDir == r.GitDir)
	if r.GitDir != r.CommonDir {
		in.addRoot(r.GitDir, true, true)
	}
	return in
}

// addRoot adds a watched folder. Longer prefixes come first, because a worktree may be inside of
// its git dir and a git dir inside of its worktree.
func (in *reports) addRoot(dir string, git, own bool) {
	r := watchRoot{prefix: strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator), git: git,
		own: own}
	i := 0
	for i < len(in.roots) && len(in.roots[i].prefix) > len(r.prefix) {
		i++
	}
	in.roots = append(in.roots[:i], append([]watchRoot{r}, in.roots[i:]...)...)
}

// add takes one report of the system.
func (in *reports) add(ev fsnotify.Event, at time.Time) {
	if ev.Op == fsnotify.Chmod || ev.Name == "" {
		return
	}
	for _, r := range in.roots {
		rel, ok := strings.CutPrefix(ev.Name, r.prefix)
		if !ok || rel == "" {
			continue
		}
		rel = filepath.ToSlash(rel)
		in.mu.Lock()
		defer in.mu.Unlock()
		if r.git {
			in.addGit(rel, ev, r.own, at)
		} else {
			in.addTree(rel, ev, at)
		}
		return
	}
	in.signal() // a root itself changed: step checks whether the repository still exists
}

func (in *reports) addGit(rel string, ev fsnotify.Event, own bool, at time.Time) {
	switch {
	case own && (rel == "index.lock" || rel == "index"): // kqueue may miss a short lock, so the index counts, too
		in.git.at, in.headAt = at, at
		in.signal()
	case strings.HasPrefix(rel, "info/"):
		in.rules = true
		in.signal()
	case concernsHead(rel):
		in.headAt = at
		in.signal()
	case ev.Has(fsnotify.Create) && holdsRefs(rel):
		in.moves = append(in.moves, move{path: ev.Name, git: true})
		in.headAt = at
		in.signal()
	}
}

func (in *reports) addTree(rel string, ev fsnotify.Event, at time.Time) {
	p, err := event.NewPath(rel)
	if err != nil {
		if rel == ".git" {
			in.signal()
		}
		return
	}
	if ev.Has(fsnotify.Create) || ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename) {
		in.moves = append(in.moves, move{path: string(p), gone: !ev.Has(fsnotify.Create)})
		in.signal()
	}
	if len(in.saves.pending) >= in.limit {
		in.addLostLocked(at)
		return
	}
	// If reports were lost, one about git's lock may be among them, so git may have written the
	// files that are reported now.
	in.found = in.found || !in.lostAt.IsZero()
	if in.saves.touch(p, at) {
		in.signal()
	}
}

// touch adds a changed path. found means that the watcher found the change itself, without a
// report.
func (in *reports) touch(p event.Path, found bool, at time.Time) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.found = in.found || found
	if in.saves.touch(p, at) {
		in.signal()
	}
}

// writer returns who may have written the files that wait. The caller holds in.mu.
func (in *reports) writer(at time.Time) writer {
	if in.found {
		return maybeGit
	}
	return in.git.writer(in.saves.oldest(at))
}

// addLost records that the system's queue overflowed.
func (in *reports) addLost(at time.Time) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.addLostLocked(at)
}

func (in *reports) addLostLocked(at time.Time) {
	if in.lostAt.IsZero() {
		in.lostAt = at
		in.signal()
	}
}

// signal wakes the loop.
func (in *reports) signal() {
	select {
	case in.wake <- struct{}{}:
	default:
	}
}

// concernsHead reports whether a change of this file in a git dir may mean that HEAD or a counted
// ref moved.
func concernsHead(rel string) bool {
	if strings.HasSuffix(rel, ".lock") {
		return false
	}
	switch rel {
	case "HEAD", "packed-refs", "FETCH_HEAD", "logs/HEAD":
		return true
	}
	if strings.HasPrefix(rel, "worktrees/") {
		return strings.HasSuffix(rel, "/HEAD")
	}
	return holdsRefs(rel)
}

// holdsRefs reports whether a path in a git dir is a folder of counted refs or is inside of one.
func holdsRefs(rel string) bool {
	for _, dir := range []string{"refs/heads", "refs/remotes/origin", "reftable", "worktrees"} {
		if rel == dir || strings.HasPrefix(rel, dir+"/") {
			return !strings.HasSuffix(rel, ".lock")
		}
	}
	return false
}
