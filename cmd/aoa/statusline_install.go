package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tailscale/hujson"

	"github.com/aoa-dev/aoa/hooks/install"
)

// statusSetting is the "statusLine" of Claude Code's settings.
type statusSetting struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Padding *int   `json:"padding,omitempty"`
	Refresh int    `json:"refreshInterval,omitempty"` // seconds
}

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
	want, err := readStatusSetting(file)
	if err != nil {
		return fail(exitFailed, "correct the file first", "read status line: %v", err)
	}
	want.Type, want.Command = "command", install.StatusLineCommand(want.Command)
	return a.answer(map[string]any{"file": file, "statusLine": want}, func() {
		a.talk("put this into %s in place of its statusLine:", file)
		fmt.Fprintf(a.out, "\"statusLine\": %s\n", snippet(want))
	})
}

// readStatusSetting reads the present status line: none if there is no file, or none in it.
func readStatusSetting(file string) (s statusSetting, err error) {
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	std, err := hujson.Standardize([]byte(strings.TrimPrefix(string(raw), "\ufeff")))
	if err != nil {
		return s, fmt.Errorf("%s: %w", file, err)
	}
	var all struct {
		StatusLine statusSetting `json:"statusLine"`
	}
	if err := json.Unmarshal(std, &all); err != nil {
		return s, fmt.Errorf("%s: %w", file, err)
	}
	return all.StatusLine, nil
}

// snippet is v as indented JSON, without escapes for < > &, which commands contain.
func snippet(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}
