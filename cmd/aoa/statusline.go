package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/hooks/client"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/watcher"
)

// Limits for the status line. Claude Code draws it after every message, so it must not take long.
const (
	statusStdin = 100 * time.Millisecond // to read the client's JSON, if stdin is not closed
	statusAsk   = 30 * time.Millisecond  // to wait for the daemon
	statusInput = 1 << 20                // bytes of JSON that are read
)

func (a *app) statusline() *cobra.Command {
	return newCommand("statusline", "one line for Claude Code's status bar", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			reading, cancel := context.WithTimeout(ctx, statusStdin*time.Duration(client.Factor()))
			defer cancel()
			in := readStatus(a.stdin(reading))
			session, off := a.askSession(ctx, in)
			if line := statusText(in, session, off); line != "" {
				fmt.Fprintln(a.out, line)
			}
			return nil
		})
}

// statusIn has the fields of the client's JSON that are used.
type statusIn struct {
	Session   string `json:"session_id"`
	Dir       string `json:"cwd"`
	Workspace struct {
		Dir string `json:"current_dir"`
	} `json:"workspace"`
	Window contextWindow `json:"context_window"`
}

// contextWindow tells how much of the model's context is used.
type contextWindow struct {
	Tokens  int64   `json:"total_input_tokens"`
	Percent float64 `json:"used_percentage"`
}

// readStatus reads these fields from the first JSON value. Any of them may be missing, null or of
// another type. What does not arrive in time is ignored.
func readStatus(r io.Reader) (in statusIn) {
	_ = json.NewDecoder(io.LimitReader(r, statusInput)).Decode(&in) // a field of another type stays empty
	if in.Dir = cmp.Or(in.Workspace.Dir, in.Dir); len(in.Session) > 256 {
		in.Session = ""
	}
	in.Window.Tokens = min(max(in.Window.Tokens, 0), 1<<40)
	in.Window.Percent = min(max(in.Window.Percent, 0), 100)
	return in
}

// askSession asks the daemon about the client's session. off means that aOa knows the repository
// but no daemon answered in time. Outside of such a repository both results are zero.
func (a *app) askSession(ctx context.Context, in statusIn) (_ *api.SessionAnswer, off bool) {
	ctx, cancel := context.WithTimeout(ctx, statusAsk*time.Duration(client.Factor()))
	defer cancel()
	for _, dir := range []string{in.Dir, a.dir} {
		if !filepath.IsAbs(dir) {
			continue
		}
		repo, err := watcher.OpenRepo(ctx, dir, a.env)
		if err != nil {
			continue
		}
		place := locate.Find(repo.CommonDir, a.getenv)
		if place.Known() != nil {
			return nil, false
		}
		ans, err := api.Call(ctx, &api.Client{Place: place, Dir: dir}, api.Session, api.SessionRequest{Session: in.Session})
		return &ans, err != nil
	}
	return nil, false
}

// statusText returns the status line. It has only numbers and fixed words, and nothing of the
// input's text.
func statusText(in statusIn, s *api.SessionAnswer, off bool) string {
	mode := "● Live"
	switch {
	case off:
		mode, s = "○ aOa off", nil
	case s == nil:
		mode = ""
	case s.Mode == "session":
		mode = "⟳ Session"
	}
	parts := []string{mode}
	if in.Window.Tokens > 0 {
		text := thousands(in.Window.Tokens) + " tokens"
		if in.Window.Percent > 0 {
			text += fmt.Sprintf(" (%.0f%%)", in.Window.Percent)
		}
		parts = append(parts, text)
	}
	switch {
	case s == nil:
	case s.Resolved > 0:
		parts = append(parts, fmt.Sprintf("%d of %d hints used (%d%%)", s.Used, s.Resolved, 100*s.Used/s.Resolved))
	case s.Shown > 0:
		parts = append(parts, plural(s.Shown, "hint"))
	}
	switch {
	case s == nil:
	case s.Files > 0:
		parts = append(parts, plural(s.Files, "file"))
	default:
		parts = append(parts, plural(s.Known, "file")+" known")
	}
	return strings.TrimPrefix(strings.Join(parts, " | "), " | ")
}

// thousands formats 48213 as 48k and 1250000 as 1.2M.
func thousands(n int64) string {
	digits := 0
	if n >= 1e6 {
		digits = 1
	}
	return strings.ReplaceAll(humanize.SIWithDigits(float64(n), digits, ""), " ", "")
}
