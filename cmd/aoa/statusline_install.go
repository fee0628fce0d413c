package main

import (
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
	return &cobra.Command{
		Use:   "install",
		Short: "add it to Claude Code's settings",
		Long: `Adds the status line to the settings.json in Claude Code's folder. Every other byte of the file stays. If
you have a status line, or if the file cannot be edited safely, it stays unchanged, and the text to
add by hand is printed.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			file, o := a.statusFile()
			return a.statusDone(install.AddStatusLine(file, o))
		},
	}
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
