package watcher

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/aoa-dev/aoa/internal/config"
)

// defaultExcludes is the user's global ignore file where git's settings name none, "" if the environment names no folder.
func defaultExcludes(env []string) string {
	dir := config.Getenv(env, "XDG_CONFIG_HOME")
	if home := cmp.Or(config.Getenv(env, "HOME"), config.Getenv(env, "USERPROFILE")); dir == "" && home != "" {
		dir = filepath.Join(home, ".config")
	}
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "git", "ignore")
}

// run runs a git command at the root and returns what it printed.
func (r *Repo) run(ctx context.Context, args ...string) ([]byte, error) {
	return r.runIn(ctx, string(r.Root), args...)
}

func (r *Repo) runIn(ctx context.Context, dir string, args ...string) ([]byte, error) {
	var out []byte
	err := streamGit(ctx, r.git, dir, "", func(rd io.Reader) (err error) {
		out, err = io.ReadAll(rd)
		return err
	}, args...)
	return out, err
}

// streamGit runs a git command in dir with that input and gives its output to read while it runs. When read
// returns an error or ctx ends, git is killed. It has ended when streamGit returns.
func streamGit(ctx context.Context, git *config.Git, dir, input string, read func(io.Reader) error, args ...string) error {
	parent := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd, err := git.Command(ctx, dir, args...)
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
		return fmt.Errorf("git %s: %w", args[0], err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("git %s: %w", args[0], err)
	}
	if err = read(out); err != nil {
		cancel()
	}
	ended := cmd.Wait()
	switch {
	case parent.Err() != nil:
		return fmt.Errorf("git %s: %w", args[0], parent.Err())
	case err != nil:
		return err
	case ended != nil:
		return &gitError{verb: verb(args), stderr: strings.TrimSpace(stderr.String()), err: ended}
	}
	return nil
}

// verb is the subcommand's name.
func verb(args []string) string {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

// gitError is a git command that failed. It is an ErrOwner if git does not trust the repository.
type gitError struct {
	verb, stderr string
	err          error
}

func (e *gitError) Error() string {
	if e.stderr == "" {
		return fmt.Sprintf("git %s in the repository: %v", e.verb, e.err)
	}
	return fmt.Sprintf("git %s in the repository: %v: %s", e.verb, e.err, e.stderr)
}

func (e *gitError) Unwrap() error { return e.err }

func (e *gitError) Is(target error) bool {
	return target == ErrOwner && (strings.Contains(e.stderr, "dubious ownership") || strings.Contains(e.stderr, "unsafe repository"))
}

// exitCode is git's exit status, -1 if it did not run to its end.
func exitCode(err error) int {
	if x, ok := errors.AsType[*exec.ExitError](err); ok {
		return x.ExitCode()
	}
	return -1
}

// maxStderr is how much of what git prints on stderr is kept, in bytes.
const maxStderr = 2048

// stderrHead keeps the begin of what git prints on stderr.
type stderrHead struct{ bytes.Buffer }

func (h *stderrHead) Write(p []byte) (int, error) {
	h.Buffer.Write(p[:min(len(p), maxStderr-h.Len())])
	return len(p), nil
}
