//go:build unix

package main

import (
	"syscall"
	"testing"

	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestServerStopped: the server hangs for a while, as one that swaps, or whose machine does.
func TestServerStopped(t *testing.T) {
	t.Parallel()
	s := newServer(t, fleeting...)
	x := newTeam(t, s.url(), 2, 22)
	t.Cleanup(func() { _ = s.cmd.Process.Signal(syscall.SIGCONT) }) // before it is killed
	asked := 0
	stop := func() { check(t, s.cmd.Process.Signal(syscall.SIGSTOP)); asked = x.answered() }
	goOn := func() { // not before hooks and people were answered without it
		x.sandboxes[0].until("ten answers without the server", func() bool { return x.answered() >= asked+10 })
		check(t, s.cmd.Process.Signal(syscall.SIGCONT))
	}
	x.suffer(fault.Open(t, "server stopped (SIGSTOP)"), fault.Rounds(), func() outage { return outage{stop, goOn, false} })
}
