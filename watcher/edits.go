package watcher

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Limits for Edits.
const (
	maxEditedFiles = 256                    // files whose edits are kept; then all are dropped
	editTime       = time.Second            // for git, at most half of the time that a question has
	blobsIdle      = 30 * time.Second       // after which the git process ends
	racyTime       = 100 * time.Millisecond // a file that changed so short ago may change again under the same time stamp
)

// Edits compares files on the disk with HEAD. It keeps what it found as long as neither HEAD nor
// the file changes, and one git process that reads contents, so that a question starts no process
// and reads no file that it knows. It is safe for concurrent use.
type Edits struct {
	repo *Repo
	has  func(event.Path) bool // whether a file is one of the checkout
	now  func() time.Time

	lock    chan struct{} // capacity 1; it guards what follows
	commit  string        // HEAD when known was filled
	known   map[event.Path]edited
	blobs   *git.Blobs // nil: none runs
	endIdle *time.Timer
}

// edited remembers what a file with that stamp changes.
type edited struct {
	now     stamp
	changed index.Changed
	ok      bool // false: git could not tell
}

// NewEdits makes the Edits of a checkout. has reports whether a file is one of the checkout.
func NewEdits(r *Repo, has func(event.Path) bool, now func() time.Time) *Edits {
	return &Edits{repo: r, has: has, now: now, lock: make(chan struct{}, 1), known: map[event.Path]edited{}}
}

// Compare returns both versions of files: in HEAD and on disk. It leaves out a file of more than
// index.MaxEdited bytes, before or after, and files that git does not report in time.
func (e *Edits) Compare(ctx context.Context, files []event.Path) (out []index.Changed) {
	ctx, unlock := e.begin(ctx)
	defer unlock()
	if ctx.Err() != nil {
		return nil
	}
	_, commit, err := e.repo.Head(ctx)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil
	}
	if commit != e.commit || len(e.known)+len(files) > maxEditedFiles {
		clear(e.known)
		e.commit = commit
	}
	for _, f := range files {
		found, err := e.file(ctx, f)
		if err != nil {
			break
		}
		if found.ok {
			out = append(out, found.changed)
		}
	}
	return out
}

// begin takes the lock. The context ends when git had its time.
func (e *Edits) begin(ctx context.Context) (context.Context, func()) {
	wait := editTime
	if end, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(end)/2)
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	select {
	case e.lock <- struct{}{}:
		return ctx, func() { <-e.lock; cancel() }
	case <-ctx.Done():
		return ctx, cancel
	}
}

// Read returns a content as git names it (an id, COMMIT:path), nil for one that git does not have
// or that is longer than index.MaxEdited.
func (e *Edits) Read(ctx context.Context, name string) []byte {
	ctx, unlock := e.begin(ctx)
	defer unlock()
	if ctx.Err() != nil {
		return nil
	}
	data, _, err := e.blob(ctx, name)
	if err != nil {
		return nil
	}
	return data
}

// file returns what one file changes. After an error of git no other file need be tried.
func (e *Edits) file(ctx context.Context, f event.Path) (edited, error) {
	name := e.repo.Root.Abs(f)
	var now stamp // zero: it is gone
	fi, err := os.Lstat(name)
	if err == nil {
		now = stampOf(fi)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return edited{}, nil
	}
	if found, known := e.known[f]; known && found.now == now {
		return found, nil
	}
	found := edited{now: now}
	var after []byte
	if now != (stamp{}) {
		if !e.has(f) {
			return found, nil
		}
		if after, err = regularfile.Read(name, regularfile.NoLinks, index.MaxEdited); err != nil {
			return found, nil
		}
	}
	var before []byte
	known := true
	if e.commit != "" { // else it is before the first commit
		if before, known, err = e.blob(ctx, e.commit+":"+string(f)); err != nil {
			return found, err
		}
	}
	if found.ok = known; known {
		found.changed = index.Compare(f, before, after)
	}
	if fi == nil || e.now().Sub(fi.ModTime()).Abs() > racyTime {
		e.known[f] = found
	}
	return found, nil
}

// blob is a content as git names it, nil where git does not have it. known is false for one that is
// too large.
func (e *Edits) blob(ctx context.Context, name string) (data []byte, known bool, err error) {
	if e.blobs == nil {
		if e.blobs, err = e.repo.git.Blobs(context.WithoutCancel(ctx), string(e.repo.Root)); err != nil {
			return nil, false, err
		}
		e.endIdle = time.AfterFunc(blobsIdle, e.Close)
	}
	e.endIdle.Reset(blobsIdle)
	defer context.AfterFunc(ctx, e.blobs.Kill)()
	data, err = e.blobs.Read(name, index.MaxEdited)
	switch {
	case errors.Is(err, git.ErrNoBlob):
		return nil, true, nil
	case err != nil:
		e.end()
		return nil, false, err
	}
	return data, data != nil, nil
}

// Close ends the git process. The next question that needs one starts another.
func (e *Edits) Close() {
	e.lock <- struct{}{}
	defer func() { <-e.lock }()
	e.end()
}

// end is Close with the lock held.
func (e *Edits) end() {
	if e.blobs == nil {
		return
	}
	e.endIdle.Stop()
	e.blobs.Kill()
	e.blobs.Close()
	e.blobs = nil
}
