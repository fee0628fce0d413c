package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/blame"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// typedLines splits FILE:LINE. ok is false for a name without lines, and for the name of an
// existing file that contains a colon. Anything else after the name and a colon is an error,
// because an answer about the whole file would answer another question.
func (a *app) typedLines(arg string) (name string, from, to int, ok bool, err error) {
	there := func(name string) bool {
		_, err := os.Lstat(a.abs(name))
		return !errors.Is(err, fs.ErrNotExist)
	}
	if there(arg) {
		return "", 0, 0, false, nil
	}
	// the name of a file may end like a line number
	if at := strings.LastIndexByte(arg, ':'); at > 0 && there(arg[:at]) {
		line, err := strconv.Atoi(arg[at+1:])
		if err == nil && line >= 0 && line <= math.MaxInt32 {
			return arg[:at], line, 0, true, nil
		}
	}
	if name, from, to, ok = blame.Typed(arg); ok {
		return name, from, to, true, nil
	}
	file := index.WithoutLine(arg)
	if behind, found := strings.CutPrefix(arg, file); found && len(behind) > 1 {
		return "", 0, 0, false, usage("%s is not a line: lines are written %s:12 or %[2]s:10-20",
			event.Path(behind[1:]).Display(), event.Path(file).Display())
	}
	return "", 0, 0, false, nil
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
