package daemon

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/internal/config"
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
}

// on reports whether a kind of hints is switched on. One without a switch is.
func (s *settings) on(k prefetch.Kind) bool {
	on, known := s.get().Kinds[string(k)]
	return on || !known
}

func newSettings(env []string, store string, now func() time.Time, cfg config.Config) *settings {
	s := &settings{env: env, store: store, now: now}
	s.current.Store(&cfg)
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

// paused reports whether aOa neither learns nor hints for now.
func (s *settings) paused() bool { return s.now().Before(s.get().PausedUntil) }
