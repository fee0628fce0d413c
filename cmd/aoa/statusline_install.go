package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tailscale/hujson"
)

// ourStatus recognises a status line command that runs us already, wrapped or wrapping.
var ourStatus = regexp.MustCompile(`(^|[\s;&|/\\"'])aoa(\.exe)?["']?\s+statusline\b`)

// statusSetting is the "statusLine" of Claude Code's settings.
type statusSetting struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Padding *int   `json:"padding,omitempty"`
	Refresh int    `json:"refreshInterval,omitempty"` // seconds
}

func (a *app) statuslineInstall() *cobra.Command {
	return &cobra.Command{
		Use:   "install",
		Short: "print the settings that show it, the present status line wrapped",
		Long: `Prints what belongs into Claude Code's settings.json, and the file it belongs into; it changes no
file. Your present status line, if you have one, is wrapped: its lines stay above ours. To undo,
put back the command that --wrap names.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			file := filepath.Join(a.claudeHome(), "settings.json")
			present, err := readStatusSetting(file)
			if err != nil {
				return fail(exitFailed, "mend the file first", "read status line: %v", err)
			}
			if ourStatus.MatchString(present.Command) {
				a.talk("%s shows it already", file)
			}
			want := wrapStatus(present)
			return a.answer(map[string]any{"file": file, "statusLine": want}, func() {
				a.talk("put this into %s, in the place of its statusLine:", file)
				fmt.Fprintf(a.out, "\"statusLine\": %s\n", snippet(want))
			})
		},
	}
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

// wrapStatus is ours around theirs; ours around ours is ours. Behind a missing binary theirs still runs.
func wrapStatus(s statusSetting) statusSetting {
	switch {
	case ourStatus.MatchString(s.Command):
	case s.Command == "":
		s.Command = "command -v aoa >/dev/null 2>&1 || exit 0; exec aoa statusline"
	default:
		theirs := shellQuote(s.Command)
		s.Command = "command -v aoa >/dev/null 2>&1 || exec sh -c " + theirs + "; exec aoa statusline --wrap " + theirs
	}
	s.Type = "command"
	return s
}

// shellQuote makes one word of a POSIX shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// snippet is v as indented JSON, with < > & as they are: they stand in commands.
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
