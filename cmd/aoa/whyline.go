package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/blame"
	"github.com/aoa-dev/aoa/internal/event"
)

// typedLines divides FILE:LINE. ok is false for a name without lines, and for that of a file which is called so.
func (a *app) typedLines(arg string) (name string, from, to int, ok bool) {
	if _, err := os.Lstat(a.abs(arg)); !errors.Is(err, fs.ErrNotExist) {
		return "", 0, 0, false
	}
	return blame.Typed(arg)
}

// whyLine prints why lines of a file are there.
func (a *app) whyLine(ctx context.Context, name string, from, to int) error {
	file, err := a.file(ctx, name, false)
	if err != nil {
		return err
	}
	ans, err := call(ctx, a, api.WhyLine, api.WhyLineRequest{File: file, From: from, To: to})
	if err != nil {
		return err
	}
	return a.answer(struct {
		api.WhyLineAnswer
		Root event.Root `json:"root"`
	}{ans, a.root}, func() {
		for i, o := range ans.Lines {
			if i > 0 {
				fmt.Fprintln(a.out)
			}
			fmt.Fprintln(a.out, a.bold(o.Place(a.display(file)))+"  "+harmless(strings.TrimSpace(o.Text)))
			for _, line := range o.Format(file, a.display, stamp) {
				fmt.Fprintln(a.out, "  "+line)
			}
		}
	})
}
