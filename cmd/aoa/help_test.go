package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestHelp holds the page of aoa --help to a golden. TestCommandsPage holds the help of every
// command to docs/commands.md: what users read changes only on purpose.
func TestHelp(t *testing.T) {
	var out bytes.Buffer
	fault.Same(t, "exit code", run(context.Background(), []string{"--help"}, strings.NewReader(""), &out, &out, nil), 0)
	fault.Golden(t, "../../testdata/help.txt", out.String())
}

// TestHelpFits: every page of the help fits into 80 columns.
func TestHelpFits(t *testing.T) {
	pages := [][]string{{"--help"}, {"help", "all"}}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			pages = append(pages, append([]string{"help"}, strings.Fields(sub.CommandPath())[1:]...))
			walk(sub)
		}
	}
	walk((&app{}).commands())
	if len(pages) < 50 {
		t.Errorf("only %d pages", len(pages))
	}
	for _, args := range pages {
		var out bytes.Buffer
		run(context.Background(), args, strings.NewReader(""), &out, &out, nil)
		for line := range strings.Lines(out.String()) {
			if n := width(strings.TrimRight(line, "\n")); n > 80 && args[1] != "completion" { // cobra's own page
				t.Errorf("%v: %d columns: %q", args, n, line)
			}
		}
	}
}

// TestVariables: every AOA_ variable that a document or a help text names is one that the program
// reads.
func TestVariables(t *testing.T) {
	known := map[string]bool{"AOA_TEST_REDIS": true, "AOA_REQUIRE": true}
	for _, v := range config.Variables {
		known[v.Name] = true
	}
	for _, k := range config.Keys() {
		known[k.Env] = true
	}
	found := 0
	for _, f := range []string{"../../docs/commands.md", "../../README.md", "../../docs/api.md", "../../CONTRIBUTING.md"} {
		raw := fault.Must(os.ReadFile(f))
		for _, v := range regexp.MustCompile(`AOA_[A-Z0-9_]+`).FindAllString(string(raw), -1) {
			if found++; !known[strings.TrimRight(v, "_")] {
				t.Errorf("%s names %s, which nothing reads", f, v)
			}
		}
	}
	if found == 0 {
		t.Error("no document names a variable: nothing was tested")
	}
}

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
	if found := described(root); found != strings.Count(helpText, "\n=== ") {
		t.Errorf("help.txt describes %d commands, and others that do not exist", found)
	}
	bash := fault.Must(bashCompletion(root))
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

// described describes a command and those below it, and returns how many of them help.txt has.
func described(c *cobra.Command) (found int) {
	if describe(c); strings.Contains(helpText, "\n=== "+c.CommandPath()+"\n") {
		found++
	}
	for _, sub := range c.Commands() {
		found += described(sub)
	}
	return found
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
