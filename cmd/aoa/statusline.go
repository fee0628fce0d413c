package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/aoa-dev/aoa/hooks/client"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/watcher"
)

// Claude Code draws the status line after every message: these are the longest times that it may take.
const (
	statusStdin = 100 * time.Millisecond // for the client's JSON, if stdin is not closed
	statusAsk   = 30 * time.Millisecond  // for the daemon
	statusInput = 1 << 20                // bytes of JSON that are read
)

func (a *app) statusline() *cobra.Command {
	return &cobra.Command{
		Use:   "statusline",
		Short: "one line for Claude Code's status bar",
		Long: `Reads Claude Code's JSON from stdin and prints one line: ● Live, or ⟳ Session if the session was
resumed or compacted; the tokens of the context; how many of the files in hints were opened; and how
many files the session opened. Without a daemon it prints only what the JSON contains. It starts no
daemon, waits at most 30 ms for one, and exits 0.

Settings of Claude Code:  "statusLine": {"type": "command", "command": "aoa statusline"}`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			a.drawStatus(c.Context())
			return nil
		},
	}
}

// statusReport is the line and its parts, for --json.
type statusReport struct {
	Line    string             `json:"line"`
	Daemon  string             `json:"daemon"`         // up, down, none (no repository, or one that aOa does not know)
	Tokens  int64              `json:"context_tokens"` // in the agent's context, 0 if unknown
	Percent float64            `json:"context_percent"`
	Session *api.SessionAnswer `json:"session,omitempty"`
}

func (a *app) drawStatus(ctx context.Context) {
	in := readStatus(a.statusInput())
	rep := statusReport{Daemon: "none", Tokens: in.tokens, Percent: in.percent}
	rep.Daemon, rep.Session = a.askSession(ctx, in)
	rep.Line = a.statusText(rep)
	_ = a.answer(rep, func() { // the client ignores errors of a status line
		if rep.Line != "" {
			fmt.Fprintln(a.out, rep.Line)
		}
	})
}

// statusInput reads stdin, unless that is a terminal.
func (a *app) statusInput() []byte {
	if f, ok := a.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return nil
	}
	got := make(chan []byte, 1)
	go func() { // a read cannot be canceled; it ends with the process
		var value json.RawMessage
		_ = json.NewDecoder(io.LimitReader(a.in, statusInput)).Decode(&value) // stdin may stay open behind the first value
		got <- value
	}()
	t := time.NewTimer(statusStdin * time.Duration(client.Factor()))
	defer t.Stop()
	select {
	case b := <-got:
		return b
	case <-t.C:
		return nil
	}
}

// statusIn holds the fields of the client's JSON that are used.
type statusIn struct {
	session, dir string
	tokens       int64
	percent      float64
}

// readStatus reads the fields. Any of them may be missing, null or of another type.
func readStatus(raw []byte) statusIn {
	var top, space, window map[string]json.RawMessage
	var in statusIn
	take := func(m map[string]json.RawMessage, name string, to any) { _ = json.Unmarshal(m[name], to) }
	if json.NewDecoder(bytes.NewReader(raw)).Decode(&top) != nil {
		return in
	}
	take(top, "session_id", &in.session)
	take(top, "workspace", &space)
	take(top, "cwd", &in.dir)
	take(space, "current_dir", &in.dir)
	take(top, "context_window", &window)
	take(window, "total_input_tokens", &in.tokens)
	take(window, "used_percentage", &in.percent)
	var usage map[string]json.RawMessage
	take(window, "current_usage", &usage)
	if usage != nil {
		var sum int64
		for _, name := range []string{"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"} {
			var n int64
			take(usage, name, &n)
			if n > 0 && n < 1<<40 {
				sum += n
			}
		}
		in.tokens = max(sum, 0)
	}
	if len(in.session) > 256 {
		in.session = ""
	}
	in.tokens, in.percent = min(max(in.tokens, 0), 1<<40), min(max(in.percent, 0), 100)
	return in
}

// askSession asks the daemon, if one is running.
func (a *app) askSession(ctx context.Context, in statusIn) (daemon string, _ *api.SessionAnswer) {
	ctx, cancel := context.WithTimeout(ctx, statusAsk*time.Duration(client.Factor()))
	defer cancel()
	dir := in.dir
	if !filepath.IsAbs(dir) {
		dir = a.dir
	}
	repo, err := watcher.OpenRepo(ctx, dir, a.env)
	if err != nil && dir != a.dir {
		dir = a.dir
		repo, err = watcher.OpenRepo(ctx, dir, a.env)
	}
	if err != nil {
		return "none", nil
	}
	place := locate.Find(repo.CommonDir, a.getenv)
	if !place.Exists() {
		return "none", nil
	}
	ans, err := api.Call(ctx, &api.Client{Place: place, Dir: dir}, api.Session, api.SessionRequest{Session: in.session})
	if err != nil {
		return "down", nil
	}
	return "up", &ans
}

// statusText makes the line. It contains only numbers and fixed words, and no text of the input.
func (a *app) statusText(r statusReport) string {
	var parts []string
	switch s := r.Session; {
	case s != nil && s.Mode == "session":
		parts = append(parts, a.tint("36", "⟳ Session"))
	case s != nil:
		parts = append(parts, a.tint("32", "● Live"))
	case r.Daemon == "down":
		parts = append(parts, a.tint("2", "○ aOa off"))
	}
	if r.Tokens > 0 {
		text := thousands(r.Tokens) + " tokens"
		if r.Percent > 0 {
			text += fmt.Sprintf(" (%.0f%%)", r.Percent)
		}
		parts = append(parts, text)
	}
	if s := r.Session; s != nil {
		switch {
		case s.Resolved > 0:
			parts = append(parts, fmt.Sprintf("%d of %d hints used (%d%%)", s.Used, s.Resolved, 100*s.Used/s.Resolved))
		case s.Shown > 0:
			parts = append(parts, plural(s.Shown, "hint"))
		}
		if s.Files > 0 {
			parts = append(parts, plural(s.Files, "file"))
		} else {
			parts = append(parts, plural(s.Known, "file")+" known")
		}
	}
	return strings.Join(parts, a.tint("2", " | "))
}

// tint adds color even if stdout is not a terminal: the client shows colors.
func (a *app) tint(code, s string) string { return paint(a.colors, code, s) }

// thousands prints 48213 as 48k and 1250000 as 1.2M.
func thousands(n int64) string {
	digits := 0
	if n >= 1e6 {
		digits = 1
	}
	return strings.ReplaceAll(humanize.SIWithDigits(float64(n), digits, ""), " ", "")
}
