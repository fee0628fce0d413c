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

// lazyFile is a File that is opened when it is first used and again after CloseIdle closed it: an
// unused store costs no memory. It is safe for concurrent use.
type lazyFile struct {
	path   string
	schema string
	o      Options
	folder fs.FileInfo // as it was at newLazy; nil: there was none

	mu   sync.RWMutex // held for reading while the file is used
	file *File
	used atomic.Bool // since the last CloseIdle
}

// newLazy opens nothing. The arguments are OpenFile's.
func newLazy(path, schema string, o Options) *lazyFile {
	l := &lazyFile{path: path, schema: schema, o: o}
	l.folder, _ = os.Stat(filepath.Dir(path)) // open reports what is wrong with it
	return l
}

// Exists reports whether there is a file.
func (l *lazyFile) Exists() bool { return exists(l.path) }

// use calls fn with the open file, which stays open until fn returns; fn must not use it a second
// time inside. Errors are OpenFile's and fn's.
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

// useExisting is like use, but does nothing if there is no file: reading an empty store must not
// create one.
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
	// A store that was moved, deleted or replaced under the daemon gets no file in its old place.
	folder, err := os.Stat(filepath.Dir(l.path))
	if err != nil {
		return err
	}
	if l.folder != nil && !os.SameFile(l.folder, folder) {
		return fmt.Errorf("open %s: its folder was replaced: %w", l.path, fs.ErrNotExist)
	}
	f, err := OpenFile(ctx, l.path, l.schema, l.o)
	if l.file = f; err == nil {
		l.o.checked = -1 // check once in each process
	}
	return err
}

// CloseIdle closes the file if it was not used since the last CloseIdle.
func (l *lazyFile) CloseIdle() error {
	if l.used.Swap(false) {
		return nil
	}
	return l.Close()
}

// Close closes the file if it is open. Another use opens it again.
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
