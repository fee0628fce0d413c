package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Settings holds the configuration of a store, which can be loaded again while the daemon runs. It
// is safe for concurrent use.
type Settings struct {
	env     []string
	Store   string // the folder of all files but the settings
	file    string // with the repository's settings
	now     func() time.Time
	current atomic.Pointer[Reading]
	until   atomic.Pointer[time.Time] // nothing is learned or shown until then
}

// Open takes a configuration that was read before, and a pause that an earlier process began.
func Open(env []string, store, file string, now func() time.Time, cfg Config) *Settings {
	s := &Settings{env: env, Store: store, file: file, now: now}
	s.current.Store(&Reading{Config: &cfg, Next: make(chan struct{})})
	s.until.Store(&time.Time{})
	if raw, err := regularfile.Read(s.pauseFile(), regularfile.NoLinks, maxPauseFile); err == nil {
		if until, err := time.Parse(time.RFC3339, strings.TrimSpace(string(raw))); err == nil {
			s.until.Store(&until)
		}
	}
	return s
}

// Reading is a configuration as it was read once.
type Reading struct {
	*Config
	At   time.Time     // zero for that of the start
	Next chan struct{} // closed when the configuration has been read again
}

// Get returns the configuration as it was read last.
func (s *Settings) Get() *Config { return s.Last().Config }

// Last returns the last reading.
func (s *Settings) Last() *Reading { return s.current.Load() }

// Reload reads the configuration again. A setting whose Effect is NextStart is read, but nothing
// looks at it.
func (s *Settings) Reload() error {
	cfg, _, err := Load(s.env, s.file)
	if err == nil {
		close(s.current.Swap(&Reading{&cfg, s.now(), make(chan struct{})}).Next)
	}
	return err
}

// maxPauseFile is more than a time has, in bytes.
const maxPauseFile = 64

// pauseFile holds the time of a pause, so that it outlives the daemon.
func (s *Settings) pauseFile() string { return filepath.Join(s.Store, "paused") }

// PausedUntil is the time until which nothing is learned or shown, zero or past for none.
func (s *Settings) PausedUntil() time.Time { return *s.until.Load() }

// Paused reports whether aOa neither learns nor hints for now.
func (s *Settings) Paused() bool { return s.now().Before(s.PausedUntil()) }

// Pause pauses until a time; the zero time ends a pause.
func (s *Settings) Pause(until time.Time) error {
	var err error
	if until.IsZero() {
		err = os.Remove(s.pauseFile())
	} else {
		err = atomicfile.WriteBytes(s.pauseFile(), atomicfile.Options{}, []byte(until.Format(time.RFC3339)+"\n"))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("pause: %w", err)
	}
	s.until.Store(&until)
	return nil
}
