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
// time, it returns nothing and git's error. HEAD is that of the newest question, see Set.Asking. Git
// is started only if it has moved since the branch was last read.
func (w *Checkout) Branch(ctx context.Context) (event.Branch, error) {
	h := w.head.Load()
	if h == nil {
		h = w.readHead(ctx)
	}
	if h.err != nil {
		return event.Branch{}, h.err
	}
	if b := w.branch.Load(); b != nil && b.ref == h.ref && b.commit == h.commit {
		return b.Branch, nil
	}
	wait, cancel := context.WithTimeout(ctx, branchTime)
	defer cancel()
	b, err := w.Repo.Branch(wait) // of a failure the zero Branch is kept: the next question does not wait again
	if ctx.Err() == nil {
		w.branch.Store(&readBranch{b, h.ref, h.commit})
	}
	return b, err
}
