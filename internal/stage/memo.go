package stage

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// memo remembers the digests of files as long as their identities are unchanged. It is safe for concurrent use.
type memo struct {
	now func() time.Time

	mu    sync.RWMutex
	known map[string]digest // absolute name → its digest
	fresh bool              // there are digests that were not written to the disk yet
	read  int64             // files read so far, for stats
}

type digest struct {
	id  identity
	sum Sum
}

// maxKnown bounds the memo, about 200 bytes a file. Beyond it everything is dropped and read again when asked for.
const maxKnown = 500_000

// newMemo returns an empty memo.
func newMemo(now func() time.Time) *memo {
	return &memo{now: now, known: map[string]digest{}}
}

// reads is the number of files that were read so far.
func (m *memo) reads() int64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.read
}

// parts digests dependencies. Each becomes the part of the same index, also one that does not exist.
func (m *memo) parts(ctx context.Context, deps []dep) (keyParts, error) {
	out := make(keyParts, len(deps))
	workers := runtime.GOMAXPROCS(0)
	if len(deps) < 64 {
		workers = 1
	}
	g, ctx := errgroup.WithContext(ctx)
	for w := range workers {
		lo, hi := w*len(deps)/workers, (w+1)*len(deps)/workers
		g.Go(func() error {
			for i := lo; i < hi; i++ {
				if i%256 == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				p, err := m.part(deps[i])
				if err != nil {
					return err
				}
				out[i] = p
			}
			return nil
		})
	}
	return out, g.Wait()
}

func (m *memo) part(d dep) (keyPart, error) {
	id, err := stat(d.abs)
	p := keyPart{Name: d.name}
	switch {
	case missing(err):
		p.Kind = kindAbsent
	case err != nil:
		return p, fmt.Errorf("stat %s: %w", d.name, err)
	case id.mode&fs.ModeDir != 0:
		p.Kind = kindDir
	case id.mode&fs.ModeSymlink != 0:
		p.Kind = kindLink
		p.Sum, err = m.link(d.abs)
	case id.mode&fs.ModeIrregular != 0:
		return p, fmt.Errorf("%w: %s is a pipe, a socket or a device", ErrRequest, d.name)
	default:
		p.Kind = kindFile
		if id.mode&0o111 != 0 {
			p.Kind = kindProgram
		}
		p.Sum, err = m.sum(d.abs, id)
	}
	if missing(err) { // it was deleted in between
		p.Kind, p.Sum, err = kindAbsent, Sum{}, nil
	}
	return p, err
}

// missing reports whether there is no such file. A file in the place of one of its folders means the same.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// link digests where a link points to and what is there.
func (m *memo) link(name string) (Sum, error) {
	target, err := os.Readlink(name)
	if err != nil {
		return Sum{}, err
	}
	text := appendText(nil, filepath.ToSlash(target))
	real, err := filepath.EvalSymlinks(name)
	if err != nil { // it points to nothing, or in a circle
		return sha256.Sum256(append(text, 0)), nil
	}
	id, err := stat(real)
	switch {
	case err != nil:
		return sha256.Sum256(append(text, 0)), nil
	case id.mode.IsRegular():
		sum, err := m.sum(real, id)
		return sha256.Sum256(append(append(text, 1, byte(id.mode&0o111)), sum[:]...)), err
	}
	return sha256.Sum256(append(text, 2)), nil
}

// file digests the file of that absolute name, following links.
func (m *memo) file(name string) (Sum, error) {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return Sum{}, err
	}
	id, err := stat(real)
	switch {
	case err != nil:
		return Sum{}, err
	case !id.mode.IsRegular():
		return Sum{}, fmt.Errorf("%w: %s is not a regular file", ErrRequest, name)
	}
	return m.sum(real, id)
}

// sum returns the digest of a regular file that had the identity id a moment ago.
func (m *memo) sum(name string, id identity) (Sum, error) {
	m.mu.RLock()
	d, ok := m.known[name]
	m.mu.RUnlock()
	if ok && d.id == id {
		return d.sum, nil
	}
	seen := m.now()
	sum, id, err := read(name)
	if err != nil {
		return Sum{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read++
	if !id.reliable(seen) {
		// It changed so recently that it could change again without another identity: the next caller reads it, too.
		delete(m.known, name)
		return sum, nil
	}
	if len(m.known) >= maxKnown {
		clear(m.known)
	}
	m.known[name] = digest{id, sum}
	m.fresh = true
	return sum, nil
}

// read digests a file and returns its identity after the reading. What is written meanwhile changes that, and its
// times are then too young to be reliable.
func read(name string) (Sum, identity, error) {
	f, err := regularfile.Open(name, regularfile.NoLinks)
	if err != nil {
		return Sum{}, identity{}, err
	}
	defer f.Close()
	h := sha256.New()
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	if _, err := io.CopyBuffer(onlyWriter{h}, f, *buf); err != nil {
		return Sum{}, identity{}, fmt.Errorf("read %s: %w", name, err)
	}
	id, err := statOpen(f)
	return Sum(h.Sum(nil)), id, err
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// onlyWriter hides what else a hash can do: io.CopyBuffer would not use the buffer.
type onlyWriter struct{ io.Writer }

// take returns the digests, at most so many, if there are new ones since the last call.
func (m *memo) take(most int) (out []storedDigest) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.fresh {
		return nil
	}
	m.fresh = false
	for name, d := range m.known {
		if len(out) == most {
			break
		}
		out = append(out, storedDigest{Name: name, Size: d.id.size, Mtime: d.id.mtime, Ctime: d.id.ctime,
			Inode: d.id.inode, Mode: uint32(d.id.mode), Sum: d.sum})
	}
	return out
}

// put enters digests read from the disk.
func (m *memo) put(name string, d digest) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.known[name]; !known && len(m.known) < maxKnown {
		m.known[name] = d
	}
}

// clear drops all digests.
func (m *memo) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.known)
	m.fresh = false
}
