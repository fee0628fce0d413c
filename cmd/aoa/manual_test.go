package main

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra/doc"
)

var manual = flag.Bool("manual", false, "write the man pages and completions of a release into bin/manual")

// TestManual makes what a release has beside the programs: a man page of each command and completions of three
// shells. Only tests import cobra's generator: the program would be larger by its templates.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	if *manual {
		dir = "../../bin/manual"
	}
	root := (&app{}).commands()
	for _, folder := range []string{"man", "completions/bash", "completions/zsh", "completions/fish"} {
		check(t, os.MkdirAll(filepath.Join(dir, folder), 0o755))
	}
	root.DisableAutoGenTag = true
	check(t, errors.Join(
		doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "aOa", Manual: "aOa"}, filepath.Join(dir, "man")),
		root.GenBashCompletionFileV2(filepath.Join(dir, "completions/bash/aoa"), true),
		root.GenZshCompletionFile(filepath.Join(dir, "completions/zsh/_aoa")),
		root.GenFishCompletionFile(filepath.Join(dir, "completions/fish/aoa.fish"), true)))
	for file, want := range map[string]string{"man/aoa.1": "aoa-suggest", "man/aoa-hooks-install.1": "SYNOPSIS",
		"completions/bash/aoa": "__start_aoa", "completions/zsh/_aoa": "#compdef aoa", "completions/fish/aoa.fish": "complete -c aoa"} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || !strings.Contains(strings.ReplaceAll(string(text), `\-`, "-"), want) {
			t.Errorf("%s has no %q (%v)", file, want, err)
		}
	}
}
