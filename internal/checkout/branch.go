package checkout

import (
	"context"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

const (
	// branchTime limits how long a question waits for git to say what a branch adds. On a machine with
	// ten times more to do than processors, git took more than a second.
	branchTime = 5 * time.Second
	// branchPause is how long questions are answered without the branch after git did not answer in
	// time.
	branchPause = 10 * time.Second
)

// readBranch is a branch as it was read when it was at a certain commit.
type readBranch struct {
	event.Branch
	ref, commit string
	failed      error     // why it could not be read; Branch is zero then
	again       time.Time // when it is read again after a failure
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
// time, it returns nothing and git's error, for some seconds without asking again. Git is started
// only if HEAD has moved since the branch was last read.
func (w *Checkout) Branch(ctx context.Context) (event.Branch, error) {
	ref, commit, err := w.Repo.Head(ctx)
	if err != nil {
		return event.Branch{}, err
	}
	if b := w.branch.Load(); b != nil && b.ref == ref && b.commit == commit && (b.failed == nil || w.now().Before(b.again)) {
		return b.Branch, b.failed
	}
	wait, cancel := context.WithTimeout(ctx, branchTime)
	defer cancel()
	b, err := w.Repo.Branch(wait)
	if ctx.Err() == nil {
		w.branch.Store(&readBranch{b, ref, commit, err, w.now().Add(branchPause)})
	}
	return b, err
}
