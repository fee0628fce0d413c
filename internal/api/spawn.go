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

// Spawn starts a daemon for the repository in dir as a separate process. It returns when the daemon
// listens, or when it has exited because another one holds the lock. The error tells why the daemon
// cannot serve.
//
// The daemon reports on its stdout: it writes there what went wrong, and closes it when it listens.
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
	go func() { _ = cmd.Wait() }() // a caller that lives longer, such as aoa mcp, must not keep a zombie
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

// maxReport is the number of bytes of a daemon's report that are read.
const maxReport = 4 << 10
