package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/hooks/install"
)

// statusChange is what was done to the settings, for --json.
type statusChange struct {
	File string `json:"file"`
	Done string `json:"done"` // created, changed, unchanged, deleted, absent
}

func (a *app) statuslineInstall() *cobra.Command {
	var hand bool
	c := &cobra.Command{
		Use:   "install",
		Short: "add it to Claude Code's settings and wrap the present status line",
		Long: `Adds the status line to the settings.json in Claude Code's folder. If you have a status line, it is
wrapped: its lines stay above this one. Every other byte of the file stays, and aoa statusline remove
restores the original bytes. If the file cannot be edited safely, it stays unchanged, and the text to
add by hand is printed.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if hand {
				return a.statusByHand()
			}
			file, o := a.statusFile()
			return a.statusDone(install.AddStatusLine(file, o))
		},
	}
	c.Flags().BoolVar(&hand, "print", false, "print the setting and change no file")
	return c
}

func (a *app) statuslineRemove() *cobra.Command {
	return &cobra.Command{
		Use:   "remove",
		Short: "remove it from Claude Code's settings",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			file, o := a.statusFile()
			return a.statusDone(install.RemoveStatusLine(file, o))
		},
	}
}

// statusFile is the user's settings, and how far a symbolic link may lead from them.
func (a *app) statusFile() (string, install.Options) {
	file := filepath.Join(a.claudeHome(), "settings.json")
	if rel, err := filepath.Rel(a.home(), file); err != nil || !filepath.IsLocal(rel) {
		return file, install.Options{}
	}
	return file, install.Options{Within: a.home()}
}

func (a *app) statusDone(c install.Change, err error) error {
	if err != nil {
		return refusal(err)
	}
	return a.answer(statusChange(c), func() {
		if c.Done == install.Absent {
			a.talk("aOa has no status line in %s", c.File)
			return
		}
		a.table("claude\t" + c.Done + "\t" + c.File)
	})
}

// statusByHand prints the setting to add by hand.
func (a *app) statusByHand() error {
	file, _ := a.statusFile()
	line, err := install.StatusLineSnippet(file)
	if err != nil {
		return fail(exitFailed, "correct the file first", "read status line: %s: %v", file, err)
	}
	return a.answer(map[string]any{"file": file, "statusLine": line}, func() {
		var indented bytes.Buffer
		_ = json.Indent(&indented, line, "", "  ") // it is JSON
		a.talk("put this into %s in place of its statusLine:", file)
		fmt.Fprintf(a.out, "\"statusLine\": %s\n", &indented)
	})
}
