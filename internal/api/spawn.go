package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/aoa-dev/aoa/internal/locate"
)

// Spawn starts a daemon for the repository in dir as a process of its own and returns when it
// listens, or gave way to another one: of several that are spawned, one gets the lock. The error
// says why it cannot serve.
//
// The daemon reports on its stdout: it closes it when it listens, and writes there what went wrong.
func Spawn(ctx context.Context, dir string, env []string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find own binary: %w", err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	report, stdout, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, "daemon", "run", "--report")
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = null, stdout, null
	cmd.SysProcAttr = locate.Detached()
	err = cmd.Start()
	stdout.Close()
	if err != nil {
		report.Close()
		return fmt.Errorf("start daemon: %w", err)
	}
	failure := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(io.LimitReader(report, maxReport))
		report.Close()
		failure <- strings.TrimSpace(string(text))
	}()
	go func() { _ = cmd.Wait() }() // a caller that lives longer, as aoa mcp does, must not keep a zombie
	select {
	case <-ctx.Done():
		return ctx.Err()
	case text := <-failure:
		if text != "" {
			return errors.New(text)
		}
		return nil
	}
}

// maxReport bounds what is read of a daemon's report, in bytes.
const maxReport = 4 << 10
