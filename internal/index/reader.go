package index

import (
	"cmp"
	"context"
	"crypto/sha1" // git's hash
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/regularfile"
	"github.com/aoa-dev/aoa/internal/schedule"
)

// Reader keeps a Contents up to date with the files of one worktree. It reads a file when it is new
// or was written. With Keep, it also stores what it read on disk. It is safe for concurrent use.
type Reader struct {
	root     event.Root
	contents *Contents
	stale    schedule.Signal // the list of files has changed
	changed  schedule.Signal // a file was saved
	ready    *schedule.Gate  // open once all files have been read

	keeping sync.Mutex // guards the following fields; held while the index is read from disk or written to it
	file    File       // nil if nothing is kept on disk
	log     *slog.Logger
	loaded  bool

	// mu guards the following fields. It is held while a file is read, so that an older version
	// never replaces a newer one.
	mu       sync.Mutex
	versions map[event.Path]version
	dirty    bool // the index on disk is out of date
}

// File is the place on disk where a Reader keeps its index. Read returns an error that wraps
// fs.ErrNotExist if nothing was written yet.
type File interface {
	Read() ([]byte, error)
	Write(fill func(io.Writer) error) error
	Remove() error
}

// saveEvery is the shortest time between two writes of the index to disk while files are saved.
const saveEvery = 5 * time.Minute

// NewReader returns a Reader that has read nothing.
func NewReader(root event.Root) *Reader {
	return &Reader{root: root, contents: NewContents(), stale: schedule.NewSignal(), changed: schedule.NewSignal(),
		ready: schedule.NewGate(), versions: map[event.Path]version{}}
}

// Keep sets the file in which Run keeps the index, so that unchanged files are not read again after
// a restart. If the file is damaged, Run logs a warning and reads all files. Keep must be called
// before Run.
func (r *Reader) Keep(file File, log *slog.Logger) {
	r.keeping.Lock()
	defer r.keeping.Unlock()
	r.file, r.log = file, log
}

// Contents returns the index. It is incomplete until all files have been read once; see Wait.
func (r *Reader) Contents() *Contents { return r.contents }

// Wait waits until all files have been read once, but not longer than most. It reports whether they
// have been read.
func (r *Reader) Wait(ctx context.Context, most time.Duration) bool { return r.ready.Wait(ctx, most) }

// Skip marks the Reader as ready although it has read nothing. It is for worktrees for which Run is
// not called.
func (r *Reader) Skip() { r.ready.Open() }

// Refresh makes Run look for written files again. Call it when the list of files has changed.
func (r *Reader) Refresh() { r.stale.Give() }

// Run loads the index from disk and reads the files of the tree that were written since. It reads
// again after each Refresh, until ctx ends. It writes the index to disk after the first round, then
// at most every five minutes, and at the end. It always returns nil. tree may return nil while the
// list of files is not known yet.
func (r *Reader) Run(ctx context.Context, tree func() *Tree) error {
	r.load()
	defer r.save()
	later := time.NewTimer(saveEvery)
	defer later.Stop()
	for round := true; ; {
		if t := tree(); round && t != nil {
			r.readAll(ctx, t)
			r.contents.fold(packAt)
			first := !r.ready.IsOpen()
			r.ready.Open()
			if first && ctx.Err() == nil {
				r.save()
			}
		}
		round = false
		select {
		case <-ctx.Done():
			return nil
		case <-r.stale:
			round = true
		case <-r.changed:
			r.contents.fold(foldAt)
		case <-later.C:
			r.save()
			later.Reset(saveEvery)
		}
	}
}

// load reads the index from disk, once.
func (r *Reader) load() {
	r.keeping.Lock()
	defer r.keeping.Unlock()
	if r.file == nil || r.loaded {
		return
	}
	r.loaded = true
	packed, err := r.file.Read()
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var kept *Contents
	var versions map[event.Path]version
	if err == nil {
		kept, versions, err = unpack(packed, r.contents.maxFiles, r.contents.maxBytes)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.dirty = true
		if !errors.Is(err, errPackedOld) {
			r.log.Warn("what is known of the contents of files is lost: they are read again", "err", err)
		}
		return
	}
	r.contents.adopt(kept)
	r.versions = versions
}

// save writes the index to disk if it has changed.
func (r *Reader) save() {
	r.keeping.Lock()
	defer r.keeping.Unlock()
	if err := r.saveLocked(); err != nil {
		r.log.Warn("what is known of the contents of files is not kept", "err", err)
	}
}

func (r *Reader) saveLocked() error {
	r.mu.Lock()
	dirty := r.dirty && r.file != nil
	var versions map[event.Path]version
	if dirty {
		versions, r.dirty = maps.Clone(r.versions), false
	}
	r.mu.Unlock()
	if !dirty {
		return nil
	}
	r.contents.fold(packAt)
	err := r.file.Write(func(to io.Writer) error { return r.contents.packTo(to, versions) })
	if err != nil {
		r.mu.Lock()
		r.dirty = true
		r.mu.Unlock()
	}
	return err
}

// Forget deletes a file, or all files of a folder, from the index and from its copy on disk. A file
// that still exists is read again at the next start.
func (r *Reader) Forget(p event.Path) error {
	r.keeping.Lock()
	defer r.keeping.Unlock()
	if r.file != nil && !r.loaded {
		return r.file.Remove() // reading all files again is cheaper than loading the index
	}
	r.mu.Lock()
	var gone []event.Path
	for q := range r.versions {
		if q.Within(p) {
			gone = append(gone, q)
		}
	}
	r.forgetLocked(gone...)
	r.dirty = true // even if the file was deleted before: its words remain until segments are merged
	r.mu.Unlock()
	r.contents.fold(0)
	return r.saveLocked()
}

// readAll reads all files of a tree that were written since they were last read, and forgets files
// that the tree no longer has.
func (r *Reader) readAll(ctx context.Context, tree *Tree) {
	r.mu.Lock()
	// versions is copied before the tree is listed. A file saved after that is either in the
	// listing or not in the copy, so it is never forgotten by mistake.
	gone := maps.Clone(r.versions)
	r.mu.Unlock()
	files := nearest(tree.All(), r.contents.maxFiles)
	for _, p := range files {
		delete(gone, p)
	}
	r.forget(slices.Collect(maps.Keys(gone))...)
	for i, p := range files {
		if ctx.Err() != nil {
			return
		}
		r.read(p)
		if i%mergeEvery == 0 {
			r.contents.fold(foldAt)
		}
	}
}

// mergeEvery is the number of files that readAll reads before it considers making a new base.
const mergeEvery = 256

// read indexes a file if it was written since it was last read. Symbolic links, which may lead
// anywhere, and files longer than MaxDocument have no words.
func (r *Reader) read(p event.Path) {
	r.mu.Lock()
	defer r.mu.Unlock()
	info, err := os.Lstat(r.root.Abs(p))
	if err != nil || !info.Mode().IsRegular() {
		r.forgetLocked(p)
		return
	}
	now := version{Modified: info.ModTime().UnixNano(), Size: info.Size()}
	before, known := r.versions[p]
	if known && before.Modified == now.Modified && before.Size == now.Size || !known &&
		len(r.versions) >= r.contents.maxFiles {
		return
	}
	r.dirty = true
	if KindOf(p) == KindBinary || info.Size() > MaxDocument {
		r.versions[p] = now
		r.contents.Remove(p)
		return
	}
	text, err := regularfile.Read(r.root.Abs(p), regularfile.NoLinks, MaxDocument)
	if err != nil { // it may become readable without a change of its time, so its version is not recorded
		r.forgetLocked(p)
		return
	}
	now.Blob = blobID(text)
	if r.versions[p] = now; now.Blob != before.Blob {
		r.contents.set(p, text)
	}
}

// Text returns the current content of a file, nil if Reader does not read such files.
func (r *Reader) Text(p event.Path) []byte {
	text, err := regularfile.Read(r.root.Abs(p), regularfile.NoLinks, MaxDocument)
	if err != nil {
		return nil
	}
	return text
}

// Blob returns the id that git gives the current content of a file, in hex, or "" if Reader does
// not read such files. It always reads the file, because its time proves nothing: checking out another
// branch and coming back changes the time but not the content, and two writes may have the same
// time.
func (r *Reader) Blob(p event.Path) string {
	text := r.Text(p)
	if text == nil {
		return ""
	}
	return BlobID(text)
}

// BlobID returns the id that git gives a content, in hex.
func BlobID(text []byte) string { return fmt.Sprintf("%x", blobID(text)) }

// blobID returns the id that git gives a content.
func blobID(text []byte) (id [20]byte) {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(text))
	h.Write(text)
	h.Sum(id[:0])
	return id
}

func (r *Reader) forget(files ...event.Path) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgetLocked(files...)
}

func (r *Reader) forgetLocked(files ...event.Path) {
	for _, p := range files {
		if _, known := r.versions[p]; known {
			delete(r.versions, p)
			r.dirty = true
		}
	}
	r.contents.Remove(files...)
}

// Update reads the files that were written according to an event of the watcher, and forgets those
// that were deleted. The caller has already updated the tree.
func (r *Reader) Update(e event.Event) {
	switch b := e.Body.(type) {
	case event.Delete:
		r.forget(b.Paths...)
	case event.Rename:
		r.forget(b.From...)
		for _, p := range b.To {
			r.read(p)
		}
	case event.Save:
		for _, p := range b.Paths {
			r.read(p)
		}
	}
	r.changed.Give()
}

// nearest returns the n files with the fewest folders in their paths. Files of the same depth are
// ordered by name.
func nearest(files []event.Path, n int) []event.Path {
	depth := func(p event.Path) int { return strings.Count(string(p), "/") }
	slices.SortFunc(files, func(a, b event.Path) int { return cmp.Or(depth(a)-depth(b), cmp.Compare(a, b)) })
	return files[:min(len(files), n)]
}
