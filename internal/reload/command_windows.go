package reload

import "os/exec"

// together does nothing: a command that is ended here leaves what it has started.
func together(*exec.Cmd) {}
