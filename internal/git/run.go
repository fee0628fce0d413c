package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Limits of a command.
const (
	maxOutput = 1 << 30 // bytes that Run returns
	maxStderr = 2048    // bytes that are kept of git's stderr
	maxMemory = 1 << 30 // private memory that git may use, in bytes, where the system can limit it
)

// patience returns how long a subcommand may print nothing before it is killed. It is longer for
// those that visit all files or commits before they print.
func (p *Program) patience(verb string) time.Duration {
	switch {
	case p.limit > 0:
		return p.limit
	case slices.Contains([]string{"ls-files", "status", "log", "rev-list"}, verb):
		return 30 * time.Second
	}
	return 20 * time.Second
}

// errLate is returned when git was killed because it printed nothing for too long.
var errLate = errors.New("git was stopped: it waits for a pipe (find . -type p), or the rules in .gitattributes or " +
	".gitignore take too long")

// start starts git with limited memory.
func start(cmd *exec.Cmd) error {
	err := cmd.Start()
	if err == nil {
		limitMemory(cmd.Process.Pid, maxMemory)
	}
	return err
}

// watched is the output of a git process, which is killed if a read takes too long.
type watched struct {
	from  io.Reader
	limit time.Duration
	late  func()
}

func (w watched) Read(p []byte) (int, error) {
	defer time.AfterFunc(w.limit, w.late).Stop()
	return w.from.Read(p)
}

// Error is the error of a failed git command.
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
	if strings.Contains(e.Stderr, "unknown repository extension") { // the reftable format, read by a git before 2.45
		text += "; install a newer git, then aoa daemon stop"
	}
	if strings.Contains(e.Stderr, "config") && strings.Contains(e.Stderr, "fatal: ") {
		text += "; repair the file that git names until git status works, then aoa init"
	}
	return text
}

func (e *Error) Unwrap() error { return e.err }

// ExitCode returns the exit status of the git command that failed with err, or -1 if git was killed
// or not started.
func ExitCode(err error) int {
	if x, ok := errors.AsType[*exec.ExitError](err); ok {
		return x.ExitCode()
	}
	return -1
}

// Run runs a git command in a folder and returns its output, at most 1 GB. args are options of git
// itself, a subcommand and its arguments. The errors are those of Stream.
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

// Stream runs a git command with the given input, and calls read with its output while it runs. git
// is killed when read returns an error, when ctx ends, or when git prints nothing for too long. It
// has ended when Stream returns. The error is ErrMissing, ErrEndless, ErrFilters, an Error,
// errLate, or comes from read or ctx.
func (p *Program) Stream(ctx context.Context, dir, input string, read func(io.Reader) error, args ...string) error {
	verb, parent := verbOf(args), ctx
	limit := p.patience(verb)
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	late := func() { cancel(fmt.Errorf("git %s printed nothing for %v: %w", verb, limit, errLate)) }
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
	if err := start(cmd); err != nil {
		return fmt.Errorf("git %s: %w", verb, err)
	}
	err = read(watched{out, limit, late})
	if err != nil {
		cancel(err)
	}
	ending := time.AfterFunc(limit, late)
	ended := cmd.Wait()
	ending.Stop()
	switch {
	case errors.Is(context.Cause(ctx), errLate):
		return context.Cause(ctx)
	case parent.Err() != nil:
		return fmt.Errorf("git %s: %w", verb, context.Cause(parent))
	case err != nil:
		return err
	case ended != nil:
		return &Error{Verb: verb, Stderr: stderr.line(), err: ended}
	}
	return nil
}

// verbOf returns the name of the subcommand, or "".
func verbOf(args []string) string {
	i := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") })
	if i < 0 {
		return ""
	}
	return args[i]
}

// stderrHead keeps the beginning of git's stderr. It does not embed the buffer: os/exec would call
// the buffer's ReadFrom, which has no limit.
type stderrHead struct{ head bytes.Buffer }

func (h *stderrHead) Write(p []byte) (int, error) {
	h.head.Write(p[:min(len(p), maxStderr-h.head.Len())])
	return len(p), nil
}

func (h *stderrHead) line() string {
	return strings.ReplaceAll(strings.TrimSpace(h.head.String()), "\n", "; ")
}
