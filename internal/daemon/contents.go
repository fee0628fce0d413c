package daemon

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// readings keeps the words and identifiers of a checkout's files as they are on disk. Texts are read, counted and let go; nothing of them is stored on disk.
type readings struct {
	contents *index.Contents
	stale    chan struct{} // the list of files, or many files at once, changed
	once     sync.Once
	read     chan struct{} // closed when all were read once

	mu     sync.Mutex
	stamps map[event.Path]stamp // what was read
}

// stamp tells whether a file was written since it was read.
type stamp struct{ nano, size int64 }

// maxRead bounds the files read of one checkout: the nearest to the root come first.
const maxRead = 20_000

func newReadings() *readings {
	return &readings{contents: index.NewContents(), stale: make(chan struct{}, 1), read: make(chan struct{}), stamps: map[event.Path]stamp{}}
}

// run reads what is there, and again whatever changed when the list of files did.
func (r *readings) run(ctx context.Context, root event.Root, tree func() *index.Tree) error {
	for {
		if t := tree(); t != nil {
			r.all(ctx, root, t.All())
			r.done()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-r.stale:
		}
	}
}

// done says that all files were read once, or never will be.
func (r *readings) done() { r.once.Do(func() { close(r.read) }) }

// readTime is how long an answer for a person waits for the contents of the files after a start.
const readTime = time.Second

// wait returns when all files were read once or readTime is over. It reports whether they were read.
func (r *readings) wait(ctx context.Context) bool {
	late := time.NewTimer(readTime)
	defer late.Stop()
	select {
	case <-r.read:
		return true
	default:
	}
	select {
	case <-r.read:
		return true
	case <-late.C:
	case <-ctx.Done():
	}
	return false
}

// all reads the files that were written since they were read, and forgets those that went.
func (r *readings) all(ctx context.Context, root event.Root, files []event.Path) {
	files = nearest(files, maxRead)
	there := make(map[event.Path]bool, len(files))
	for _, p := range files {
		if ctx.Err() != nil {
			return
		}
		there[p] = true
		r.one(root, p)
	}
	var gone []event.Path
	r.mu.Lock()
	for p := range r.stamps {
		if !there[p] {
			gone = append(gone, p)
		}
	}
	r.mu.Unlock()
	r.forget(gone...)
}

// one reads a file if it was written since. What is no regular file (a link may lead anywhere), or too long, says nothing.
func (r *readings) one(root event.Root, p event.Path) {
	info, err := os.Lstat(root.Abs(p))
	if err != nil || !info.Mode().IsRegular() {
		r.forget(p)
		return
	}
	now := stamp{info.ModTime().UnixNano(), info.Size()}
	r.mu.Lock()
	same := r.stamps[p] == now
	r.stamps[p] = now
	r.mu.Unlock()
	if same {
		return
	}
	if info.Size() > index.MaxContent {
		r.contents.Remove(p)
		return
	}
	if text, err := os.ReadFile(root.Abs(p)); err == nil {
		r.contents.Set(p, text)
	}
}

func (r *readings) forget(paths ...event.Path) {
	r.mu.Lock()
	for _, p := range paths {
		delete(r.stamps, p)
	}
	r.mu.Unlock()
	r.contents.Remove(paths...)
}

// saved takes in what a watcher saw.
func (r *readings) saved(root event.Root, e event.Event) {
	switch e.Kind {
	case event.KindDelete:
		r.forget(e.Paths...)
		return
	case event.KindRename:
		r.forget(e.From...)
	case event.KindSave:
	default:
		return
	}
	for _, p := range e.Paths {
		r.one(root, p)
	}
}

// nearest are the n files with the fewest folders above them, of equal ones the first by name.
func nearest(files []event.Path, n int) []event.Path {
	var below [][]event.Path // by depth
	for _, p := range files {
		depth := strings.Count(string(p), "/")
		for len(below) <= depth {
			below = append(below, nil)
		}
		below[depth] = append(below[depth], p)
	}
	out := make([]event.Path, 0, min(len(files), n))
	for _, level := range below {
		if len(out) == n {
			break
		}
		slices.Sort(level)
		out = append(out, level[:min(len(level), n-len(out))]...)
	}
	return out
}
