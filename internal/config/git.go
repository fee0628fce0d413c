package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ErrNoGit says that the git program is not on the PATH.
var ErrNoGit = errors.New("git is not on the PATH")

// ErrFilters says that the repository has filter drivers that cannot be switched off.
var ErrFilters = errors.New("filter drivers that cannot be switched off")

// Git is the git program with settings that keep a repository's own settings from starting other programs. A folder that was
// unpacked from an archive has its own .git/config and .gitattributes, which nobody has read. Every git process of aOa comes from
// Command. A test allows no other.
type Git struct {
	program string // "" if there is none
	env     []string
}

// FindGit finds git on the PATH of env, which may differ from the PATH of this process. Folders of the PATH that
// are not absolute are left out: a repository can hold a program named git.
func FindGit(env []string) *Git {
	g := &Git{env: gitEnv(env)}
	for _, dir := range filepath.SplitList(Getenv(env, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if p, err := exec.LookPath(filepath.Join(dir, "git")); err == nil {
			g.program = p
			return g
		}
	}
	return g
}

// Found reports whether there is a git program.
func (g *Git) Found() bool { return g.program != "" }

// gitSettings precede every subcommand and override every settings file. They switch off what git runs (file monitor, hooks,
// signature check, maintenance, and all programs of a connection), locks, and settings that change the form of the output.
// core.fsmonitor is empty because git before 2.36 takes "false" for the name of a program.
var gitSettings = []string{
	"--no-optional-locks", "--no-pager", "-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false",
	"-c", "maintenance.auto=false", "-c", "gc.auto=0", "-c", "submodule.recurse=false", "-c", "core.sshCommand=false", "-c",
	"core.askPass=", "-c", "credential.helper=", "-c", "core.quotepath=off", "-c", "diff.relative=false",
}

// gitVerbs are the subcommands that may be used, with the options that each gets. Those without options neither read a file of the
// worktree nor format a difference. Command refuses all others: find out what a subcommand can run before you add it.
var gitVerbs = map[string][]string{
	"cat-file": nil, "check-attr": nil, "config": nil, "ls-files": nil, "ls-tree": nil, "rev-list": nil, "rev-parse": nil,
	"symbolic-ref": nil, "version": nil, "diff": {"--cached", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"},
	"log":    {"--no-ext-diff", "--no-textconv", "--no-show-signature"},
	"status": {"--ignore-submodules=all"}, // and no filters: see withoutFilters
}

// Command prepares a git command in a folder. args are options of git itself, a subcommand and its arguments. The error wraps
// ErrNoGit or ErrFilters, or says that the subcommand is not allowed.
func (g *Git) Command(ctx context.Context, dir string, args ...string) (*exec.Cmd, error) {
	at := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") })
	if at < 0 {
		return nil, fmt.Errorf("git %q: no subcommand", args)
	}
	verb := args[at]
	more, known := gitVerbs[verb]
	switch {
	case !known:
		return nil, fmt.Errorf("git %s: aOa does not run this subcommand", verb)
	case g.program == "":
		return nil, fmt.Errorf("git %s: %w", verb, ErrNoGit)
	}
	var off []string
	if verb == "status" {
		drivers, err := g.Filters(ctx, dir)
		if err != nil {
			return nil, err
		}
		if off, err = withoutFilters(drivers); err != nil {
			return nil, fmt.Errorf("git %s: %w", verb, err)
		}
	}
	words := slices.Concat(gitSettings, off, args[:at+1], more, args[at+1:])
	cmd := exec.CommandContext(ctx, g.program, words...) //nolint:gosec // the one place that starts git
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, g.env, time.Second
	return cmd, nil
}

// Filters returns the names of the filter drivers that are configured for the repository in dir: by the repository, by
// files that it includes, by the user.
func (g *Git) Filters(ctx context.Context, dir string) ([]string, error) {
	cmd, err := g.Command(ctx, dir, "config", "-z", "--name-only", "--get-regexp", `^filter\..`)
	if err != nil {
		return nil, err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if x, ok := errors.AsType[*exec.ExitError](err); ok && x.ExitCode() == 1 {
		return nil, nil // git's way to say that there are none
	}
	if err != nil {
		return nil, fmt.Errorf("git config: %w: %.200s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	return parseFilters(out), nil
}

// parseFilters reads "filter.<name>.<key>\0". The name may have dots.
func parseFilters(out []byte) []string {
	var names []string
	for key := range strings.SplitSeq(string(out), "\x00") {
		rest, ok := strings.CutPrefix(key, "filter.")
		end := strings.LastIndexByte(rest, '.')
		if ok && end >= 0 {
			names = append(names, rest[:end])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// maxFilterOptions bounds the options that switch filter drivers off, in bytes: on Windows a command line ends after 32 kB.
const maxFilterOptions = 16 << 10

// withoutFilters returns options under which no filter driver runs, so that git compares the contents as they are. git has no option
// for all of them, so each is switched off by its name. A name with "=" is refused: git takes what precedes the first "=" for the
// key.
func withoutFilters(drivers []string) ([]string, error) {
	var out []string
	size := 0
	for _, name := range drivers {
		for _, set := range []string{"clean=", "smudge=", "process=", "required=false"} {
			out = append(out, "-c", "filter."+name+"."+set)
			size += len(out[len(out)-1]) + 4
		}
		if size > maxFilterOptions || strings.ContainsAny(name, "=\n") {
			return nil, fmt.Errorf("%w: %.80q; take it out of the repository's settings", ErrFilters, name)
		}
	}
	return out, nil
}

// keptGitVars are the only GIT_ variables that git gets: they say where its configuration is. All others (GIT_DIR, GIT_INDEX_FILE,
// GIT_TRACE…) are set by git for its hooks or by users for one command.
var keptGitVars = []string{
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT", "GIT_EXEC_PATH",
	"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_ATTR_NOSYSTEM",
}

// gitEnv returns the environment of git: English messages, no questions, no fetches (some versions do not know GIT_NO_LAZY_FETCH, so
// no transport is allowed either), no replaced objects.
func gitEnv(env []string) []string {
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
