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

// syncAfter is how long after a commit the write-ahead log is synced: what a power cut may take
// along. SQLite itself syncs it only before it goes into the file, 16 MB later. Syncing the log is
// enough: after a power cut SQLite reads it up to the last commit that is whole.
const syncAfter = 5 * time.Second

// syncer syncs the write-ahead log of a file beside those who write: a commit waits for no disk.
type syncer struct {
	path   string // of the database
	due    atomic.Bool
	warn   func(error) // called for the first failure
	failed sync.Once
}

// soon is called after each commit.
func (s *syncer) soon() {
	if !s.due.Swap(true) {
		time.AfterFunc(syncAfter, s.sync)
	}
}

// sync makes earlier commits durable. Later ones are the business of the next sync. If there is no
// write-ahead log, the last connection has moved it into the file and synced that.
func (s *syncer) sync() {
	s.due.Store(false)
	switch err := syncFile(s.path + "-wal"); {
	case err == nil:
		_ = syncFile(filepath.Dir(s.path)) // the name of a log that was made since; not every system can
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
