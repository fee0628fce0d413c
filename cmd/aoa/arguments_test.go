package main

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
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
