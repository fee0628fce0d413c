package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/watcher"
)

// localSettings is the personal settings file of Claude Code in a worktree.
const localSettings = ".claude/settings.local.json"

// installHooks enters our hooks for an agent, or for git, and says what was done.
func (a *app) installHooks(ctx context.Context, repo *watcher.Repo, agent string) error {
	switch agent {
	case "claude":
		c, err := hooks.InstallClaude(filepath.Join(string(repo.Root), filepath.FromSlash(localSettings)), hooks.ClaudeOptions{})
		if err != nil {
			return refusal(err)
		}
		if _, err := hooks.Exclude(repo.CommonDir, "/"+localSettings); err != nil {
			return refusal(err)
		}
		a.talk("hooks of Claude Code: %s %s", c.File, c.Done)
	case "git":
		done, err := hooks.InstallGit(ctx, string(repo.Root), hooks.GitOptions{Env: a.env})
		for _, c := range done {
			a.talk("git hook: %s %s", c.File, c.Done)
		}
		return refusal(err)
	}
	return nil
}

// removeHooks takes all of ours out again. A file that cannot be edited is reported, the others are done.
func (a *app) removeHooks(ctx context.Context, repo *watcher.Repo) error {
	var errs []error
	roots := append([]string{string(repo.Root)}, names(repo)...)
	for _, root := range roots {
		_, err := hooks.RemoveClaude(filepath.Join(root, filepath.FromSlash(localSettings)), hooks.ClaudeOptions{})
		errs = append(errs, refusal(err))
	}
	_, err := hooks.Unexclude(repo.CommonDir, "/"+localSettings)
	errs = append(errs, refusal(err))
	_, err = hooks.RemoveGit(ctx, string(repo.Root), hooks.GitOptions{Env: a.env})
	return errors.Join(append(errs, refusal(err))...)
}

func names(repo *watcher.Repo) (out []string) {
	for _, r := range repo.Worktrees() {
		out = append(out, string(r))
	}
	return out
}

// refusal adds what to put into the file by hand.
func refusal(err error) error {
	var r *hooks.Refusal
	if !errors.As(err, &r) {
		return err
	}
	hint := ""
	if r.Snippet != "" {
		hint = "put this there yourself:\n" + r.Snippet
	}
	return &failure{exitFailed, err, hint}
}

// examineHooks says what is installed, for the doctor. Missing hooks are no fault: nobody asked for them.
func (a *app) examineHooks(ctx context.Context, repo *watcher.Repo) []finding {
	var out []finding
	st, err := hooks.StatusClaude(filepath.Join(string(repo.Root), filepath.FromSlash(localSettings)), hooks.ClaudeOptions{})
	out = append(out, judge("hooks of Claude Code", st, err, "aoa init --hooks claude"))
	all, err := hooks.StatusGit(ctx, string(repo.Root), hooks.GitOptions{Env: a.env})
	worst := hooks.Status{State: hooks.Absent}
	for _, s := range all {
		worst.File, worst.Note = s.File, s.Note
		worst.Events = append(worst.Events, s.Events...)
		if s.State != hooks.Absent {
			worst.State = s.State
		}
	}
	return append(out, judge("hooks of git", worst, err, "aoa init --hooks git"))
}

func judge(check string, st hooks.Status, err error, advice string) finding {
	switch {
	case err != nil:
		return finding{check, false, err.Error(), advice}
	case st.State == hooks.Absent:
		return finding{check, true, "not installed", ""}
	case st.State != hooks.Installed:
		return finding{check, false, strings.TrimSpace(fmt.Sprintf("%s: %s %s", st.File, st.State, st.Note)), advice}
	}
	return finding{check, true, fmt.Sprintf("installed in %s (%s)", st.File, strings.Join(st.Events, ", ")), ""}
}
