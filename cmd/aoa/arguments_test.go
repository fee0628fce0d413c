package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// takes is the longest command line of each command. What ends in "…" takes as many arguments as
// one likes.
var takes = []string{"init", "suggest …", "check …", "why a", "status", "report", "remove", "stats files", "log",
	"feedback good a", "config threshold 0.7", "config --unset threshold", "doctor", "pause 1h", "forget a",
	"hooks install …", "hooks remove …", "daemon start", "daemon stop", "daemon run", "context",
	"session list", "session show a", "session resume a", "session set a paused", "session rm a", "reload list",
	"reload show a", "reload run a", "reload undo a", "reload forget a", "reload forget --all", "cache put a",
	"cache get a", "cache list", "cache rm a", "cache rm --all", "stage run …", "stage why a", "stage list a", "stage rm a",
	"stage rm --all", "pipeline run …", "pipeline check …", "redis", "mcp", "hook …", "statusline", "help init",
	"completion bash", "completion zsh", "completion fish", "completion powershell", "check --staged", "--version"}

// TestNoArgumentIsSwallowed gives each command one argument more than it uses.
func TestNoArgumentIsSwallowed(t *testing.T) {
	var leaves func(c *cobra.Command)
	leaves = func(c *cobra.Command) {
		name := strings.TrimPrefix(c.CommandPath(), "aoa ")
		if !c.HasSubCommands() && !slices.ContainsFunc(takes, func(l string) bool { return l == name || strings.HasPrefix(l, name+" ") }) {
			t.Errorf("aoa %s is not in the table", name)
		}
		for _, sub := range c.Commands() {
			leaves(sub)
		}
	}
	root := (&app{}).commands()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	leaves(root)
	t.Chdir(t.TempDir())
	for _, line := range takes {
		if strings.HasSuffix(line, "…") {
			continue
		}
		var out, errw bytes.Buffer
		args := append(strings.Fields(line), "toomuch")
		if code := run(context.Background(), args, strings.NewReader(""), &out, &errw, nil); code != exitUsage {
			t.Errorf("aoa %s: exit %d, %s%s", strings.Join(args, " "), code, &out, &errw)
		}
	}
}

// TestInterruptedInput: what reads standard input ends with ctrl-C.
func TestInterruptedInput(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, line := range []string{"suggest -", "cache put", "cache put -"} {
		ctx, cancel := context.WithCancel(context.Background())
		in, open := io.Pipe() // nothing comes
		cancel()
		var out, errw bytes.Buffer
		if code := run(ctx, strings.Fields(line), in, &out, &errw, nil); code != exitInterrupted {
			t.Errorf("aoa %s: exit %d, %s%s", line, code, &out, &errw)
		}
		open.Close()
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestFullDisk: what cannot be printed is an error.
func TestFullDisk(t *testing.T) {
	for _, line := range []string{"--version", "--version --json", "help", "help all", "suggest --help", "completion bash"} {
		var errw bytes.Buffer
		code := run(context.Background(), strings.Fields(line), strings.NewReader(""), full{}, &errw, nil)
		fault.Same(t, line, fmt.Sprint(code, " ", errw.String()), "1 aoa: no space left\n")
	}
}
