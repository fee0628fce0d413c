package watcher

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/schedule"
)

// maxPending is the number of paths that may wait. Beyond it the whole tree is scanned instead.
const maxPending = 100_000

// reports holds what the system has reported and the loop has not handled yet. The goroutine that
// drains the notifier adds to it. Adding needs neither the disk nor the clock, so that the kernel's
// queue does not fill up.
type reports struct {
	wake  schedule.Signal // the loop has something to handle
	roots []watchRoot     // longest prefix first; set before draining begins
	limit int             // largest number of pending paths, see maxPending

	mu     sync.Mutex // guards the following fields
	saves  debouncer
	found  bool // the watcher found some of these changes itself, so no report says when they happened
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
	gone bool      // removed or renamed away
	at   time.Time // when it was reported
}

func newReports(r *Repo, quiet time.Duration) *reports {
	root := func(dir string, git, own bool) watchRoot {
		end := string(filepath.Separator)
		return watchRoot{prefix: strings.TrimSuffix(dir, end) + end, git: git, own: own}
	}
	roots := []watchRoot{root(string(r.Root), false, false), root(r.GitDir, true, true)}
	if r.GitDir != r.CommonDir {
		roots = append(roots, root(r.CommonDir, true, false))
	}
	// Longer prefixes come first, because a worktree may be inside of its git dir and a git dir inside of
	// its worktree.
	slices.SortFunc(roots, func(a, b watchRoot) int { return len(b.prefix) - len(a.prefix) })
	return &reports{wake: schedule.NewSignal(), roots: roots, limit: maxPending,
		saves: debouncer{quiet: quiet, pending: map[event.Path]span{}, throttled: map[event.Path]*throttle{}}}
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
	in.wake.Give() // a root itself changed: step checks whether the repository still exists
}

func (in *reports) addGit(rel string, ev fsnotify.Event, own bool, at time.Time) {
	switch {
	case own && (rel == "index.lock" || rel == "index"): // kqueue may miss a short lock, so the index counts, too
		in.git.at, in.headAt = at, at
	case strings.HasPrefix(rel, "info/"):
		in.rules = true
	case concernsHead(rel):
		in.headAt = at
	case ev.Has(fsnotify.Create) && holdsRefs(rel):
		in.moves = append(in.moves, move{path: ev.Name, git: true})
		in.headAt = at
	default:
		return
	}
	in.wake.Give()
}

func (in *reports) addTree(rel string, ev fsnotify.Event, at time.Time) {
	p, err := event.NewPath(rel)
	if err != nil {
		if rel == ".git" {
			in.wake.Give()
		}
		return
	}
	if ev.Has(fsnotify.Create) || ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename) {
		in.moves = append(in.moves, move{path: string(p), gone: !ev.Has(fsnotify.Create), at: at})
		in.wake.Give()
	}
	if len(in.saves.pending) >= in.limit {
		in.addLostLocked(at)
		return
	}
	// If reports were lost, one about git's lock may be among them. So git may have written the
	// files that are reported now.
	in.found = in.found || !in.lostAt.IsZero()
	if in.saves.touch(p, at) {
		in.wake.Give()
	}
}

// touch adds a changed path. found means that the watcher found the change itself, without a
// report.
func (in *reports) touch(p event.Path, found bool, at time.Time) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.found = in.found || found
	if in.saves.touch(p, at) {
		in.wake.Give()
	}
}

// waits reports whether a change of the file was reported and not handled yet.
func (in *reports) waits(p event.Path) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	_, pending := in.saves.pending[p]
	l := in.saves.throttled[p]
	return pending || l != nil && l.touched
}

// writer returns who may have written the files that wait. The caller holds in.mu.
func (in *reports) writer(at time.Time) writer {
	if in.found {
		return maybeGit
	}
	return in.git.writer(in.saves.oldest(at))
}

// gitAt reports whether git may have written what was reported at a time.
func (in *reports) gitAt(at time.Time) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.git.writer(at) != people
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
		in.wake.Give()
	}
}

// concernsHead reports whether a change of this file in a git dir may mean that HEAD, or a ref whose
// commits count, has moved.
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

// holdsRefs reports whether a path in a git dir is, or is inside of, a folder of refs whose commits
// count (see Repo.tips).
func holdsRefs(rel string) bool {
	for _, dir := range []string{"refs/heads", "refs/remotes/origin", "reftable", "worktrees"} {
		if rel == dir || strings.HasPrefix(rel, dir+"/") {
			return !strings.HasSuffix(rel, ".lock")
		}
	}
	return false
}

// queue is the number of reports that may wait for the draining goroutine. Together with the
// kernel's own queue this is enough for a checkout of 30,000 files.
const queue = 16384

// notifier is the system's file notification. The zero notifier reports nothing, so everything is
// polled.
type notifier struct {
	events <-chan fsnotify.Event // closed by close
	errors <-chan error          // closed by close
	add    func(dir string) error
	remove func(dir string) error
	close  func() error
}

func openNotifier() (notifier, error) {
	n, err := fsnotify.NewBufferedWatcher(queue)
	if err != nil {
		return notifier{}, err
	}
	return notifier{events: n.Events, errors: n.Errors, add: n.Add, remove: n.Remove, close: n.Close}, nil
}

// drain passes on the system's reports until the notifier is closed.
func (w *Watcher) drain(src notifier) {
	events, errs := src.events, src.errors
	for events != nil || errs != nil {
		select {
		case ev, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			w.in.add(ev, w.o.Now())
		case err, ok := <-errs:
			if !ok {
				errs = nil
				continue
			}
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				w.in.addLost(w.o.Now())
				continue
			}
			w.o.Log.Debug("watching files", "error", err)
		}
	}
}

// isFull reports whether an error means that the system has run out of watches or file descriptors.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) ||
		errors.Is(err, syscall.ENOMEM)
}

// Times that tell the work of git from that of people.
const (
	// grace is the time after a change of the index or its lock during which git still counts as
	// working. Rebase, stash and merge take the lock several times in a row.
	grace = 100 * time.Millisecond
	// For this time after the last change of the index or its lock, git is asked about every
	// changed file. It does some of its work without the lock, for example restoring untracked
	// files from a stash.
	nearGit = 2 * time.Second
	// longLock is how long changes wait while the lock stays: the editor of `git commit -a` may be
	// open, or git was killed.
	longLock = 30 * time.Second
	// mostLock is the longest time that changes wait even if files go on changing, for example a
	// log while an editor is open.
	mostLock = time.Minute
	// restInLock is how long nothing may have changed before waiting ends after longLock. Until git
	// writes the index, the files that it checks out differ from it.
	restInLock = 2 * time.Second
)

// gitWork remembers when git was last seen working in the worktree. It has no clock; times are
// arguments.
type gitWork struct {
	at     time.Time // when the index or its lock last changed
	locked time.Time // when index.lock was first seen; zero if it does not exist
	until  time.Time // changes wait until then
}

// look records whether index.lock exists. It reports whether changes have to wait; last is the time
// of the last of them.
func (g *gitWork) look(lock bool, last, at time.Time) (wait bool) {
	switch {
	case !lock:
		g.locked = time.Time{}
	case g.locked.IsZero():
		g.locked = at
	}
	wait = at.Before(g.at.Add(grace))
	if lock {
		g.at = at
		wait = at.Before(g.locked.Add(longLock)) || at.Before(last.Add(restInLock)) && at.Before(g.locked.Add(mostLock))
	}
	if g.until = (time.Time{}); wait {
		g.until = at.Add(grace)
	}
	return wait
}

// writer tells who may have written a file.
type writer uint8

const (
	people   writer = iota
	either          // git may have written it, if git has its content
	maybeGit        // git may have written it, unless it differs from the index and git lacks its content
)

// writer returns who may have written files of which the first changed at the given time.
func (g *gitWork) writer(first time.Time) writer {
	switch {
	case !first.After(g.at.Add(grace)):
		return maybeGit
	case !first.After(g.at.Add(nearGit)):
		return either
	}
	return people
}
