package daemon_test

import (
	"log/slog"
	"testing"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestLevelFollows: a running daemon takes a changed log_level at once.
func TestLevelFollows(t *testing.T) {
	d := newFixture(t)
	d.o.Level = new(slog.LevelVar)
	d.start()
	fault.Check(t, config.Set(d.o.Place.Settings(), "log_level", "debug"))
	_, err := api.Call(t.Context(), &api.Client{Place: d.o.Place, Dir: string(d.o.Repo.Root)}, api.Config, api.None{})
	fault.Check(t, err)
	fault.Same(t, "level", d.o.Level.Level(), slog.LevelDebug)
}
