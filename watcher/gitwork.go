package watcher

import "time"

// Times of git's work.
const (
	// grace is how long after a change of the index or its lock git still counts as at work:
	// rebase, stash and merge take the lock several times in a row.
	grace = 100 * time.Millisecond
	// nearGit is how long git is asked about every change after that: some of what it does, as
	// bringing back untracked files from the stash, it does without the lock.
	nearGit = 2 * time.Second
	// longLock is how long changes wait for a lock that does not end: the editor of `git commit -a`
	// is open, git was killed.
	longLock = 30 * time.Second
	// mostLock is how long changes wait at most, whatever goes on changing: a log beside an open
	// editor.
	mostLock = time.Minute
	// restInLock is how long nothing may have changed then: until git writes the index, what it
	// checks out differs from it.
	restInLock = 2 * time.Second
)

// gitWork is what is known of git's work in the worktree. Times are arguments.
type gitWork struct {
	at     time.Time // when the index or its lock last changed
	locked time.Time // when index.lock was first seen; zero: it is not there
	until  time.Time // until when changes wait
}

// look notes whether index.lock exists. It reports whether changes are to wait, the last of which
// was then.
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

// writer is who may have written a file.
type writer uint8

const (
	people   writer = iota
	either          // git may have, if it has the content
	maybeGit        // git may have, unless the file differs from the index and git does not have the content
)

// writer is who may have written the files of which the first changed then.
func (g *gitWork) writer(first time.Time) writer {
	switch {
	case !first.After(g.at.Add(grace)):
		return maybeGit
	case !first.After(g.at.Add(nearGit)):
		return either
	}
	return people
}
