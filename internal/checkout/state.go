package checkout

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/internal/reload"
	"github.com/aoa-dev/aoa/internal/session"
)

// State is the state of the worktree. changed are the files that are not committed, nil to ask git. When git does not
// answer in time, the state is unknown.
func (w *Checkout) State(ctx context.Context, changed []event.Path) session.Worktree {
	if changed == nil {
		var err error
		if changed, err = w.Repo.Changed(ctx); err != nil {
			return session.Worktree{}
		}
	}
	st := session.Worktree{Known: true, Changed: changed}
	st.Exists = func(p event.Path) bool { _, ok := w.Modified(p); return ok }
	if ref, _, err := w.Repo.Head(ctx); err == nil {
		st.Branch = strings.TrimPrefix(ref, "refs/heads/")
	}
	return st
}

// Fingerprint is a hash of what is checked out and changed, "" if git does not answer.
func (w *Checkout) Fingerprint(ctx context.Context) string {
	ref, oid, err := w.Repo.Head(ctx)
	if err != nil {
		return ""
	}
	changed, err := w.Repo.Changed(ctx)
	if err != nil {
		return ""
	}
	slices.Sort(changed)
	return locate.Fingerprint(ref + "\n" + oid + "\n" + strings.Join(event.Strings(changed), "\n"))
}

// Deleted reports whether a file is deleted and the deletion is not committed.
func (w *Checkout) Deleted(ctx context.Context, p event.Path) bool {
	changed, err := w.Repo.Changed(ctx)
	return err == nil && slices.Contains(changed, p)
}

// Identify notes what the files say that the events read.
func (w *Checkout) Identify(events []event.Event) {
	for i := range events {
		if c := events[i].Call(); c.Kind() == event.KindRead && len(c.Paths) == 1 {
			c.Blob = w.Reader.Blob(c.Paths[0])
			events[i].Body = c
		}
	}
}

// Modified is when a file of the worktree changed last; false if it is gone.
func (w *Checkout) Modified(p event.Path) (time.Time, bool) {
	st, err := os.Stat(w.Repo.Root.Abs(p))
	if err != nil || !st.Mode().IsRegular() {
		return time.Time{}, false
	}
	return st.ModTime(), true
}

// Sequences is the checkout as package reload sees it.
func (w *Checkout) Sequences() reload.Worktree {
	return reload.Worktree{Root: w.Repo.Root, Files: func() []event.Path { return w.Tree().All() },
		Ignored: w.Repo.Ignored, State: w.Fingerprint}
}
