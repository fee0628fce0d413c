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

// digests caches the digests of files as long as the files' identities do not change. It is safe
// for concurrent use.
type digests struct {
	now func() time.Time

	mu    sync.RWMutex
	known map[string]knownDigest // by absolute name
}

type knownDigest struct {
	id  identity
	sum string
}

// maxKnown is the number of digests in memory, about 200 bytes each. When it is exceeded all are
// dropped.
const maxKnown = 500_000

// parts returns the key part for each dependency, at the same index, even if the file does not
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
	// If a folder in the path is really a file, the dependency does not exist.
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return keyPart{Kind: kindAbsent, Name: f.name}, nil
	}
	return p, err
}

// link hashes the target of a link together with the content there.
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

// file hashes the file with an absolute name. It follows links.
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

// sum returns the digest of a regular file. The caller has just read its identity, id; a digest
// that was computed for the same identity is not computed again.
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
		// The file changed so recently that it could change again without another identity, so the
		// next caller must read it again.
		delete(d.known, name)
		return sum, nil
	}
	if d.known == nil || len(d.known) >= maxKnown {
		d.known = map[string]knownDigest{}
	}
	d.known[name] = knownDigest{id, sum}
	return sum, nil
}

// read hashes a file and returns the file's identity after reading. If someone writes to it
// meanwhile, the identity changes, and its times are then too recent to be reliable.
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
	size, mtime, ctime int64 // bytes and unix ns; ctime is 0 on systems without it
	inode              uint64
	mode               fs.FileMode // type and executable bits
}

// stat returns the identity of a file itself, not of the target of a link.
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

// Times within which two changes of a file may not be distinguishable by its time.
const (
	fineWindow   = 50 * time.Millisecond // kernels' clocks tick every 1 to 10 ms
	coarseWindow = 2 * time.Second       // FAT counts in steps of two seconds, HFS+ and ext3 of one
)

// reliable reports whether a file with this identity, read at or after seen, cannot have changed
// without changing its identity, because its times are older than the window. A time without
// milliseconds may come from a disk that counts in seconds.
func (i identity) reliable(seen time.Time) bool {
	window := fineWindow
	if i.mtime%int64(time.Millisecond) == 0 {
		window = coarseWindow
	}
	return max(i.mtime, i.ctime) < seen.Add(-window).UnixNano()
}
