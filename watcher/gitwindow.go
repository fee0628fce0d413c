package watcher

import "time"

// Lengths of the window.
const (
	// grace is how long after the end of index.lock a change still counts as git's: rebase, stash
	// and merge take the lock several times in a row.
	grace = 100 * time.Millisecond
	// nearGit is how long after a window began or ended git is asked about every change.
	nearGit = 2 * time.Second
	// reviewEvery is how often the changes in a window that does not end (the editor of `git commit
	// -a` is open, git was killed) are resolved as if it had ended.
	reviewEvery = 30 * time.Second
	// reviewQuiet is how long nothing may have changed before a review: until git writes the index,
	// what it checks out differs from it.
	reviewQuiet = 2 * time.Second
)

// gitWindow is the time in which git changes the worktree: from the creation of index.lock to its
// end, plus grace. A change inside it is git's unless `git status` shows otherwise. Times are
// arguments.
type gitWindow struct {
	open   bool      // index.lock exists
	locked time.Time // when it was last created
	since  time.Time // begin of the window, or its last review
	ended  time.Time // end of index.lock; zero when open, and after close
}

// lock: index.lock was created.
func (g *gitWindow) lock(at time.Time) {
	if g.idle() {
		g.since = at
	}
	g.open, g.locked, g.ended = true, at, time.Time{}
}

// unlock: index.lock was renamed to index, or removed.
func (g *gitWindow) unlock(at time.Time) {
	if g.open {
		g.open, g.ended = false, at
	}
}

// missing: index.lock was looked for and does not exist. That ends only an old lock: the creation
// of a new one may have been reported since.
func (g *gitWindow) missing(at time.Time) {
	if at.Sub(g.locked) >= time.Second {
		g.unlock(at)
	}
}

// near reports whether a window was open lately: some of what git does, as bringing back untracked
// files from the stash, it does without the lock.
func (g *gitWindow) near(at time.Time) bool { return !g.idle() || at.Sub(g.since) < nearGit }

func (g *gitWindow) idle() bool { return !g.open && g.ended.IsZero() }

// covers reports whether a change at that time is git's.
func (g *gitWindow) covers(at time.Time) bool {
	return g.open || (!g.ended.IsZero() && !at.After(g.ended.Add(grace)))
}

// due returns when close has something to do.
func (g *gitWindow) due() (at time.Time, ok bool) {
	switch {
	case g.open:
		return g.since.Add(reviewEvery), true
	case !g.ended.IsZero():
		return g.ended.Add(grace), true
	}
	return time.Time{}, false
}

// close ends the window, or its part before a review, and reports whether it was due.
func (g *gitWindow) close(at time.Time) bool {
	due, ok := g.due()
	if !ok || at.Before(due) {
		return false
	}
	g.since, g.ended = at, time.Time{}
	return true
}
