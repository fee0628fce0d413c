package run

import (
	"os"
	"os/exec"
)

// ending has the signals that end a step.
var ending = []os.Signal{os.Interrupt}

// newGroup does nothing, because the console sends its events to every process.
func newGroup(*exec.Cmd) {}

// pass does nothing, because the child also got the console's event.
func pass(*exec.Cmd, bool, os.Signal) {}

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func signalOf(*os.ProcessState) int { return 0 }
