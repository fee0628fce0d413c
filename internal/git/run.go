package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Bounds of a command.
const (
	maxOutput = 1 << 30         // bytes that Run returns
	maxStderr = 2048            // bytes that are kept of what git prints on stderr
	maxTime   = 2 * time.Minute // of a subcommand that is not in unbounded
)

// unbounded are the subcommands that take as long as a history is, or as their reader.
var unbounded = []string{"log", "rev-list", "cat-file"}

// Error is a git command that failed.
type Error struct {
	Verb   string // the subcommand
	Stderr string // in one line
	err    error
}

func (e *Error) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("git %s in the repository: %v", e.Verb, e.err)
	}
	text := fmt.Sprintf("git %s in the repository: %v: %s", e.Verb, e.err, e.Stderr)
	if strings.Contains(e.Stderr, "unknown repository extension") { // reftable, with a git before 2.45
		text += "; install a newer git, then aoa daemon stop"
	}
	return text
}

func (e *Error) Unwrap() error { return e.err }

// ExitCode returns the exit status of the git command that failed with err, -1 if git did not run to its end.
func ExitCode(err error) int {
	if x, ok := errors.AsType[*exec.ExitError](err); ok {
		return x.ExitCode()
	}
	return -1
}

// Run runs a git command in a folder and returns what it prints, at most 1 GB. args are options of git itself, a
// subcommand and its arguments. Errors: those of Stream.
func (p *Program) Run(ctx context.Context, dir string, args ...string) (out []byte, err error) {
	err = p.Stream(ctx, dir, "", func(from io.Reader) (err error) {
		out, err = io.ReadAll(io.LimitReader(from, maxOutput+1))
		if len(out) > maxOutput {
			err = fmt.Errorf("git %s printed more than %d bytes", verbOf(args), maxOutput)
		}
		return err
	}, args...)
	return out, err
}

// Stream runs a git command with that input and gives its output to read while it runs. When read returns an error,
// ctx ends or time is up, git is killed. It has ended when Stream returns. Errors: ErrMissing, ErrFilters, an Error,
// read's own, ctx's.
func (p *Program) Stream(ctx context.Context, dir, input string, read func(io.Reader) error, args ...string) error {
	verb, parent, limit := verbOf(args), ctx, p.limit
	if slices.Contains(unbounded, verb) {
		limit = math.MaxInt64
	}
	ctx, cancel := context.WithTimeoutCause(parent, limit,
		fmt.Errorf("git %s did not end within %v: it waits where a .gitignore is a pipe "+
			"(find . -name .gitignore -type p)", verb, limit))
	defer cancel()
	cmd, err := p.command(ctx, dir, args...)
	if err != nil {
		return err
	}
	if input != "" {
		cmd.Stdin = strings.NewReader(input)
	}
	stderr := &stderrHead{}
	cmd.Stderr = stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("git %s: %w", verb, err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("git %s: %w", verb, err)
	}
	err = read(out)
	late := ctx.Err() != nil
	if err != nil {
		cancel()
	}
	ended := cmd.Wait()
	switch {
	case parent.Err() != nil:
		return fmt.Errorf("git %s: %w", verb, parent.Err())
	case late:
		return context.Cause(ctx)
	case err != nil:
		return err
	case ended != nil:
		return &Error{Verb: verb, Stderr: stderr.line(), err: ended}
	}
	return nil
}

// verbOf is the subcommand's name, "" if there is none.
func verbOf(args []string) string {
	i := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") })
	if i < 0 {
		return ""
	}
	return args[i]
}

// stderrHead keeps the begin of what git prints on stderr.
type stderrHead struct{ bytes.Buffer }

func (h *stderrHead) Write(p []byte) (int, error) {
	h.Buffer.Write(p[:min(len(p), maxStderr-h.Len())])
	return len(p), nil
}

func (h *stderrHead) line() string {
	return strings.ReplaceAll(strings.TrimSpace(h.String()), "\n", "; ")
}
