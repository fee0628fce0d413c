package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/hooks/install"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/watcher"
)

func (a *app) hooks() *cobra.Command {
	return family("hooks", "connect aOa with coding agents and git", a.hooksInstall(), a.hooksRemove())
}

// gitHook is the name for git where aoa hooks install expects the name of an agent.
const gitHook = "git"

// hookNames returns the names of everything that hooks can be installed for.
func hookNames() []string {
	var names []string
	for _, g := range agents.All {
		names = append(names, g.Name)
	}
	return append(names, gitHook)
}

// knownHooks returns an error if a typed name is not one that hooks can be installed for.
func knownHooks(names []string) error {
	for _, n := range names {
		if strings.Contains(n, ",") {
			return usage("write the names with spaces between them: %s", strings.ReplaceAll(n, ",", " "))
		}
	}
	return knownWords("hooks for", names, hookNames())
}

// scopeFlags adds the flags --user, --project and --local, of which at most one may be set. It returns
// a function that returns the scope whose flag is set, "" if none is.
func scopeFlags(c *cobra.Command, help map[install.Scope]string) (chosen func() install.Scope) {
	for _, scope := range install.Scopes {
		c.Flags().Bool(string(scope), false, help[scope])
	}
	c.MarkFlagsMutuallyExclusive("user", "project", "local")
	return func() (set install.Scope) {
		for _, scope := range install.Scopes {
			if on, _ := c.Flags().GetBool(string(scope)); on {
				set = scope
			}
		}
		return set
	}
}

func (a *app) hooksInstall() *cobra.Command {
	c := newCommand("install AGENT…", "install aOa in an agent's settings, or in git's hook", cobra.MinimumNArgs(1), nil)
	c.ValidArgsFunction = cobra.FixedCompletions(hookNames(), cobra.ShellCompDirectiveNoFileComp)
	check := c.Flags().Bool("check", false, "with git: also check each commit before it is made (aoa check --staged)")
	chosen := scopeFlags(c, map[install.Scope]string{install.User: "for all repositories of this user",
		install.Project: "for everybody who works on this repository: commit the file",
		install.Local:   "for this user in the worktrees of this repository, kept out of git (default)"})
	c.RunE = func(c *cobra.Command, names []string) error {
		if err := knownHooks(names); err != nil {
			return err
		}
		if *check && !slices.Contains(names, gitHook) {
			return usage("--check works with git only: aoa hooks install git --check")
		}
		scope := cmp.Or(chosen(), install.Local)
		out := []hookChange{}
		for _, name := range names {
			done, err := a.installHook(c.Context(), name, scope, *check)
			out = append(out, done...)
			if err != nil {
				return errors.Join(a.changes(out), err)
			}
		}
		if _, _, err := a.known(c.Context()); err != nil && scope != install.User {
			a.talk("hint: aoa init; the hooks are silent until then")
		}
		return a.changes(out)
	}
	return c
}

// hookChange tells what was done to a settings file.
type hookChange struct {
	Agent string        `json:"agent"`
	Scope install.Scope `json:"scope,omitempty"` // user, project or local
	File  string        `json:"file"`
	Done  string        `json:"done"` // created, changed, unchanged, deleted, absent
}

func (a *app) changes(all []hookChange) error {
	return a.answer(all, func() {
		printList(a, "", all, func(c hookChange) []any { return []any{c.Agent, c.Done, c.File} })
	})
}

// tell prints what was done to settings files.
func (a *app) tell(changes ...hookChange) {
	for _, c := range changes {
		a.talk("hooks of %s: %s %s", c.Agent, c.File, c.Done)
	}
}

func (a *app) gitRepo(repo *watcher.Repo) install.GitRepo {
	return install.GitRepo{Root: string(repo.Root), CommonDir: repo.CommonDir, Env: a.env}
}

// installHook installs the hooks of an agent. With the local scope it installs them in all
// worktrees of the repository, because an agent reads the personal file of the worktree in which it
// is started. check tells whether to install the git hook that checks commits, too.
func (a *app) installHook(ctx context.Context, name string, scope install.Scope,
	check bool) (out []hookChange, err error) {
	var repo *watcher.Repo
	if scope != install.User || name == gitHook {
		if repo, err = a.repo(ctx); err != nil {
			return nil, err
		}
	}
	if name == gitHook {
		for _, hook := range install.GitHooks {
			if hook == install.CheckHook && !check {
				continue
			}
			c, refused := install.AddGit(ctx, a.gitRepo(repo), hook)
			if refused == nil {
				out = append(out, hookChange{name, install.Local, c.File, c.Done})
				continue
			}
			a.exit(nil, err) // the other file was refused, too: print this error, the last one ends the command
			err = byHand(refused)
		}
		return out, err
	}
	agent, _ := agents.Find(name) // the name has been checked
	c, err := a.installIn(ctx, agent, scope, repo)
	if err != nil {
		return nil, err
	}
	if agent.Note != "" && c.Done != install.Unchanged {
		a.talk("%s", agent.Note)
	}
	out = []hookChange{{name, scope, c.File, c.Done}}
	var others []event.Root
	if scope == install.Local { // each worktree has its own personal file
		others = repo.Worktrees()
	}
	for _, root := range others {
		other, err := watcher.OpenRepo(ctx, string(root), a.env)
		if err == nil {
			c, err = a.installIn(ctx, agent, scope, other)
		}
		if err != nil {
			a.talk("warning: hooks of %s are not in the worktree %s: %v", name, root, err)
			continue
		}
		out = append(out, hookChange{name, scope, c.File, c.Done})
	}
	return out, nil
}

// installIn installs the hooks of an agent in one worktree, or in the user's settings if repo is
// nil.
func (a *app) installIn(ctx context.Context, agent agents.Agent, scope install.Scope,
	repo *watcher.Repo) (install.Change, error) {
	var root event.Root
	if repo != nil {
		root = repo.Root
	}
	pattern := install.Pattern(agent)
	file, o := a.hookFile(agent, scope, root)
	if _, runs := a.plugin(agent, repo); runs {
		a.talk("Claude Code runs aOa's plugin; hooks in its settings, too, would run aOa twice at each event, " +
			"so the settings get none")
		c, err := install.Remove(agent, file, o)
		return c, byHand(err)
	}
	if scope == install.Local && a.tracked(ctx, repo, pattern) {
		return install.Change{}, fail(exitFailed, "aoa hooks install "+agent.Name+" --project, or --user",
			"%s is tracked by git: hooks there would run for everybody", pattern)
	}
	_, absent := os.Lstat(file)
	// A file that already existed is not excluded: git still shows it, and its users decide whether
	// to commit it.
	excluded := scope == install.Local && (agent.Settings.Local != "" || absent != nil)
	if scope == install.User || excluded || scope == install.Local && repo.Ignored(event.Path(pattern)) {
		o.Programs = a.programs()
	}
	c, err := install.Add(agent, file, o)
	if err != nil {
		return c, byHand(err)
	}
	switch {
	case excluded:
		_, err = install.Exclude(repo.CommonDir, pattern)
	case scope == install.Project && agent.Settings.Local == "":
		_, err = install.Unexclude(repo.CommonDir, pattern)
	}
	return c, byHand(err)
}

// hookFile returns the settings file of an agent in a scope. The options tell how far a symbolic
// link may lead, and where the file's original bytes are kept. root is the worktree; it is not
// needed for the user's scope.
func (a *app) hookFile(agent agents.Agent, scope install.Scope, root event.Root) (string, install.Options) {
	file := install.File(agent, scope, string(root), a.home(), a.getenv)
	o := install.Options{Within: string(root), Kept: a.keptSettings()}
	if scope == install.User {
		o.Within = ""
		if rel, err := filepath.Rel(a.home(), file); err == nil && filepath.IsLocal(rel) {
			o.Within = a.home()
		}
	}
	return file, o
}

// keptSettings returns the folder that keeps agents' settings as they were before aOa changed them,
// "" if the environment names no home.
func (a *app) keptSettings() string {
	if state := locate.StateFolder(a.getenv); state != "" {
		return filepath.Join(state, "settings")
	}
	return ""
}

// plugin reports whether Claude Code runs aOa by a plugin, and which settings file says so (see
// install.Plugin).
func (a *app) plugin(agent agents.Agent, repo *watcher.Repo) (by string, runs bool) {
	if agent.Name != "claude" {
		return "", false
	}
	return install.Plugin(a.settingsOf(agent, repo)...)
}

// settingsOf returns an agent's settings files in the order in which the agent reads them. repo may
// be nil.
func (a *app) settingsOf(agent agents.Agent, repo *watcher.Repo) []string {
	files := []string{install.File(agent, install.User, "", a.home(), a.getenv)}
	if repo != nil {
		for _, scope := range []install.Scope{install.Project, install.Local} {
			files = append(files, install.File(agent, scope, string(repo.Root), "", a.getenv))
		}
	}
	return files
}

// tracked reports whether git tracks a file. file is relative to the root and has slashes.
func (a *app) tracked(ctx context.Context, repo *watcher.Repo, file string) bool {
	_, err := git.Find(a.env).Run(ctx, string(repo.Root), "--literal-pathspecs", "ls-files", "--error-unmatch", "--", file)
	return err == nil
}

func (a *app) hooksRemove() *cobra.Command {
	c := newCommand("remove [AGENT…]", "remove aOa from settings and git's hook", cobra.ArbitraryArgs, nil)
	c.ValidArgsFunction = cobra.FixedCompletions(hookNames(), cobra.ShellCompDirectiveNoFileComp)
	chosen := scopeFlags(c, map[install.Scope]string{install.User: "only from the user's settings",
		install.Project: "only from the files that are committed", install.Local: "only from the personal files"})
	c.RunE = func(c *cobra.Command, names []string) error {
		if err := knownHooks(names); err != nil {
			return err
		}
		if len(names) == 0 {
			names = hookNames()
		}
		out, err := a.removeNamed(c.Context(), names, chosen())
		if len(out) == 0 && err == nil {
			a.talk("no hooks of aOa are installed")
		}
		return errors.Join(a.changes(append([]hookChange{}, out...)), err)
	}
	return c
}

// removeNamed removes hooks and returns what it changed. If a file cannot be edited, it reports
// that and goes on with the others. Scope "" means the repository: the project's settings and the
// personal ones in each worktree.
func (a *app) removeNamed(ctx context.Context, names []string, scope install.Scope) (out []hookChange, err error) {
	var repo *watcher.Repo
	roots, scopes := []event.Root{""}, []install.Scope{scope}
	if scope != install.User {
		if repo, err = a.repo(ctx); err != nil {
			return nil, err
		}
		roots = append([]event.Root{repo.Root}, repo.Worktrees()...)
	}
	if scope == "" {
		scopes = []install.Scope{install.Local, install.Project}
	}
	var errs []error
	note := func(name string, in install.Scope, c install.Change, err error) {
		errs = append(errs, byHand(err))
		if err == nil && c.Done != install.Absent {
			out = append(out, hookChange{name, in, c.File, c.Done})
		}
	}
	personal := slices.Contains(scopes, install.Local)
	for _, name := range names {
		if name == gitHook && personal {
			for _, hook := range install.GitHooks {
				c, err := install.RemoveGit(ctx, a.gitRepo(repo), hook)
				note(name, install.Local, c, err)
			}
		}
		agent, ok := agents.Find(name)
		if !ok {
			continue // git has no settings file
		}
		for _, root := range roots {
			for _, in := range scopes {
				file, o := a.hookFile(agent, in, root)
				c, err := install.Remove(agent, file, o)
				note(name, in, c, err)
			}
		}
		if personal {
			_, err := install.Unexclude(repo.CommonDir, install.Pattern(agent))
			errs = append(errs, err)
		}
	}
	return out, errors.Join(errs...)
}

// removeHooks removes all hooks of the repository, for aoa remove. It also lists hooks in the
// user's settings, because these apply to other repositories, too.
func (a *app) removeHooks(ctx context.Context, repo *watcher.Repo) error {
	done, err := a.removeNamed(ctx, hookNames(), "")
	a.tell(done...)
	for _, st := range a.hookStates(ctx, repo) {
		if st.scope == install.User && len(st.Events) > 0 {
			a.talk("the hooks in %s apply to all repositories and stay; aoa hooks remove %s --user removes them", st.File,
				st.agent)
		}
	}
	return err
}

// byHand adds the text that the user should put into the file by hand to an error.
func byHand(err error) error {
	r, ok := errors.AsType[*install.Refusal](err)
	if !ok {
		return err
	}
	f := &failure{code: exitFailed, err: err, snippet: r.Snippet}
	if r.Snippet != "" {
		f.hint = "add this by hand:"
	}
	return f
}

// hook exists only for the help. main passes `aoa hook` to package hooks/client.
func (a *app) hook() *cobra.Command {
	return &cobra.Command{
		Use:   "hook AGENT [ARG…]",
		Short: "send one event to the daemon (hooks call this)",
		Run:   func(*cobra.Command, []string) {},
	}
}
