package index

import (
	"cmp"
	"context"
	"crypto/sha1" // git's
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
)

// Reader keeps a Contents equal to the files of one worktree as they are on disk. It reads a file
// when it is new or was written since. What it read is kept in a file, see Keep. It is safe for
// concurrent use.
type Reader struct {
	root     event.Root
	contents *Contents
	stale    chan struct{} // holds a value if the list of files has changed
	changed  chan struct{} // holds a value if a file was saved
	once     sync.Once
	ready    chan struct{} // closed when all files have been read once

	keeping sync.Mutex // held while the file is read or written; guards what follows
	file    File       // nil: nothing is kept
	log     *slog.Logger
	loaded  bool

	// held while a file is read, so that an older version never replaces a newer one; guards what
	// follows
	mu       sync.Mutex
	versions map[event.Path]version
	dirty    bool // the file is to be written
}

// File is where a Reader keeps what it read. Read returns an error that wraps fs.ErrNotExist when
// there is none.
type File interface {
	Read() ([]byte, error)
	Write(fill func(io.Writer) error) error
	Remove() error
}

// saveEvery is the least time between two writes of the file, while files are saved.
const saveEvery = 5 * time.Minute

// NewReader returns a Reader that has read nothing.
func NewReader(root event.Root) *Reader {
	return &Reader{root: root, contents: NewContents(), stale: make(chan struct{}, 1), changed: make(chan struct{}, 1),
		ready: make(chan struct{}), versions: map[event.Path]version{}}
}

// Keep names the file in which Run keeps what was read, so that no unchanged file is read again
// after a start. A damaged one is an empty one, and a warning in the log. It is called before Run.
func (r *Reader) Keep(file File, log *slog.Logger) {
	r.keeping.Lock()
	defer r.keeping.Unlock()
	r.file, r.log = file, log
}

// Contents returns what the files say, as far as they have been read.
func (r *Reader) Contents() *Contents { return r.contents }

// Wait waits until all files have been read once, for at most the given time. It reports whether
// they have been read.
func (r *Reader) Wait(ctx context.Context, most time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	select {
	case <-r.ready:
	case <-ctx.Done():
	}
	return r.isReady()
}

// Skip makes the Reader ready without reading, for a worktree that Run is not called for.
func (r *Reader) Skip() { r.once.Do(func() { close(r.ready) }) }

// Refresh makes Run read the files again that were written, because the list of files has changed.
func (r *Reader) Refresh() { signal(r.stale) }

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Run takes what was kept, reads the files of the tree that were written since, and again after
// each Refresh, until ctx ends. It keeps what it read after the first round, later every five
// minutes at most, and at the end. It always returns nil. tree may return nil while the list of
// files is not known.
func (r *Reader) Run(ctx context.Context, tree func() *Tree) error {
	r.load()
	defer r.save()
	later := time.NewTimer(saveEvery)
	defer later.Stop()
	for round := true; ; {
		if t := tree(); round && t != nil {
			r.readAll(ctx, t)
			r.contents.fold(packAt)
			first := !r.isReady()
			r.Skip()
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

// isReady reports whether all files have been read once.
func (r *Reader) isReady() bool {
	select {
	case <-r.ready:
		return true
	default:
		return false
	}
}

// load takes what was kept.
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

// save keeps what was read, if that has changed.
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

// Forget takes a file, or all files of a folder, out of the index and out of the bytes that are
// kept. A file that is still there is read again at the next start.
func (r *Reader) Forget(p event.Path) error {
	r.keeping.Lock()
	defer r.keeping.Unlock()
	if r.file != nil && !r.loaded {
		return r.file.Remove() // it is cheaper to read the files again
	}
	r.mu.Lock()
	var gone []event.Path
	for q := range r.versions {
		if q == p || strings.HasPrefix(string(q), string(p)+"/") {
			gone = append(gone, q)
		}
	}
	r.forgetLocked(gone...)
	r.dirty = true // also of a file that went before: its words are there until segments are merged
	r.mu.Unlock()
	r.contents.fold(0)
	return r.saveLocked()
}

// readAll reads the files of a tree that were written since they were read, and forgets those that
// it does not have any more.
func (r *Reader) readAll(ctx context.Context, tree *Tree) {
	r.mu.Lock()
	// Copied before the tree is listed: a file that is saved from now on is in the listing or not in
	// this copy, so it is never forgotten by mistake.
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

// mergeEvery is the number of files that are read before a new base may be made.
const mergeEvery = 256

// read reads a file if it was written since. Symbolic links, which may lead anywhere, and files
// longer than MaxDocument say nothing.
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
	if err != nil { // it may be readable later, and have the same time then: nothing is known of it
		r.forgetLocked(p)
		return
	}
	now.Blob = blobID(text)
	if r.versions[p] = now; now.Blob != before.Blob {
		r.contents.set(p, text)
	}
}

// Text returns the content of a file now, nil for one that Reader does not read.
func (r *Reader) Text(p event.Path) []byte {
	text, err := regularfile.Read(r.root.Abs(p), regularfile.NoLinks, MaxDocument)
	if err != nil {
		return nil
	}
	return text
}

// Blob returns the id that git gives the content of a file now, in hex; "" for one that Reader does
// not read. It reads the file: a checkout and back changes the time of a file and not its content,
// and a second write may have the time of the first.
func (r *Reader) Blob(p event.Path) string {
	text := r.Text(p)
	if text == nil {
		return ""
	}
	return BlobID(text)
}

// BlobID is the id that git gives a content, in hex.
func BlobID(text []byte) string { return fmt.Sprintf("%x", blobID(text)) }

// blobID is the id that git gives a content.
func blobID(text []byte) (id [20]byte) {
	h := sha1.New() // git's
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

// Update reads the files that an event of a watcher says were written, and forgets those that went.
// The tree has changed before.
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
	signal(r.changed)
}

// nearest returns the n files with the fewest folders above them, those of one level by name.
func nearest(files []event.Path, n int) []event.Path {
	depth := func(p event.Path) int { return strings.Count(string(p), "/") }
	slices.SortFunc(files, func(a, b event.Path) int { return cmp.Or(depth(a)-depth(b), cmp.Compare(a, b)) })
	return files[:min(len(files), n)]
}
