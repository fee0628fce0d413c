package hooks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// gitRepo is a repository as its own git sees it.
type gitRepo struct {
	dir        string
	env        []string
	hooks      string // the folder that git takes hooks from
	common     string // the common git dir
	hooksPath  string // core.hooksPath, "" if unset
	configured bool   // git runs configured hooks
}

func openGit(ctx context.Context, dir string, o GitOptions) (*gitRepo, error) {
	g := &gitRepo{dir: dir, env: o.Env}
	if g.env == nil {
		g.env = os.Environ()
	}
	g.env = withoutLocal(g.env)
	version, err := g.git(ctx, "version")
	if err != nil {
		return nil, fmt.Errorf("run git: %w; install git, or wire hooks by hand", err)
	}
	g.configured = hasConfigHooks(version) && !o.Blocks
	for _, ask := range []struct {
		args []string
		into *string
	}{{[]string{"rev-parse", "--git-path", "hooks"}, &g.hooks}, {[]string{"rev-parse", "--git-common-dir"}, &g.common}} {
		out, err := g.git(ctx, ask.args...)
		if err != nil {
			return nil, fmt.Errorf("find hooks of %s: %w", dir, err)
		}
		if !filepath.IsAbs(out) { // relative to dir; --path-format would need git 2.31
			out = filepath.Join(dir, out)
		}
		*ask.into = out
	}
	g.hooksPath = g.config(ctx, "core.hooksPath")
	return g, nil
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
		return "core.hooksPath is " + g.hooksPath + " (husky), whose scripts are tracked: add the lines below to .husky/<hook>, or use git 2.54"
	}
	return "core.hooksPath is " + g.hooksPath + ", which is outside of the git dir and may be tracked or shared: add the lines below there, or use git 2.54"
}

func resolve(name string) string {
	if s, err := filepath.EvalSymlinks(name); err == nil {
		return s
	}
	return name
}

// configKey is the section of one hook. The event is part of the name, since git does not tell a command which
// event it runs for; a name that is an event's own is refused by git.
func configKey(name string) string { return "hook.aoa-" + name }

// configCommand is run by a shell that appends the hook's arguments as "$@": a function takes them.
func configCommand(name string) string {
	return `f() { ( aoa hook git ` + name + ` "$@" </dev/null >/dev/null 2>&1 & ) || :; }; command -v aoa >/dev/null 2>&1 || exit 0; f`
}

func (g *gitRepo) installConfig(ctx context.Context) ([]Change, error) {
	var out []Change
	for _, name := range GitHooks {
		c := Change{File: g.configFile() + " " + configKey(name), Done: Unchanged}
		key := configKey(name)
		if g.config(ctx, key+".command") != configCommand(name) || g.config(ctx, key+".event") != name {
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
	for _, name := range GitHooks {
		if g.config(ctx, configKey(name)+".command") == "" && g.config(ctx, configKey(name)+".event") == "" {
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

// config is a setting's value, "" if it is unset.
func (g *gitRepo) config(ctx context.Context, key string) string {
	args := []string{"config", "--get", key}
	if strings.HasPrefix(key, "hook.") {
		args = []string{"config", "--local", "--get", key}
	}
	out, err := g.git(ctx, args...)
	if err != nil {
		return ""
	}
	return out
}

func (g *gitRepo) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = g.dir, g.env
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return "", fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(exit.Stderr)))
	}
	return strings.TrimRight(string(out), "\r\n"), err
}

// withoutLocal drops the variables by which git binds its children to one repository: we may run in a hook.
func withoutLocal(env []string) []string {
	var out []string
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
			"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE":
		default:
			out = append(out, v)
		}
	}
	return out
}
