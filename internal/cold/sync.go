package cold

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// syncAfter is how long after a commit the write-ahead log is synced: what a power cut may take along. SQLite itself
// syncs it only before it goes into the file, 16 MB later. Syncing the log is enough: after a power cut SQLite reads
// it up to the last commit that is whole.
const syncAfter = 5 * time.Second

// syncer syncs the write-ahead log of a file beside those who write: a commit waits for no disk.
type syncer struct {
	path string // of the database

	mu     sync.Mutex  // guards what follows
	timer  *time.Timer // set while something is to be synced
	closed bool
	warn   func(error) // called once for failures in a row
	failed bool
}

// soon is called after each commit.
func (s *syncer) soon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer == nil && !s.closed {
		s.timer = time.AfterFunc(syncAfter, s.sync)
	}
}

// sync syncs what was committed before. What is committed meanwhile is another one's.
func (s *syncer) sync() {
	s.mu.Lock()
	s.timer = nil
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return // the last connection has put the log into the file, and synced that
	}
	err := syncFile(s.path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		_ = syncFile(filepath.Dir(s.path)) // the name of a log that was made since; not every system can
	}
	s.mu.Lock()
	first := err != nil && !s.failed
	s.failed = err != nil
	s.mu.Unlock()
	if err != nil {
		s.soon()
	}
	if first {
		s.warn(err)
	}
}

// stop ends it.
func (s *syncer) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
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
