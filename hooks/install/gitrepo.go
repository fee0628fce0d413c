package install

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/git"
)

// gitRepo is a repository as its own git sees it.
type gitRepo struct {
	dir        string
	program    *git.Program
	hooks      string // the folder that git takes hooks from
	common     string // the common git dir
	hooksPath  string // core.hooksPath, "" if unset
	configured bool   // git runs configured hooks
}

func openGit(ctx context.Context, dir string, o GitOptions) (*gitRepo, error) {
	env := o.Env
	if env == nil {
		env = os.Environ()
	}
	g := &gitRepo{dir: dir, program: git.Find(env)}
	version, err := g.git(ctx, "version")
	if err != nil {
		return nil, fmt.Errorf("run git: %w; install git, or wire hooks by hand", err)
	}
	g.configured = hasConfigHooks(version) && !o.Blocks
	common, err := g.git(ctx, "rev-parse", "--git-common-dir")
	if err == nil {
		g.common = g.abs(common) // --path-format would need git 2.31
		g.hooksPath, err = g.findHooksPath(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("find hooks of %s: %w", dir, err)
	}
	if g.hooks = filepath.Join(g.common, "hooks"); g.hooksPath != "" {
		g.hooks = g.abs(g.hooksPath)
	}
	return g, nil
}

// abs makes a path that git printed absolute: it may be relative to dir.
func (g *gitRepo) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(g.dir, path)
}

// findHooksPath is core.hooksPath of the settings files, "" if it is unset. aOa's own git has another value on its
// command line, so that it runs no hooks: --show-origin distinguishes them.
func (g *gitRepo) findHooksPath(ctx context.Context) (string, error) {
	out, err := g.git(ctx, "config", "-z", "--show-origin", "--type=path", "--get-all", "core.hooksPath")
	if err != nil {
		return "", err
	}
	path := ""
	for fields := strings.Split(out, "\x00"); len(fields) >= 2; fields = fields[2:] {
		if fields[0] != "command line:" {
			path = fields[1]
		}
	}
	return path, nil
}

// hasConfigHooks: git 2.54 runs hook.NAME.command, older ones ignore it in silence.
func hasConfigHooks(version string) bool {
	f := strings.Fields(version) // "git version 2.54.0 (Apple Git-1)"
	if len(f) < 3 {
		return false
	}
	major, rest, _ := strings.Cut(f[2], ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, err1 := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	return err1 == nil && err2 == nil && (a > 2 || a == 2 && b >= 54)
}

// foreignDir says why the hooks folder is not ours to write to, "" if it is.
func (g *gitRepo) foreignDir() string {
	if g.hooksPath == "" || inside(g.common, resolve(g.hooks)) {
		return ""
	}
	if strings.Contains(filepath.ToSlash(g.hooksPath), ".husky") {
		return "core.hooksPath is " + g.hooksPath +
			" (husky), whose scripts are tracked: add the lines below to .husky/<hook>, or use git 2.54"
	}
	return "core.hooksPath is " + g.hooksPath +
		", which is outside of the git dir and may be tracked or shared: add the lines below there, or use git 2.54"
}

func resolve(name string) string {
	if s, err := filepath.EvalSymlinks(name); err == nil {
		return s
	}
	return name
}

// configKey is the section of one hook. The event is part of the name, since git does not pass to a command which
// event it runs for; a name that is an event's own is refused by git.
func configKey(name string) string { return "hook.aoa-" + name }

// configCommand is run by a shell that appends the hook's arguments as "$@": a function takes them.
func configCommand(name string) string {
	return `f() { ( aoa hook git ` + name +
		` "$@" </dev/null >/dev/null 2>&1 & ) || :; }; command -v aoa >/dev/null 2>&1 || exit 0; f`
}

func (g *gitRepo) installConfig(ctx context.Context) ([]Change, error) {
	var out []Change
	own := g.readOwn(ctx)
	for _, name := range GitHooks {
		c := Change{File: g.configFile() + " " + configKey(name), Done: Unchanged}
		key := configKey(name)
		if own[key+".command"] != configCommand(name) || own[key+".event"] != name {
			c.Done = Changed
			for _, kv := range [][2]string{{key + ".command", configCommand(name)}, {key + ".event", name}} {
				if _, err := g.git(ctx, "config", "--local", "--replace-all", kv[0], kv[1]); err != nil {
					return out, fmt.Errorf("write git config: %w", err)
				}
			}
		}
		out = append(out, c)
	}
	return out, nil
}

func (g *gitRepo) removeConfig(ctx context.Context) ([]Change, error) {
	var out []Change
	own := g.readOwn(ctx)
	for _, name := range GitHooks {
		if own[configKey(name)+".command"]+own[configKey(name)+".event"] == "" {
			continue
		}
		if _, err := g.git(ctx, "config", "--local", "--remove-section", configKey(name)); err != nil {
			return out, fmt.Errorf("edit git config: %w", err)
		}
		out = append(out, Change{File: g.configFile() + " " + configKey(name), Done: Deleted})
	}
	return out, nil
}

func (g *gitRepo) configFile() string { return filepath.Join(g.common, "config") }

// readOwn reads our configured hooks of the repository: their keys and values.
func (g *gitRepo) readOwn(ctx context.Context) map[string]string {
	out, _ := g.git(ctx, "config", "--local", "-z", "--get-regexp", `^hook\.aoa-`) // it fails if there are none
	own := map[string]string{}
	for entry := range strings.SplitSeq(out, "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		own[key] = value
	}
	return own
}

func (g *gitRepo) git(ctx context.Context, args ...string) (string, error) {
	out, err := g.program.Run(ctx, g.dir, args...)
	return strings.TrimRight(string(out), "\r\n"), err
}
