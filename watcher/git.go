package watcher

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/aoa"
)

// safeFlags stand before every subcommand: no locks, no file monitor, no signature program, and no setting of
// the user's that changes the form of the output.
var safeFlags = []string{
	"--no-optional-locks", "--no-pager", "-c", "core.quotepath=off", "-c", "log.showSignature=false",
	"-c", "core.fsmonitor=false", "-c", "diff.relative=false", "-c", "core.hooksPath=/dev/null",
}

// keptGitVars are the only GIT_ variables that reach git: where configuration lies. All others (GIT_DIR,
// GIT_INDEX_FILE, GIT_TRACE…) are set by git for its hooks or by users for one command.
var keptGitVars = []string{
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT", "GIT_EXEC_PATH",
	"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_ATTR_NOSYSTEM",
}

// sanitize makes the environment git runs in: plain English, never asking, never fetching (also before git
// 2.44, which does not know GIT_NO_LAZY_FETCH: then no transport is allowed), never rewriting objects.
func sanitize(env []string) []string {
	out := make([]string, 0, len(env)+8)
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "LC_") || name == "LANGUAGE" || name == "LANG" {
			continue
		}
		if strings.HasPrefix(name, "GIT_") && !slices.Contains(keptGitVars, name) &&
			!strings.HasPrefix(name, "GIT_CONFIG_KEY_") && !strings.HasPrefix(name, "GIT_CONFIG_VALUE_") {
			continue
		}
		out = append(out, kv)
	}
	return append(out, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=none", "GIT_NO_REPLACE_OBJECTS=1")
}

// homes are the folders that hold the user's git settings.
type homes struct{ home, config string }

func homesOf(env []string) homes {
	h := homes{home: aoa.Getenv(env, "HOME"), config: aoa.Getenv(env, "XDG_CONFIG_HOME")}
	if h.home == "" {
		h.home = aoa.Getenv(env, "USERPROFILE")
	}
	if h.config == "" && h.home != "" {
		h.config = filepath.Join(h.home, ".config")
	}
	return h
}

// findGit looks for git on the PATH of env, which may differ from the PATH of this process.
func findGit(env []string) string {
	path := aoa.Getenv(env, "PATH")
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue // never run a git that lies in the repository
		}
		if p, err := exec.LookPath(filepath.Join(dir, "git")); err == nil {
			return p
		}
	}
	return ""
}

// run runs a git command at the root and returns what it printed.
func (r *Repo) run(ctx context.Context, args ...string) ([]byte, error) {
	return r.runIn(ctx, string(r.Root), args...)
}

func (r *Repo) runIn(ctx context.Context, dir string, args ...string) ([]byte, error) {
	var out []byte
	err := r.stream(ctx, dir, "", func(rd io.Reader) (err error) {
		out, err = io.ReadAll(rd)
		return err
	}, args...)
	return out, err
}

// stream runs a git command in dir, feeds it input and hands its output to read while it runs. When read
// returns an error or ctx ends, git is killed; either way it has ended when stream returns.
func (r *Repo) stream(ctx context.Context, dir, input string, read func(io.Reader) error, args ...string) error {
	if r.git == "" {
		return fmt.Errorf("git %s: %w", args[0], ErrNoGit)
	}
	parent := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.git, append(slices.Clone(safeFlags), args...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, r.env, time.Second
	if input != "" {
		cmd.Stdin = strings.NewReader(input)
	}
	said := &tail{}
	cmd.Stderr = said
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
		return &gitError{verb: verb(args), said: said.String(), err: ended}
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

// gitError is a git command that ended badly. It is an ErrOwner when git did not trust the repository.
type gitError struct {
	verb, said string
	err        error
}

func (e *gitError) Error() string {
	if e.said == "" {
		return fmt.Sprintf("git %s in the repository: %v", e.verb, e.err)
	}
	return fmt.Sprintf("git %s in the repository: %v: %s", e.verb, e.err, e.said)
}

func (e *gitError) Unwrap() error { return e.err }

func (e *gitError) Is(target error) bool {
	return target == ErrOwner && (strings.Contains(e.said, "dubious ownership") || strings.Contains(e.said, "unsafe repository"))
}

// exitCode is git's exit status, -1 if it did not run to its end.
func exitCode(err error) int {
	if x, ok := errors.AsType[*exec.ExitError](err); ok {
		return x.ExitCode()
	}
	return -1
}

// tail keeps the first 2 KB that git said: enough for an error line, never a flood.
type tail struct{ b bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	if room := 2048 - t.b.Len(); room > 0 {
		t.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (t *tail) String() string { return strings.TrimSpace(t.b.String()) }
