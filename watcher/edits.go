package watcher

import (
	"bytes"
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

// Limits of Edits.
const (
	maxEditedFiles = 256              // files whose comparison is remembered; when it is exceeded all are forgotten
	editTime       = time.Second      // time for git, at most half of the time left for the question
	blobsIdle      = 30 * time.Second // after this time without a question the git process ends
	// a file that changed this recently may change again without changing its time
	racyTime = 100 * time.Millisecond
)

// Edits compares files on disk with HEAD. It remembers the result until HEAD or the file changes,
// and keeps one git process running that reads contents. So most questions start no process and
// read no file. It is safe for concurrent use.
type Edits struct {
	repo *Repo
	has  func(event.Path) bool // reports whether the checkout has the file
	now  func() time.Time

	lock    chan struct{} // guards the following fields; has capacity 1
	commit  string        // the commit of HEAD to which known belongs
	known   map[event.Path]edited
	blobs   *git.Blobs // nil while no git process runs
	endIdle *time.Timer
}

// edited is the remembered comparison of a file that has this stamp.
type edited struct {
	now     stamp
	changed index.Changed
	ok      bool // false if git could not tell
}

// NewEdits returns the Edits of a checkout. has reports whether the checkout has a file.
func NewEdits(r *Repo, has func(event.Path) bool, now func() time.Time) *Edits {
	return &Edits{repo: r, has: has, now: now, lock: make(chan struct{}, 1), known: map[event.Path]edited{}}
}

// Compare returns for each file its versions in HEAD and on disk. It leaves out files that have
// more than index.MaxEdited bytes in either version, and those that git does not return in time.
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

// begin takes the lock and limits the time for git. The caller calls the returned function to
// release both.
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

// Read returns a content by its name in git (an id, or COMMIT:path). It returns nil if git does not
// have it or it is longer than index.MaxEdited.
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

// file compares one file. After an error of git the other files need not be tried.
func (e *Edits) file(ctx context.Context, f event.Path) (edited, error) {
	name := e.repo.Root.Abs(f)
	var now stamp // stays zero if the file is gone
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
	if e.commit != "" { // "" before the first commit
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

// blob returns a content by its name in git, nil if git does not have it. known is false if it is
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

// Close ends the git process. The next question starts a new one if it needs one.
func (e *Edits) Close() {
	e.lock <- struct{}{}
	defer func() { <-e.lock }()
	e.end()
}

// end is Close for callers that hold the lock.
func (e *Edits) end() {
	if e.blobs == nil {
		return
	}
	e.endIdle.Stop()
	e.blobs.Kill()
	e.blobs.Close()
	e.blobs = nil
}

// Written returns those of the files that a person or a program other than git has written: git
// does not have their content on disk. A content that git has may have been put there by git
// itself, by a pull, merge, rebase, checkout, applied stash or reset. So a file that was written
// and has since been added to the index is left out, too, and so are files that cannot be read or
// have more than index.MaxEdited bytes. git may write ends of lines as \r\n (core.autocrlf).
// Written runs git once. If git does not answer, it returns nothing.
func (r *Repo) Written(ctx context.Context, files []event.Path) (out []event.Path) {
	if !r.config.sha1 {
		return nil // ids of contents are no SHA-1 hashes
	}
	blobs, err := r.git.Blobs(ctx, string(r.Root))
	if err != nil {
		return nil
	}
	defer blobs.Close()
	for _, f := range files {
		text, err := regularfile.Read(r.Root.Abs(f), regularfile.NoLinks, index.MaxEdited)
		if err != nil {
			continue
		}
		_, err = blobs.Read(index.BlobID(text), 0)
		if plain := bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")); err != nil && len(plain) < len(text) {
			_, err = blobs.Read(index.BlobID(plain), 0)
		}
		switch {
		case err == nil:
		case errors.Is(err, git.ErrNoBlob):
			out = append(out, f)
		default:
			return out
		}
	}
	return out
}
