package cold

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// lazyFile is a File that is opened at its first use, and again after CloseIdle has closed it, so
// that an unused store takes no memory. It is safe for concurrent use.
type lazyFile struct {
	path   string
	schema string
	o      Options
	folder fs.FileInfo // the folder at newLazy; nil if there was none

	mu   sync.RWMutex // held for reading while the file is used
	file *File
	used atomic.Bool // the file was used since the last CloseIdle
}

// newLazy returns a lazyFile without opening anything. The arguments are those of OpenFile.
func newLazy(path, schema string, o Options) *lazyFile {
	l := &lazyFile{path: path, schema: schema, o: o}
	l.folder, _ = os.Stat(filepath.Dir(path)) // open reports an error about the folder
	return l
}

// Exists reports whether there is a file.
func (l *lazyFile) Exists() bool { return exists(l.path) }

// use calls fn with the open file, which stays open until fn returns. fn must not call use again.
// Errors are those of OpenFile and fn.
func (l *lazyFile) use(ctx context.Context, fn func(*File) error) error {
	for {
		l.mu.RLock()
		if l.file != nil {
			break
		}
		l.mu.RUnlock()
		if err := l.open(ctx); err != nil {
			return err
		}
	}
	defer l.mu.RUnlock()
	l.used.Store(true)
	return fn(l.file)
}

// useExisting is like use but does nothing if there is no file, because reading an empty store must
// not create one.
func (l *lazyFile) useExisting(ctx context.Context, fn func(*File) error) error {
	if !l.Exists() {
		return nil
	}
	return l.use(ctx, fn)
}

func (l *lazyFile) open(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		return nil
	}
	// If the store was moved, deleted or replaced while the daemon runs, no file is created in its
	// old place.
	folder, err := os.Stat(filepath.Dir(l.path))
	if err != nil {
		return err
	}
	if l.folder != nil && !os.SameFile(l.folder, folder) {
		return fmt.Errorf("open %s: its folder was replaced: %w", l.path, fs.ErrNotExist)
	}
	f, err := OpenFile(ctx, l.path, l.schema, l.o)
	if l.file = f; err == nil {
		l.o.checked = -1 // check only once in each process
	}
	return err
}

// CloseIdle closes the file if it was not used since the previous call of CloseIdle.
func (l *lazyFile) CloseIdle() error {
	if l.used.Swap(false) {
		return nil
	}
	return l.Close()
}

// Close closes the file if it is open. The next use opens it again.
func (l *lazyFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	return f.Close()
}
