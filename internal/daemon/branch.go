package daemon

import (
	"context"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// branchTime is how long a question waits for git to tell what a branch adds.
const branchTime = time.Second

// readBranch is a branch as it was read at a commit of it.
type readBranch struct {
	event.Branch
	ref, commit string
}

// knownBranch is the branch as it was read last, for hooks: it reads nothing.
func (w *worktree) knownBranch() event.Branch {
	if b := w.branch.Load(); b != nil {
		return b.Branch
	}
	return event.Branch{}
}

// onBranch returns what the checked out branch adds to the default branch, nothing where git does not tell in time.
// It starts git only if HEAD has moved since it was last read.
func (w *worktree) onBranch(ctx context.Context) event.Branch {
	ref, commit, err := w.repo.Head(ctx)
	if err != nil {
		return event.Branch{}
	}
	if b := w.branch.Load(); b != nil && b.ref == ref && b.commit == commit {
		return b.Branch
	}
	wait, cancel := context.WithTimeout(ctx, branchTime)
	defer cancel()
	b, _ := w.repo.Branch(wait) // of a failure the zero Branch is kept: the next question does not wait again
	if ctx.Err() == nil {
		w.branch.Store(&readBranch{b, ref, commit})
	}
	return b
}
