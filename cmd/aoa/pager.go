package main

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// long are the commands whose answer may be longer than a screen.
var long = []string{"log", "stats", "cost", "why", "suggest", "config", "session list", "cache list", "stage list", "reload list"}

// paged lets a command show a long answer in the pager.
func (a *app) paged(root *cobra.Command) {
	for _, name := range long {
		c, _, err := root.Find(strings.Fields(name))
		if err != nil || c.RunE == nil {
			continue
		}
		run := c.RunE
		c.RunE = func(c *cobra.Command, args []string) error {
			return a.page(c.Context(), func() error { return run(c, args) })
		}
	}
}

// page runs a command and shows what it prints in PAGER, less by default, if the terminal has fewer lines. JSON is not paged.
func (a *app) page(ctx context.Context, run func() error) error {
	terminal, ok := a.out.(*os.File)
	if !ok || !a.terminal || a.json {
		return run()
	}
	_, height, err := term.GetSize(int(terminal.Fd()))
	if err != nil {
		return run()
	}
	var text, talk bytes.Buffer
	errs := a.err
	if a.out = &text; isTerminal(errs) {
		a.err = &talk // remarks on an answer come below it
	}
	err = run()
	a.out, a.err = terminal, errs
	if bytes.Count(text.Bytes(), []byte("\n")) < height || a.less(ctx, terminal, text.Bytes()) != nil {
		_, _ = text.WriteTo(terminal)
	}
	_, _ = talk.WriteTo(errs)
	return err
}

// less runs the pager. It fails if there is none, and not because somebody left it early.
func (a *app) less(ctx context.Context, terminal io.Writer, text []byte) error {
	words := strings.Fields(cmp.Or(a.getenv("PAGER"), "less"))
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), terminal, a.err
	if cmd.Env = slices.Clone(a.env); a.getenv("LESS") == "" {
		cmd.Env = append(cmd.Env, "LESS=FRX") // as git does: leave if it fits, keep colors, keep the screen
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	_ = cmd.Wait()
	return nil
}
