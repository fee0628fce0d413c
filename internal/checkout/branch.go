package checkout

import (
	"context"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// branchTime limits how long a question waits for git to say what a branch adds.
const branchTime = time.Second

// readBranch is a branch as it was read at a commit of it.
type readBranch struct {
	event.Branch
	ref, commit string
}

// KnownBranch is the branch as it was read last, for hooks: it reads nothing.
func (w *Checkout) KnownBranch() event.Branch {
	if b := w.branch.Load(); b != nil {
		return b.Branch
	}
	return event.Branch{}
}

// Branch returns what the checked out branch adds to the default branch. If git does not answer in
// time, it returns nothing and git's error. It starts git only if HEAD has moved since it was last
// read.
func (w *Checkout) Branch(ctx context.Context) (event.Branch, error) {
	ref, commit, err := w.Repo.Head(ctx)
	if err != nil {
		return event.Branch{}, err
	}
	if b := w.branch.Load(); b != nil && b.ref == ref && b.commit == commit {
		return b.Branch, nil
	}
	wait, cancel := context.WithTimeout(ctx, branchTime)
	defer cancel()
	b, err := w.Repo.Branch(wait) // of a failure the zero Branch is kept: the next question does not wait again
	if ctx.Err() == nil {
		w.branch.Store(&readBranch{b, ref, commit})
	}
	return b, err
}
