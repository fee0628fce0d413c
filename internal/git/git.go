package git

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/config"
)

// ErrMissing says that the git program is not on the PATH.
var ErrMissing = errors.New("git is not on the PATH")

// ErrFilters says that the repository has filter drivers that cannot be switched off.
var ErrFilters = errors.New("filter drivers that cannot be switched off")

// Program is the git program with settings that keep a repository's own settings from starting other programs. A
// folder that was unpacked from an archive has its own .git/config and .gitattributes, which the user has not read.
type Program struct {
	path  string // "" if there is none
	env   []string
	limit time.Duration // see maxTime; tests set it
}

// Find finds git on the PATH of env, which may differ from the PATH of this process. Folders of the PATH that
// are not absolute are left out: a repository can hold a program named git.
func Find(env []string) *Program {
	p := &Program{env: gitEnv(env), limit: maxTime}
	for _, dir := range filepath.SplitList(config.Getenv(env, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, "git")); err == nil {
			p.path = path
			return p
		}
	}
	return p
}

// With returns the program with another variable of its environment.
func (p *Program) With(variable string) *Program {
	other := *p
	other.env = append(slices.Clip(p.env), variable)
	return &other
}

// Found reports whether there is a git program.
func (p *Program) Found() bool { return p.path != "" }

// gitSettings precede every subcommand and override every settings file. They switch off what git runs (file monitor,
// hooks, signature check, maintenance, and all programs of a connection), locks, and settings that change the form of
// the output. core.fsmonitor is empty because git before 2.36 takes "false" for the name of a program.
var gitSettings = []string{
	"--no-optional-locks", "--no-pager", "-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false",
	"-c", "maintenance.auto=false", "-c", "gc.auto=0", "-c", "submodule.recurse=false", "-c", "core.sshCommand=false", "-c",
	"core.askPass=", "-c", "credential.helper=", "-c", "core.quotepath=off", "-c", "diff.relative=false",
}

// gitVerbs are the subcommands that may be used, with the options that each gets. Those without options neither read
// a file of the worktree nor format a difference. command refuses all others: find out what a subcommand can run
// before you add it.
var gitVerbs = map[string][]string{
	"cat-file": nil, "config": nil, "ls-files": nil, "ls-tree": nil, "merge-base": nil, "rev-list": nil,
	"rev-parse": nil, "diff-tree": {"--no-ext-diff", "--no-textconv", "--ignore-submodules=all"},
	"symbolic-ref": nil, "version": nil, "diff": {"--cached", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"},
	"log":    {"--no-ext-diff", "--no-textconv", "--no-show-signature"},
	"status": {"--ignore-submodules=all"}, // and no filters: see withoutFilters
}

// command prepares a git command in a folder. args are options of git itself, a subcommand and its arguments. The
// error wraps ErrMissing or ErrFilters, or says that the subcommand is not allowed.
func (p *Program) command(ctx context.Context, dir string, args ...string) (*exec.Cmd, error) {
	verb := verbOf(args)
	more, known := gitVerbs[verb]
	switch {
	case !known:
		return nil, fmt.Errorf("git %q: aOa does not run this subcommand", args)
	case p.path == "":
		return nil, fmt.Errorf("git %s: %w", verb, ErrMissing)
	}
	var off []string
	if verb == "status" {
		drivers, err := p.filters(ctx, dir)
		if err != nil {
			return nil, err
		}
		if off, err = withoutFilters(drivers); err != nil {
			return nil, fmt.Errorf("git %s: %w", verb, err)
		}
	}
	at := slices.Index(args, verb) + 1
	words := slices.Concat(gitSettings, off, args[:at], more, args[at:])
	cmd := exec.CommandContext(ctx, p.path, words...) // the one place that starts git
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, p.env, time.Second
	return cmd, nil
}

// filters returns the names of the filter drivers that are configured for the repository in dir: by the repository, by
// files that it includes, by the user.
func (p *Program) filters(ctx context.Context, dir string) ([]string, error) {
	out, err := p.Run(ctx, dir, "config", "-z", "--name-only", "--get-regexp", `^filter\..`)
	if ExitCode(err) == 1 {
		return nil, nil // git's way to say that there are none
	}
	if err != nil {
		return nil, err
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

// maxFilterOptions bounds the options that switch filter drivers off, in bytes: on Windows a command line ends after
// 32 kB.
const maxFilterOptions = 16 << 10

// withoutFilters returns options under which no filter driver runs, so that git compares the contents as they are.
// git has no option for all of them, so each is switched off by its name. A name with "=" is refused: git takes what
// precedes the first "=" for the key.
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

// keptGitVars are the only GIT_ variables that git gets: they say where its configuration is. All others (GIT_DIR,
// GIT_INDEX_FILE, GIT_TRACE…) are set by git for its hooks or by users for one command.
var keptGitVars = []string{
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT", "GIT_EXEC_PATH",
	"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_ATTR_NOSYSTEM",
}

// gitEnv returns the environment of git: English messages, no questions, no fetches (some versions do not know
// GIT_NO_LAZY_FETCH, so no transport is allowed either), no replaced objects.
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
