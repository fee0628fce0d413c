package run

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	posix "mvdan.cc/sh/v3/shell"

	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/stage"
)

const (
	toolTime   = 20 * time.Second // time for a tool to print its version
	maxVersion = 4096             // bytes of a version
)

// Variable returns the value of an environment variable, nil if it is not set.
func Variable(env []string, name string) *string {
	if v, ok := config.LookupEnv(env, name); ok {
		return &v
	}
	return nil
}

// FindTool finds the program of a command that prints a version. A single word NAME means "NAME
// --version".
func FindTool(command string, env []string) (t stage.Tool, err error) {
	if command == "" {
		return t, nil
	}
	words, err := posix.Fields(command, config.Lookup(env))
	if err != nil || len(words) == 0 {
		return t, event.BadRequest("name a program, or a command that prints its version", "tool %s: not a command: %v", command, err)
	}
	if len(words) == 1 {
		command += " --version"
	}
	where, err := exec.LookPath(words[0])
	if err == nil {
		where, err = filepath.Abs(where)
	}
	if err != nil {
		return t, event.BadRequest("install it, or leave --tool out", "tool %s: %v", words[0], err)
	}
	return stage.Tool{Command: command, Path: where}, nil
}

// ToolVersion runs a tool to get its version.
func ToolVersion(ctx context.Context, t stage.Tool, dir string, env []string) (string, error) {
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
		return "", event.BadRequest(`name the command that prints it, such as --tool "go version"`, "%s does not print a version: %v",
			t.Command, err)
	}
	return text[:min(len(text), maxVersion)], nil
}
