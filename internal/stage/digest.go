package stage

import (
	"context"
	"crypto/sha256"
	"errors"
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

// digests remembers the digests of files as long as their identities are unchanged. It is safe for
// concurrent use.
type digests struct {
	now func() time.Time

	mu    sync.RWMutex
	known map[string]knownDigest // absolute name → its digest
}

type knownDigest struct {
	id  identity
	sum string
}

// maxKnown bounds the digests in memory, about 200 bytes a file. Beyond it everything is dropped
// and read again when asked for.
const maxKnown = 500_000

// parts digests dependencies. Each becomes the part of the same index, also one that does not
// exist.
func (d *digests) parts(ctx context.Context, deps []dep) (keyParts, error) {
	const chunk = 256
	out := make(keyParts, len(deps))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for low := 0; low < len(deps); low += chunk {
		g.Go(func() (err error) {
			for i := low; i < min(low+chunk, len(deps)) && err == nil; i++ {
				out[i], err = d.part(deps[i])
			}
			return errors.Join(err, ctx.Err())
		})
	}
	return out, g.Wait()
}

func (d *digests) part(f dep) (keyPart, error) {
	id, err := stat(f.abs)
	p := keyPart{Kind: kindFile, Name: f.name}
	switch {
	case err != nil:
	case id.mode&fs.ModeSymlink != 0:
		p.Kind = kindLink
		p.Sum, err = d.link(f.abs)
	case !id.mode.IsRegular():
		return p, wrong("%s is neither a file nor a link", f.name)
	default:
		if id.mode&0o111 != 0 {
			p.Kind = kindProgram
		}
		p.Sum, err = d.sum(f.abs, id)
	}
	// If a path has a file in the place of one of its folders, the file does not exist.
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return keyPart{Kind: kindAbsent, Name: f.name}, nil
	}
	return p, err
}

// link digests where a link points to and what is there.
func (d *digests) link(name string) (string, error) {
	target, err := os.Readlink(name)
	if err != nil {
		return "", err
	}
	text := appendText(nil, filepath.ToSlash(target))
	real, err := filepath.EvalSymlinks(name)
	var id identity
	if err == nil {
		id, err = stat(real)
	}
	if err != nil || !id.mode.IsRegular() { // it points to nothing, in a circle, or to a folder
		return digest(append(text, 0)), nil
	}
	sum, err := d.sum(real, id)
	return digest(appendText(append(text, 1, byte(id.mode&0o111)), sum)), err
}

// file digests the file of an absolute name, following links.
func (d *digests) file(name string) (string, error) {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", err
	}
	id, err := stat(real)
	switch {
	case err != nil:
		return "", err
	case !id.mode.IsRegular():
		return "", wrong("%s is not a regular file", name)
	}
	return d.sum(real, id)
}

// sum returns the digest of a regular file that had the identity id just before.
func (d *digests) sum(name string, id identity) (string, error) {
	d.mu.RLock()
	k, ok := d.known[name]
	d.mu.RUnlock()
	if ok && k.id == id {
		return k.sum, nil
	}
	seen := d.now()
	sum, id, err := read(name)
	if err != nil {
		return "", err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !id.reliable(seen) {
		// It changed so recently that it could change again without another identity: the next
		// caller reads it, too.
		delete(d.known, name)
		return sum, nil
	}
	if d.known == nil || len(d.known) >= maxKnown {
		d.known = map[string]knownDigest{}
	}
	d.known[name] = knownDigest{id, sum}
	return sum, nil
}

// read digests a file and returns its identity after the reading. What is written meanwhile changes
// that, and its times are then too young to be reliable.
func read(name string) (string, identity, error) {
	f, err := regularfile.Open(name, regularfile.NoLinks)
	if err != nil {
		return "", identity{}, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", identity{}, err
	}
	info, err := f.Stat()
	if err != nil {
		return "", identity{}, err
	}
	return string(h.Sum(nil)[:16]), identityOf(info), nil
}

// identity identifies the content of a file without reading it.
type identity struct {
	size, mtime, ctime int64 // bytes, unix ns; ctime is 0 where the system keeps none
	inode              uint64
	mode               fs.FileMode // type and executable bits
}

// stat returns the identity of a file itself, not of what a link points to.
func stat(name string) (identity, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return identity{}, err
	}
	return identityOf(info), nil
}

func identityOf(info fs.FileInfo) identity {
	id := identity{size: info.Size(), mtime: info.ModTime().UnixNano(), mode: info.Mode() & (fs.ModeType | 0o111)}
	id.ctime, id.inode = changed(info)
	return id
}

// Windows within which two changes of a file may have the same times.
const (
	fineWindow   = 50 * time.Millisecond // clocks of kernels tick every 1 to 10 ms
	coarseWindow = 2 * time.Second       // FAT counts in two seconds, HFS+ and ext3 in one
)

// reliable reports whether a file with this identity, read at or after seen, cannot change without
// another identity: its times are older than the window. A time without milliseconds may be of a
// disk that counts in seconds.
func (i identity) reliable(seen time.Time) bool {
	window := fineWindow
	if i.mtime%int64(time.Millisecond) == 0 {
		window = coarseWindow
	}
	return max(i.mtime, i.ctime) < seen.Add(-window).UnixNano()
}
