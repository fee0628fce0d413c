package run

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	posix "mvdan.cc/sh/v3/shell"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
)

const (
	toolTime   = 20 * time.Second // that a tool may take to print its version
	maxVersion = 4096             // bytes of a version
)

// ToolVersion asks a tool for its version, in a folder and with an environment.
func ToolVersion(ctx context.Context, t api.StageTool, dir string, env []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, toolTime)
	defer cancel()
	words, err := posix.Fields(t.Command, config.Lookup(env))
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, t.Path, words[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, env, time.Second
	out, err := cmd.CombinedOutput() // java prints it to stderr
	text := strings.TrimSpace(string(out))
	if err != nil || text == "" {
		return "", &api.Error{Code: api.CodeInternal, Hint: "try it: " + t.Command,
			Message: fmt.Sprintf("tool %s does not print its version: %v", t.Command, err)}
	}
	return text[:min(len(text), maxVersion)], nil
}
