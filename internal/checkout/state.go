package checkout

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
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
	if ref, _, err := w.Repo.Head(ctx); err == nil {
		st.Branch = strings.TrimPrefix(ref, "refs/heads/")
	}
	return st
}

// Deleted reports whether a file is deleted and the deletion is not committed.
func (w *Checkout) Deleted(ctx context.Context, p event.Path) bool {
	changed, err := w.Repo.Changed(ctx)
	return err == nil && slices.Contains(changed, p)
}

// maxWritten is the longest content of a file, in bytes, that is kept with the call that wrote it.
const maxWritten = 8 << 10

// Identify notes what the files of a call say, each read once: after a read or a change, and before the change that a
// call begins. at is when the call came.
func (w *Checkout) Identify(call hooks.Call, at time.Time) {
	if call.Next != "" {
		w.begun.note(call.Session, call.Next, w.present(call.Next), at)
	}
	for i, e := range call.Events {
		if b, ok := e.Body.(event.Call); ok && e.Opens() && len(b.Paths) == 1 {
			call.Events[i].Body = w.identified(e.Session, b)
		}
	}
}

// identified is a call with what it read or left in its file.
func (w *Checkout) identified(session string, c event.Call) event.Call {
	text := w.Reader.Text(c.Paths[0])
	if text != nil {
		c.Blob = index.BlobID(text)
	}
	if c.Kind() == event.KindRead {
		return c
	}
	c.Before = w.begun.takeBefore(session, c.Paths[0])
	c.Offset, c.Limit = changedLines(string(text), c.Edits)
	if c.Act == event.ActWrite && text != nil && len(text) <= maxWritten && utf8.Valid(text) {
		c.Edits = []event.Swap{{New: string(text)}}
	}
	return c
}

// changedLines are the lines of a file from the first to the last that edits changed: the first and how many, 0 and 0
// if an edit's new text is not there exactly once.
func changedLines(text string, edits []event.Swap) (first, count int) {
	end := 0
	for _, s := range edits {
		at := strings.Index(text, s.New)
		if s.New == "" || at < 0 || at != strings.LastIndex(text, s.New) {
			return 0, 0
		}
		same := func(a, b []string) (n int) {
			for n < min(len(a), len(b)) && a[n] == b[n] {
				n++
			}
			return n
		}
		before, after := strings.SplitAfter(s.Old, "\n"), strings.SplitAfter(s.New, "\n")
		head := min(same(before, after), len(after)-1)
		before, after = before[min(head, len(before)):], after[head:]
		slices.Reverse(before)
		slices.Reverse(after)
		n := len(after) - min(same(before, after), len(after)-1)
		line := 1 + strings.Count(text[:at], "\n") + head
		if first == 0 || line < first {
			first = line
		}
		end = max(end, line+n)
	}
	return first, end - first
}

// present is the blob of what a file says now, event.NoBlob if there is no such file.
func (w *Checkout) present(p event.Path) string {
	if _, err := os.Lstat(w.Repo.Root.Abs(p)); errors.Is(err, fs.ErrNotExist) {
		return event.NoBlob
	}
	return w.Reader.Blob(p)
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
		Ignored: w.Repo.Ignored}
}
