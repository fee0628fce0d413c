package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts"
	"github.com/aoa-dev/aoa/watcher"
)

func (a *app) hooks() *cobra.Command {
	c := &cobra.Command{
		Use:   "hooks",
		Short: "connect aOa with coding agents and git",
		Long: `Installs aOa in the settings of coding agents and in git's hooks, removes it again, and lists where it is
installed. Every other byte of those files stays. Without a subcommand, this is aoa hooks status.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.hooksStatus(c.Context()) },
	}
	c.AddCommand(a.hooksInstall(), a.hooksRemove(), a.hooksList(), a.hooksPrint())
	return c
}

// hookNames lists what hooks can be installed for.
func hookNames() []string {
	var names []string
	for _, g := range hooks.Agents() {
		names = append(names, g.Name)
	}
	return append(names, "git")
}

// knownHooks checks names that a person typed.
func knownHooks(names []string) error {
	for _, n := range names {
		if !slices.Contains(hookNames(), n) {
			return usage("no hooks for %q; use %s", n, strings.Join(hookNames(), ", "))
		}
	}
	return nil
}

// scopeFlags are --user, --project and --local: at most one of them.
type scopeFlags map[hooks.Scope]*bool

func addScopes(c *cobra.Command, help map[hooks.Scope]string) scopeFlags {
	s := scopeFlags{}
	for _, scope := range hooks.Scopes {
		s[scope] = c.Flags().Bool(string(scope), false, help[scope])
	}
	c.MarkFlagsMutuallyExclusive("user", "project", "local")
	return s
}

// chosen is the scope of the flags, "" if none is set.
func (s scopeFlags) chosen() hooks.Scope {
	for scope, on := range s {
		if *on {
			return scope
		}
	}
	return ""
}

func (a *app) hooksInstall() *cobra.Command {
	c := &cobra.Command{
		Use:   "install AGENT…",
		Short: "install aOa in an agent's settings, or in git's hooks",
		Long: `AGENT is claude, codex, gemini, cursor, copilot, qwen, opencode or git. Installing twice has the same
result as installing once. If a file cannot be edited safely, it stays unchanged, and the text to add
by hand is printed.`,
		Example:   "  aoa hooks install claude git\n  aoa hooks install codex --user",
		Args:      cobra.MinimumNArgs(1),
		ValidArgs: hookNames(),
	}
	flags := addScopes(c, map[hooks.Scope]string{hooks.User: "for all repositories of this user",
		hooks.Project: "for everybody who works on this repository: commit the file", hooks.Local: "for this user in this worktree, kept out of git (default)"})
	c.RunE = func(c *cobra.Command, names []string) error {
		if err := knownHooks(names); err != nil {
			return err
		}
		scope := flags.chosen()
		if scope == "" {
			scope = hooks.Local
		}
		out := []hookChange{}
		for _, name := range names {
			done, err := a.installHook(c.Context(), name, scope)
			out = append(out, done...)
			if err != nil {
				a.changesTable(out)
				return err
			}
		}
		return a.answer(out, func() { a.changesTable(out) })
	}
	return c
}

// hookChange is what was done to a file, for --json.
type hookChange struct {
	Agent string      `json:"agent"`
	Scope hooks.Scope `json:"scope,omitempty"` // user, project or local; none for git
	File  string      `json:"file"`
	Done  string      `json:"done"` // created, changed, unchanged, deleted, absent
}

func (a *app) changesTable(changes []hookChange) {
	printList(a, "", changes, func(c hookChange) []any { return []any{c.Agent, c.Done, c.File} })
}

// installHook installs the hooks of an agent, or of git.
func (a *app) installHook(ctx context.Context, name string, scope hooks.Scope) ([]hookChange, error) {
	if name == "git" {
		repo, err := a.repo(ctx)
		if err != nil {
			return nil, err
		}
		done, err := hooks.InstallGit(ctx, string(repo.Root), hooks.GitOptions{Env: a.env})
		return changes("git", "", done), refusal(err)
	}
	agent, err := hooks.AgentOf(name)
	if err != nil {
		return nil, usage("%v", err)
	}
	var repo *watcher.Repo
	if scope != hooks.User {
		if repo, err = a.repo(ctx); err != nil {
			return nil, err
		}
	}
	file, o := a.hookFile(agent, scope, repo)
	if scope == hooks.Local && a.tracked(ctx, repo, agent.Pattern()) {
		return nil, fail(exitFailed, "aoa hooks install "+name+" --project, or --user",
			"%s is tracked by git: hooks there would run for everybody", agent.Pattern())
	}
	c, err := hooks.Install(name, file, o)
	if err != nil {
		return nil, refusal(err)
	}
	switch { // a file that others made is theirs to commit: git still shows it
	case scope == hooks.Local && (agent.Personal() || c.Done == hooks.Created):
		_, err = hooks.Exclude(repo.CommonDir, agent.Pattern())
	case scope == hooks.Project && !agent.Personal():
		_, err = hooks.Unexclude(repo.CommonDir, agent.Pattern())
	}
	if agent.Note != "" && c.Done != hooks.Unchanged {
		a.talk("%s", agent.Note)
	}
	return changes(name, scope, []hooks.Change{c}), refusal(err)
}

func changes(name string, scope hooks.Scope, done []hooks.Change) (out []hookChange) {
	for _, c := range done {
		out = append(out, hookChange{name, scope, c.File, c.Done})
	}
	return out
}

// hookFile is an agent's file in a scope, and how far a symbolic link may lead from it.
func (a *app) hookFile(agent hooks.Agent, scope hooks.Scope, repo *watcher.Repo) (string, hooks.Options) {
	if scope != hooks.User {
		root := string(repo.Root)
		return agent.File(scope, root, "", a.getenv), hooks.Options{Within: root}
	}
	home := a.home()
	file := agent.File(scope, "", home, a.getenv)
	if rel, err := filepath.Rel(home, file); err != nil || !filepath.IsLocal(rel) {
		return file, hooks.Options{}
	}
	return file, hooks.Options{Within: home}
}

// tracked reports whether git tracks the file, a path from the root with slashes.
func (a *app) tracked(ctx context.Context, repo *watcher.Repo, file string) bool {
	cmd, err := config.FindGit(a.env).Command(ctx, string(repo.Root), "--literal-pathspecs", "ls-files", "--error-unmatch", "--", file)
	return err == nil && cmd.Run() == nil
}

func (a *app) hooksRemove() *cobra.Command {
	c := &cobra.Command{
		Use:   "remove [AGENT…]",
		Short: "remove aOa from settings and git's hooks",
		Long: `Without AGENT, it removes all hooks of this repository. Files that aOa made are deleted; from other files
only aOa's part is removed. The user's settings, which apply to all repositories, change only with --user.`,
		Example:   "  aoa hooks remove\n  aoa hooks remove codex --user",
		Args:      cobra.ArbitraryArgs,
		ValidArgs: hookNames(),
	}
	flags := addScopes(c, map[hooks.Scope]string{hooks.User: "only from the user's settings",
		hooks.Project: "only from the files that are committed", hooks.Local: "only from the personal files"})
	c.RunE = func(c *cobra.Command, names []string) error {
		if err := knownHooks(names); err != nil {
			return err
		}
		if len(names) == 0 {
			names = hookNames()
		}
		out, err := a.removeNamed(c.Context(), names, flags.chosen())
		if err != nil {
			a.changesTable(out)
			return err
		}
		if out == nil {
			out = []hookChange{}
		}
		return a.answer(out, func() {
			if len(out) == 0 {
				a.talk("no hooks of aOa are installed")
			}
			a.changesTable(out)
		})
	}
	return c
}

// removeNamed removes hooks and lists what it changed. It reports a file that cannot be edited and continues with the others.
// scope "" stands for the repository: the project's and the personal files of each worktree.
func (a *app) removeNamed(ctx context.Context, names []string, scope hooks.Scope) (out []hookChange, err error) {
	var repo *watcher.Repo
	if scope != hooks.User {
		if repo, err = a.repo(ctx); err != nil {
			return nil, err
		}
	}
	var errs []error
	for _, name := range names {
		var done []hookChange
		switch {
		case name == "git" && scope == "":
			var cs []hooks.Change
			cs, err = hooks.RemoveGit(ctx, string(repo.Root), hooks.GitOptions{Env: a.env})
			done = changes("git", "", cs)
		case name == "git":
		default:
			done, err = a.removeAgent(ctx, name, scope, repo)
		}
		errs = append(errs, refusal(err))
		out = append(out, slices.DeleteFunc(done, func(c hookChange) bool { return c.Done == hooks.Absent })...)
		err = nil
	}
	return out, errors.Join(errs...)
}

func (a *app) removeAgent(ctx context.Context, name string, scope hooks.Scope, repo *watcher.Repo) (out []hookChange, err error) {
	agent, err := hooks.AgentOf(name)
	if err != nil {
		return nil, err
	}
	if scope == hooks.User {
		file, o := a.hookFile(agent, scope, nil)
		c, err := hooks.Remove(name, file, o)
		return changes(name, scope, []hooks.Change{c}), err
	}
	var errs []error
	roots := append([]event.Root{repo.Root}, slices.DeleteFunc(repo.Worktrees(), func(r event.Root) bool { return r == repo.Root })...)
	for _, root := range roots {
		root := string(root)
		for _, s := range []hooks.Scope{hooks.Local, hooks.Project} {
			if scope != "" && scope != s {
				continue
			}
			c, err := hooks.Remove(name, agent.File(s, root, "", a.getenv), hooks.Options{Within: root})
			errs = append(errs, err)
			out = append(out, changes(name, s, []hooks.Change{c})...)
		}
	}
	if scope != hooks.Project {
		_, err := hooks.Unexclude(repo.CommonDir, agent.Pattern())
		errs = append(errs, err)
	}
	return out, errors.Join(errs...)
}

// removeHooks removes all hooks of the repository, for aoa remove. It lists those that apply to other repositories too.
func (a *app) removeHooks(ctx context.Context, repo *watcher.Repo) error {
	_, err := a.removeNamed(ctx, hookNames(), "")
	for _, st := range a.hookStates(ctx, repo) {
		if st.Scope == hooks.User && st.State != hooks.Absent && st.State != hooks.Refused {
			a.talk("the hooks in %s apply to all repositories and stay; aoa hooks remove %s --user removes them", st.File, st.Agent)
		}
	}
	return err
}

// refusal adds the text to put into the file by hand.
func refusal(err error) error {
	var r *hooks.Refusal
	if !errors.As(err, &r) {
		return err
	}
	hint := ""
	if r.Snippet != "" {
		hint = "add this by hand:\n" + r.Snippet
	}
	return &failure{exitFailed, err, hint}
}

func (a *app) hooksPrint() *cobra.Command {
	return &cobra.Command{
		Use:   "print [NAME]",
		Short: "print a hook script or an agent's settings, to install them by hand",
		Long: `NAME is a script, or an agent: then the settings that aoa hooks install would add are printed. Without
NAME, the names are printed.`,
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: append(scripts.Names(), hookNames()...),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				all := append(scripts.Names(), hookNames()...)
				all = all[:len(all)-1] // git has scripts
				return a.answer(all, func() { fmt.Fprintln(a.out, strings.Join(all, "\n")) })
			}
			text, err := hooks.Snippet(args[0])
			if errors.Is(err, hooks.ErrAgent) {
				var b []byte
				if b, err = scripts.Read(args[0]); err != nil {
					return usage("%v", err)
				}
				text = string(b)
			}
			_, err = fmt.Fprint(a.out, text)
			return err
		},
	}
}
