package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/config"
)

// ErrMissing is returned when the git program is not on the PATH.
var ErrMissing = errors.New("git is not on the PATH")

// ErrEndless is returned when git was not started because it would never end: it would read a file
// that is a pipe, a device or huge.
var ErrEndless = errors.New("it is a pipe, a device or huge, so git would not finish reading it: remove it")

// ErrFilters is returned when the repository has filter drivers that cannot be switched off.
var ErrFilters = errors.New("filter drivers that cannot be switched off")

// Program is the git program, run with settings that keep a repository from starting other
// programs. A folder unpacked from an archive has its own .git/config and .gitattributes, which the
// user has not read.
type Program struct {
	path  string // "" if git is not installed
	env   []string
	reads []string      // see Reading
	rules []string      // see Reading
	limit time.Duration // longest time without output, 0: see patience; tests set it
}

// Find finds git on the PATH of env, which may differ from the PATH of this process.
func Find(env []string) *Program {
	return &Program{path: config.Program(config.Getenv(env, "PATH"), "git"), env: gitEnv(env)}
}

// With returns the program with one more variable in its environment.
func (p *Program) With(variable string) *Program {
	other := *p
	other.env = append(slices.Clip(p.env), variable)
	return &other
}

// Reading returns the program for a repository in which git reads the given files, if they exist:
// files in every command, rules in commands about the worktree. If one of them is a pipe, a device
// (other than the null device) or larger than 64 GB, commands that would read it fail with
// ErrEndless and the file's name.
func (p *Program) Reading(files, rules []string) *Program {
	other := *p
	other.reads, other.rules = files, rules
	return &other
}

// endless reports whether a file, or the target of a link, is one that Reading refuses.
func endless(name string) bool {
	st, err := os.Stat(name)
	if err != nil || st.Mode()&(os.ModeNamedPipe|os.ModeDevice) == 0 {
		return err == nil && st.Size() > 64<<30
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(st, null)
}

// Found reports whether git was found.
func (p *Program) Found() bool { return p.path != "" }

// gitSettings precede every subcommand and override every settings file. They switch off the
// programs that git runs (file monitor, hooks, signature check, maintenance, and all programs for
// connections), locks, settings that change the format of the output, and two settings that name
// files which aOa does not need: diff.orderFile, and log.mailmap with .mailmap. core.fsmonitor is
// empty because git before 2.36 takes "false" for the name of a program.
var gitSettings = []string{
	"--no-optional-locks", "--no-pager", "-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null",
	"-c", "log.showSignature=false", "-c", "maintenance.auto=false", "-c", "gc.auto=0",
	"-c", "submodule.recurse=false", "-c", "core.sshCommand=false", "-c", "core.askPass=",
	"-c", "credential.helper=", "-c", "core.quotepath=off", "-c", "diff.relative=false",
	"-c", "diff.orderFile=" + os.DevNull, "-c", "log.mailmap=false",
}

// gitVerbs lists the subcommands that may be used, with the options that each gets. Those without
// options neither read files of the worktree nor print differences. command refuses all other
// subcommands. Before you add one, find out which programs it can run.
var gitVerbs = map[string][]string{
	"apply":    {"--whitespace=nowarn"}, // filters are switched off by settingsOff
	"blame":    {"--no-textconv", "--no-progress"},
	"cat-file": nil, "check-attr": nil, "config": nil, "ls-files": nil, "ls-tree": nil, "merge-base": nil, "rev-list": nil,
	"rev-parse": nil, "diff-tree": {"--no-ext-diff", "--no-textconv", "--ignore-submodules=all"},
	"symbolic-ref": nil, "version": nil, "diff": {"--cached", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"},
	"log":    {"--no-ext-diff", "--no-textconv", "--no-show-signature"},
	"status": {"--ignore-submodules=all"}, // filters are switched off by settingsOff
}

// command prepares a git command in a folder. args are options of git itself, a subcommand and its
// arguments. The error wraps ErrMissing, ErrEndless or ErrFilters, or says that the subcommand is
// not allowed.
func (p *Program) command(ctx context.Context, dir string, args ...string) (*exec.Cmd, error) {
	verb := verbOf(args)
	more, known := gitVerbs[verb]
	switch {
	case !known:
		return nil, fmt.Errorf("git %q: aOa does not run this subcommand", args)
	case p.path == "":
		return nil, fmt.Errorf("git %s: %w", verb, ErrMissing)
	}
	reads := p.reads
	worktree := verb == "apply" || verb == "blame" || verb == "status" || verb == "diff" || verb == "ls-files" ||
		verb == "check-attr"
	if worktree {
		reads = slices.Concat(reads, p.rules)
	}
	if i := slices.IndexFunc(reads, endless); i >= 0 {
		return nil, fmt.Errorf("git %s: read %s: %w", verb, reads[i], ErrEndless)
	}
	var off []string
	if worktree {
		settings, err := p.settings(ctx, dir)
		if err == nil {
			off, err = settingsOff(settings, dir, config.Home(p.env))
		}
		if err != nil {
			return nil, fmt.Errorf("git %s: %w", verb, err)
		}
	}
	at := slices.Index(args, verb) + 1
	words := slices.Concat(gitSettings, off, args[:at], more, args[at:])
	cmd := exec.CommandContext(ctx, p.path, words...) // the only place that starts git
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, p.env, time.Second
	return cmd, nil
}

// settings returns the settings that name filter drivers or files, as "name\nvalue", for the
// repository in dir: from the repository, the files that it includes, and the user.
func (p *Program) settings(ctx context.Context, dir string) ([]string, error) {
	out, err := p.Run(ctx, dir, "config", "-z", "--get-regexp",
		`^(filter\..|core\.excludesfile$|core\.attributesfile$)`)
	if ExitCode(err) == 1 {
		return nil, nil // git's status when none exist
	}
	return strings.Split(string(out), "\x00"), err
}

// Limits of settings.
const (
	// maxFilterOptions is the largest total length of the options that switch filter drivers off,
	// in bytes. On Windows a command line has at most 32 kB.
	maxFilterOptions = 16 << 10
	maxNamedFile     = 1 << 20 // bytes of a file that a setting names
)

// settingsOff returns options that switch all filter drivers off, so that git compares contents
// unfiltered, and override settings that name endless files. git has no option for all filters, so
// each is switched off by its name. A name with "=" is refused, because git takes the text before
// the first "=" for the key. Settings that name regular files of moderate size are kept, such as
// the user's global ignore rules.
func settingsOff(settings []string, dir, home string) (out []string, err error) {
	drivers, size := map[string]bool{}, 0
	for _, s := range settings {
		key, value, _ := strings.Cut(s, "\n")
		name, filter := strings.CutPrefix(key, "filter.")
		end := strings.LastIndexByte(name, '.')
		switch {
		case filter && end >= 0 && !drivers[name[:end]]:
			name = name[:end]
			drivers[name] = true
			for _, set := range []string{"clean=", "smudge=", "process=", "required=false"} {
				out = append(out, "-c", "filter."+name+"."+set)
				size += len(out[len(out)-1]) + 4
			}
			if size > maxFilterOptions || strings.ContainsAny(name, "=\n") {
				return nil, fmt.Errorf("%w: %.80q; take it out of the repository's settings", ErrFilters, name)
			}
		case !filter && value != "" && unreadable(value, dir, home):
			out = append(out, "-c", key+"="+os.DevNull)
		}
	}
	return out, nil
}

// unreadable reports whether the file named by a setting exists and is too large or not regular.
func unreadable(value, dir, home string) bool {
	if rest, ok := strings.CutPrefix(value, "~/"); ok {
		value = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(value) {
		value = filepath.Join(dir, value)
	}
	st, err := os.Stat(value)
	return err == nil && (!st.Mode().IsRegular() || st.Size() > maxNamedFile)
}

// keptGitVars are the only GIT_ variables that git gets. They say where its configuration is. All
// others (GIT_DIR, GIT_INDEX_FILE, GIT_TRACE…) are set by git for its hooks or by users for one
// command.
var keptGitVars = []string{
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT", "GIT_EXEC_PATH",
	"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_ATTR_NOSYSTEM",
}

// gitEnv returns the environment of git: English messages, no questions, no fetches (some versions
// do not know GIT_NO_LAZY_FETCH, so all transports are forbidden too), no replaced objects.
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
