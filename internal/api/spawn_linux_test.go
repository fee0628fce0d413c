package api_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestMain lets the test binary be the daemon that Spawn starts. It ends at once.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "daemon" {
		return
	}
	m.Run()
}

// TestNoZombies: aoa mcp lives as long as its client and starts a daemon whenever a question finds
// none. Of the daemons that have ended nothing is left.
func TestNoZombies(t *testing.T) {
	for range 3 {
		fault.Check(t, api.Spawn(t.Context(), t.TempDir(), os.Environ()))
	}
	fault.Until(t, time.Minute, "this process has no child", func() bool {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		return errors.Is(err, unix.ECHILD)
	})
}
