package cold

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// syncAfter is the time after a commit within which the write-ahead log is synced, that is how much
// a power cut may destroy. SQLite itself syncs it only before moving it into the file, every 16 MB.
// Syncing only this log is enough: after a power cut SQLite reads it up to the last complete
// commit.
const syncAfter = 5 * time.Second

// syncer syncs the write-ahead log of a file in the background, so that a commit does not wait for
// the disk.
type syncer struct {
	path   string // path of the database
	due    atomic.Bool
	warn   func(error) // called at the first failure
	failed sync.Once
}

// soon schedules a sync. It is called after each commit.
func (s *syncer) soon() {
	if !s.due.Swap(true) {
		time.AfterFunc(syncAfter, s.sync)
	}
}

// sync makes earlier commits durable. Later commits are left to the next sync. If there is no
// write-ahead log, the last connection has moved it into the file and synced that.
func (s *syncer) sync() {
	s.due.Store(false)
	switch err := syncFile(s.path + "-wal"); {
	case err == nil:
		_ = syncFile(filepath.Dir(s.path)) // the log may have been created since; not every system can sync a folder
	case !errors.Is(err, fs.ErrNotExist):
		s.failed.Do(func() { s.warn(err) })
	}
}

func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		if f, err = os.Open(name); err != nil { // a folder
			return err
		}
	}
	return errors.Join(f.Sync(), f.Close())
}
