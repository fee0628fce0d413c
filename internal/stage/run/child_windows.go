package run

import (
	"os"
	"os/exec"
)

// ending are the signals that end a step.
var ending = []os.Signal{os.Interrupt}

// newGroup does nothing: the console sends its events to every process.
func newGroup(*exec.Cmd) {}

// pass does nothing: the child got the console's event too.
func pass(*exec.Cmd, bool, os.Signal) {}

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func signalOf(*os.ProcessState) int { return 0 }
