package index

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Reader keeps a Contents equal to the files of one worktree as they are on disk. It reads a file when it is new or was written
// since, and keeps nothing of it on disk. It is safe for concurrent use.
type Reader struct {
	root     event.Root
	contents *Contents
	stale    chan struct{} // holds a value if the list of files has changed
	once     sync.Once
	ready    chan struct{} // closed when all files have been read once

	mu       sync.Mutex // held while a file is read, so that an older version never replaces a newer one; guards versions
	versions map[event.Path]version
}

// version is what of a file shows that it was written.
type version struct{ modified, size int64 } // Unix ns; bytes

// NewReader returns a Reader that has read nothing.
func NewReader(root event.Root) *Reader {
	return &Reader{root: root, contents: NewContents(), stale: make(chan struct{}, 1), ready: make(chan struct{}), versions: map[event.Path]version{}}
}

// Contents returns what the files say, as far as they have been read.
func (r *Reader) Contents() *Contents { return r.contents }

// Wait waits until all files have been read once, for at most the given time. It reports whether they have been read.
func (r *Reader) Wait(ctx context.Context, most time.Duration) bool {
	select {
	case <-r.ready: // before a timer is made: nearly always
		return true
	default:
	}
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-r.ready:
		return true
	case <-late.C:
	case <-ctx.Done():
	}
	return false
}

// Skip makes the Reader ready without reading, for a worktree that Run is not called for.
func (r *Reader) Skip() { r.once.Do(func() { close(r.ready) }) }

// Refresh makes Run read the files again that were written, because the list of files has changed.
func (r *Reader) Refresh() {
	select {
	case r.stale <- struct{}{}:
	default:
	}
}

// Run reads the files of the tree, and again after each Refresh, until ctx ends. It always returns nil. tree may return nil while
// the list of files is not known.
func (r *Reader) Run(ctx context.Context, tree func() *Tree) error {
	for {
		if t := tree(); t != nil {
			r.readAll(ctx, t)
			r.Skip()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-r.stale:
		}
	}
}

// readAll reads the files of a tree that were written since they were read, and forgets those that it does not have any more.
func (r *Reader) readAll(ctx context.Context, tree *Tree) {
	r.mu.Lock()
	gone := maps.Clone(r.versions) // before the tree is asked: a file that is saved from now on is in it, or is not among these
	r.mu.Unlock()
	files := nearest(tree.All(), r.contents.maxFiles)
	for _, p := range files {
		delete(gone, p)
	}
	r.forget(slices.Collect(maps.Keys(gone))...)
	for _, p := range files {
		if ctx.Err() != nil {
			return
		}
		r.read(p)
	}
}

// read reads a file if it was written since. Symbolic links, which may lead anywhere, and files longer than MaxDocument say nothing.
func (r *Reader) read(p event.Path) {
	r.mu.Lock()
	defer r.mu.Unlock()
	info, err := os.Lstat(r.root.Abs(p))
	if err != nil || !info.Mode().IsRegular() {
		r.forgetLocked(p)
		return
	}
	now := version{info.ModTime().UnixNano(), info.Size()}
	before, known := r.versions[p]
	if before == now || !known && len(r.versions) >= r.contents.maxFiles {
		return
	}
	r.versions[p] = now
	if info.Size() > MaxDocument {
		r.contents.Remove(p)
	} else if text, err := os.ReadFile(r.root.Abs(p)); err == nil {
		r.contents.Set(p, text)
	}
}

func (r *Reader) forget(files ...event.Path) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgetLocked(files...)
}

func (r *Reader) forgetLocked(files ...event.Path) {
	for _, p := range files {
		delete(r.versions, p)
	}
	r.contents.Remove(files...)
}

// Update reads the files that an event of a watcher says were written, and forgets those that went. The tree has changed before.
func (r *Reader) Update(e event.Event) {
	switch e.Kind {
	case event.KindDelete:
		r.forget(e.Paths...)
	case event.KindRename:
		r.forget(e.From...)
		fallthrough
	case event.KindSave:
		for _, p := range e.Paths {
			r.read(p)
		}
	}
}

// nearest returns the n files with the fewest folders above them, of equal ones the first by name.
func nearest(files []event.Path, n int) []event.Path {
	var levels [][]event.Path // by number of folders
	for _, p := range files {
		depth := strings.Count(string(p), "/")
		for len(levels) <= depth {
			levels = append(levels, nil)
		}
		levels[depth] = append(levels[depth], p)
	}
	out := make([]event.Path, 0, min(len(files), n))
	for _, level := range levels {
		if len(out) == n {
			break
		}
		slices.Sort(level)
		out = append(out, level[:min(len(level), n-len(out))]...)
	}
	return out
}
