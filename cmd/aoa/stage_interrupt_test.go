//go:build !windows

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestStageInterrupted: ctrl-C reaches all that the command started, nothing is kept, and the next
// one has its turn, as after a kill.
func TestStageInterrupted(t *testing.T) {
	d := initialized(t, 1)
	goOn := d.path(".git/go")
	fault.Check(t, syscall.Mkfifo(goOn, 0o600))
	// The child has the pipe open as long as it lives.
	stage := []string{"stage", "run", "s", "--dep", "README.md", "--", "sh", "-c",
		`echo ran >>.git/log; (exec 3<>.git/go; read x <&3) & wait; echo out`}
	ran := func() int {
		log, _ := os.ReadFile(d.path(".git/log")) // none before the first run
		return bytes.Count(log, []byte("\n"))
	}
	alive := func(say string) bool {
		f, err := os.OpenFile(goOn, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return false
		}
		_, err = f.WriteString(say)
		fault.Check(t, errors.Join(err, f.Close()))
		return true
	}
	for i, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		s := d.command(d.bin, stage...)
		var errs bytes.Buffer
		s.Stderr = &errs
		fault.Check(t, s.Start())
		d.until("it runs, and has a child", func() bool { return ran() == i+1 && alive("") })
		fault.Check(t, s.Process.Signal(sig))
		_ = s.Wait() // the code says it
		if sig != syscall.SIGKILL {
			fault.Same(t, fmt.Sprint(sig), s.ProcessState.ExitCode(), 128+int(sig))
			if !strings.Contains(errs.String(), "not kept: it was interrupted") {
				t.Error(errs.String())
			}
			d.until("the child's child is gone", func() bool { return !alive("") })
		}
	}
	fault.Same(t, "kept", d.do("stage", "list").out, "")
	alive("\n") // what is left of the one that was killed
	fault.Check(t, os.Remove(goOn))
	fault.Check(t, os.WriteFile(goOn, []byte("\n"), 0o600))
	fault.Same(t, "the next one", d.must(stage...), "out\n")
}
