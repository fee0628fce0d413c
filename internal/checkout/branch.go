package checkout

import (
	"context"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// branchTime limits how long a question waits for git to say what a branch adds.
const branchTime = time.Second

// readBranch is a branch as it was read when it was at a certain commit.
type readBranch struct {
	event.Branch
	ref, commit string
}

// KnownBranch returns the branch as it was last read. It reads nothing itself, so hooks can call
// it.
func (w *Checkout) KnownBranch() event.Branch {
	if b := w.branch.Load(); b != nil {
		return b.Branch
	}
	return event.Branch{}
}

// Branch returns what the checked out branch adds to the default branch. If git does not answer in
// time, it returns nothing and git's error. Git is started only if HEAD has moved since the branch
// was last read.
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
	// after a failure the zero Branch is kept, so that the next question does not wait again
	b, err := w.Repo.Branch(wait)
	if ctx.Err() == nil {
		w.branch.Store(&readBranch{b, ref, commit})
	}
	return b, err
}
