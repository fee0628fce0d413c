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

// Settings holds the configuration of a store. It can be loaded again while the daemon runs. It is
// safe for concurrent use.
type Settings struct {
	env     []string
	Store   string // the folder of all files except the settings
	file    string // the repository's settings file
	now     func() time.Time
	current atomic.Pointer[Reading]
	until   atomic.Pointer[time.Time] // until then nothing is learned or shown
}

// Open returns Settings with a configuration that was already loaded. It continues a pause that an
// earlier process began.
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

// Reading is a configuration and when it was loaded.
type Reading struct {
	*Config
	At   time.Time     // zero for the one loaded at the start
	Next chan struct{} // closed when the configuration was loaded again
}

// Get returns the configuration that was loaded last.
func (s *Settings) Get() *Config { return s.Last().Config }

// Last returns the last Reading.
func (s *Settings) Last() *Reading { return s.current.Load() }

// Reload loads the configuration again. Settings whose Effect is NextStart are loaded too, but the
// running daemon does not use the new value.
func (s *Settings) Reload() error {
	cfg, _, err := Load(s.env, s.file)
	if err == nil {
		close(s.current.Swap(&Reading{&cfg, s.now(), make(chan struct{})}).Next)
	}
	return err
}

// maxPauseFile is the largest pause file that is read, in bytes. A time is shorter.
const maxPauseFile = 64

// pauseFile returns the file that holds the end of a pause, so that the pause survives a restart of
// the daemon.
func (s *Settings) pauseFile() string { return filepath.Join(s.Store, "paused") }

// PausedUntil returns the end of the pause. It is zero or in the past if none exists.
func (s *Settings) PausedUntil() time.Time { return *s.until.Load() }

// Paused reports whether aOa is paused: it learns nothing and shows no hints.
func (s *Settings) Paused() bool { return s.now().Before(s.PausedUntil()) }

// Pause pauses until the given time. The zero time ends a pause.
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
