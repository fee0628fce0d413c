package watcher

import "time"

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
