package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/regularfile"
	"github.com/aoa-dev/aoa/prefetch"
)

// base is what most parts of a daemon need.
type base struct {
	now      func() time.Time
	log      *slog.Logger
	alert    *slog.Logger // a log whose warnings are shown by aoa status
	settings *settings
}

// settings holds the configuration, which can be loaded again while the daemon runs.
type settings struct {
	env     []string
	store   string // the folder of all files
	now     func() time.Time
	current atomic.Pointer[config.Config]
	until   atomic.Pointer[time.Time] // nothing is learned or shown until then
}

// on reports whether hints of a kind are shown.
func (s *settings) on(k prefetch.Kind) bool { return s.get().Shows(string(k)) }

func newSettings(env []string, store string, now func() time.Time, cfg config.Config) *settings {
	s := &settings{env: env, store: store, now: now}
	s.current.Store(&cfg)
	s.until.Store(&time.Time{})
	if raw, err := regularfile.Read(s.pauseFile(), regularfile.NoLinks, maxPauseFile); err == nil {
		if until, err := time.Parse(time.RFC3339, strings.TrimSpace(string(raw))); err == nil {
			s.until.Store(&until)
		}
	}
	return s
}

func (s *settings) get() *config.Config { return s.current.Load() }

// load reads the configuration again. What is only read at the start (redis_url, watch) needs a restart, and
// the command that sets it says so.
func (s *settings) load() error {
	cfg, _, err := config.Load(s.env, s.store)
	if err == nil {
		s.current.Store(&cfg)
	}
	return err
}

// maxPauseFile is more than a time has, in bytes.
const maxPauseFile = 64

// pauseFile holds the time of a pause, so that it outlives the daemon.
func (s *settings) pauseFile() string { return filepath.Join(s.store, "paused") }

// pausedUntil is the time until which nothing is learned or shown, zero or past for none.
func (s *settings) pausedUntil() time.Time { return *s.until.Load() }

// paused reports whether aOa neither learns nor hints for now.
func (s *settings) paused() bool { return s.now().Before(s.pausedUntil()) }

// pause pauses until a time; the zero time ends a pause.
func (s *settings) pause(until time.Time) error {
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
