package main

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

var manual = flag.Bool("manual", false, "write the man pages and completions of a release into bin/manual")

// TestManual makes what a release has beside the programs: a man page of each command and
// completions of three shells. Only tests import cobra's generator: the program would be larger by
// its templates.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	if *manual {
		dir = "../../bin/manual"
	}
	root := (&app{}).commands()
	for _, folder := range []string{"man", "completions/bash", "completions/zsh", "completions/fish"} {
		fault.Check(t, os.MkdirAll(filepath.Join(dir, folder), 0o755))
	}
	root.DisableAutoGenTag = true
	bash, err := bashCompletion(root)
	fault.Check(t, err)
	fits(t, root)
	fault.Check(t, errors.Join(
		doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "aOa", Manual: "aOa"}, filepath.Join(dir, "man")),
		os.WriteFile(filepath.Join(dir, "completions/bash/aoa"), []byte(bash), 0o644),
		root.GenZshCompletionFile(filepath.Join(dir, "completions/zsh/_aoa")),
		root.GenFishCompletionFile(filepath.Join(dir, "completions/fish/aoa.fish"), true)))
	for file, want := range map[string]string{"man/aoa.1": "aoa-suggest", "man/aoa-hooks-install.1": "SYNOPSIS",
		"completions/bash/aoa": "__start_aoa", "completions/zsh/_aoa": "#compdef aoa",
		"completions/fish/aoa.fish": "complete -c aoa"} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || !strings.Contains(strings.ReplaceAll(string(text), `\-`, "-"), want) {
			t.Errorf("%s has no %q (%v)", file, want, err)
		}
	}
}

// fits: a page is indented by seven columns and does not wrap examples, so 73 remain of a terminal
// with 80.
func fits(t *testing.T, c *cobra.Command) {
	for line := range strings.Lines(c.Example) {
		if width(strings.TrimRight(line, "\n")) > 73 {
			t.Errorf("%s: an example is too wide: %s", c.CommandPath(), line)
		}
	}
	for _, sub := range c.Commands() {
		fits(t, sub)
	}
}
