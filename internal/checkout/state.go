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

	"github.com/go-git/go-git/v5/utils/diff"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/reload"
	"github.com/aoa-dev/aoa/internal/session/contexts"
)

// State returns the state of the worktree. changed are the files that are not committed, or nil to
// ask git; if git does not answer in time, the state is unknown. For the given files, State returns
// which of their lines differ from HEAD. If since is not zero, it also returns the files of the
// checkout that have changed on disk after it, the given files first. When ctx ends, it returns
// what it has found so far.
func (w *Checkout) State(ctx context.Context, changed []event.Path, since time.Time,
	files []event.Path) contexts.Worktree {
	if changed == nil {
		var err error
		if changed, err = w.Repo.Changed(ctx); err != nil {
			return contexts.Worktree{}
		}
	}
	st := contexts.Worktree{Known: true, Changed: changed, Lines: map[event.Path][][2]int{}}
	ref, head, err := w.Repo.Head(ctx)
	if err == nil {
		st.Branch = strings.TrimPrefix(ref, "refs/heads/")
	}
	if !since.IsZero() {
		st.After = w.changedAfter(ctx, since, slices.Concat(files, changed, w.Tree().All()))
	}
	for _, f := range files {
		if head == "" || ctx.Err() != nil || !slices.Contains(changed, f) {
			continue
		}
		if before, now := w.edits.Read(ctx, head+":"+string(f)), w.Reader.Text(f); before != nil && now != nil {
			st.Lines[f] = differentLines(string(before), string(now))
		}
	}
	return st
}

// changedAfter returns those files that changed on disk after a time, in their order, as far as it
// could look at them before ctx ended.
func (w *Checkout) changedAfter(ctx context.Context, since time.Time, files []event.Path) (out []event.Path) {
	seen := make(map[event.Path]bool, len(files))
	for _, f := range files {
		if seen[f] {
			continue
		}
		seen[f] = true
		if at, ok := w.Modified(f); ok && at.After(since) {
			out = append(out, f)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return out
}

// differentLines returns the lines of a text that are not in its earlier version, by the first and
// last number of each range.
func differentLines(before, now string) (out [][2]int) {
	line := 1
	before, now = strings.ReplaceAll(before, "\r", ""), strings.ReplaceAll(now, "\r", "")
	for _, part := range diff.DoWithTimeout(before, now, diffTime) {
		if part.Type < 0 {
			continue // Only the earlier version has this text.
		}
		n := len(strings.SplitAfter(strings.TrimSuffix(part.Text, "\n"), "\n"))
		if part.Type > 0 {
			out = append(out, [2]int{line, line + n - 1})
		}
		line += n
	}
	return out
}

// diffTime limits how long two versions are compared. Lines that have not been compared by then
// count as different.
const diffTime = 50 * time.Millisecond

// Deleted reports whether a file is deleted and the deletion is not committed.
func (w *Checkout) Deleted(ctx context.Context, p event.Path) bool {
	changed, err := w.Repo.Changed(ctx)
	return err == nil && slices.Contains(changed, p)
}

// maxWritten is the size, in bytes, of the largest file whose content is kept with the call that
// wrote it.
const maxWritten = 8 << 10

// Identify records the content ids of the files of a call: after a read or a change, and before a
// change that a call begins. Each file is read once. at is the time of the call.
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

// identified returns a call with the id of the content that it read or left in its file.
func (w *Checkout) identified(session string, c event.Call) event.Call {
	text := w.Reader.Text(c.Paths[0])
	if text != nil {
		c.Blob = index.BlobID(text)
	}
	if c.Kind() == event.KindRead {
		return c
	}
	c.Before = w.begun.takeBefore(session, c.Paths[0])
	if c.Act == event.ActWrite && text != nil && len(text) <= maxWritten && utf8.Valid(text) {
		c.Edits = []event.Swap{{New: string(text)}}
	}
	return c
}

// present returns the blob id of a file's present content, event.NoBlob if there is no file.
func (w *Checkout) present(p event.Path) string {
	if _, err := os.Lstat(w.Repo.Root.Abs(p)); errors.Is(err, fs.ErrNotExist) {
		return event.NoBlob
	}
	return w.Reader.Blob(p)
}

// Modified returns when a file of the worktree was last changed; false if it does not exist.
func (w *Checkout) Modified(p event.Path) (time.Time, bool) {
	st, err := os.Stat(w.Repo.Root.Abs(p))
	if err != nil || !st.Mode().IsRegular() {
		return time.Time{}, false
	}
	return st.ModTime(), true
}

// Sequences returns the checkout in the form that package reload uses.
func (w *Checkout) Sequences() reload.Worktree {
	return reload.Worktree{Root: w.Repo.Root, Files: func() []event.Path { return w.Tree().All() },
		Ignored: w.Repo.Ignored, Hash: w.present, Blob: w.edits.Read, Apply: w.Repo.Apply}
}
