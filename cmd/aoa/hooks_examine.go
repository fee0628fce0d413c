package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/hooks/install"
	"github.com/aoa-dev/aoa/hooks/transcript"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/internal/regularfile"
	"github.com/aoa-dev/aoa/watcher"
)

// hookState tells which of our hooks are in one settings file of an agent, or in git's hooks.
type hookState struct {
	agent string
	scope install.Scope
	install.Status
}

// installed reports whether a settings file of the agent runs aOa.
func installed(all []hookState, agent string) bool {
	return slices.ContainsFunc(all, func(st hookState) bool { return st.agent == agent && len(st.Events) > 0 })
}

// hookStates examines every settings file of every agent, and the hooks of git.
func (a *app) hookStates(ctx context.Context, repo *watcher.Repo) (out []hookState) {
	add := func(agent string, scope install.Scope, st install.Status, err error) {
		if err != nil {
			st.State, st.Note = install.Refused, err.Error()
		}
		out = append(out, hookState{agent, scope, st})
	}
	for _, agent := range agents.All {
		_, twice := a.plugin(agent, repo)
		for _, scope := range install.Scopes {
			if scope == install.Local && agent.Settings.Local == "" {
				continue // it is the same file as the project's
			}
			file, o := a.hookFile(agent, scope, repo.Root)
			st, err := install.Examine(agent, file, o)
			if scope == install.Project && agent.Settings.Local == "" && st.State != install.Absent && !a.tracked(ctx, repo,
				install.Pattern(agent)) {
				scope = install.Local
			}
			if twice && st.State == install.Installed {
				st.State, st.Note = install.Outdated, "(aOa's plugin runs, too: each event runs aOa twice)"
			}
			add(agent.Name, scope, st, err)
		}
	}
	st, err := install.ExamineGit(ctx, a.gitRepo(repo))
	add(gitHook, install.Local, st, err)
	return out
}

// examineHooks lists the installed hooks, for the doctor. It is not a problem if none exist.
func (a *app) examineHooks(ctx context.Context, repo *watcher.Repo) []finding {
	var out []finding
	desktop := false // it was already reported that agents started from the desktop do not find aoa
	all, callers := a.hookStates(ctx, repo), a.callers(ctx, repo)
	files := map[string]string{} // by agent: the first file with hooks
	for _, st := range all {
		check := "hooks of " + st.agent
		advice := "aoa hooks install " + st.agent + " --" + string(st.scope)
		switch {
		case st.State == install.Installed:
			f := finding{check, true, fmt.Sprintf("installed in %s (%s)", st.File, strings.Join(st.Events, ", ")), ""}
			if st.Command != "" && runtime.GOOS != "windows" {
				f = a.tryHook(ctx, f, st.Command, &desktop)
			}
			if other := files[st.agent]; other != "" && f.Advice == "" {
				f.Detail += "; " + other + " runs aOa, too: each event may run it twice"
				f.Advice = "aoa hooks remove " + st.agent + " --" + string(st.scope)
			}
			out = append(out, f)
			if agent, ok := agents.Find(st.agent); ok && files[st.agent] == "" {
				out = append(out, a.examineCalls(agent, st.File, callers, repo))
			}
			files[st.agent] = st.File
		case st.State == install.Broken:
			out = append(out, finding{check, false, st.File + ": " + st.Note + "; its agent ignores the whole file",
				"correct " + st.File})
		case st.State == install.Outdated:
			out = append(out, finding{check, false, strings.TrimSpace(st.File + ": " + st.State + " " + st.Note), advice})
		}
	}
	if !installed(all, "claude") {
		out = append(out, a.examinePlugin(repo, callers)...)
	}
	out = append(out, a.elsewhere(repo, all)...)
	if len(out) == 0 {
		out = append(out, finding{"hooks", true, "not installed; aoa hooks install claude git", ""})
	}
	return out
}

// examinePlugin tells what the plugin for Claude Code does if no settings file runs aOa.
func (a *app) examinePlugin(repo *watcher.Repo, callers []cold.SessionStat) []finding {
	claude, _ := agents.Find("claude")
	by, runs := a.plugin(claude, repo)
	switch {
	case by == "":
		return nil
	case !runs:
		return []finding{{"hooks of claude", false, by + " disables aOa's plugin, and no settings run aOa",
			"enable it in /plugin, or: aoa hooks install claude"}}
	}
	return []finding{{"hooks of claude", true, "run by aOa's plugin, which " + by + " enables", ""},
		a.examineCalls(claude, by, callers, repo)}
}

// elsewhere finds the agents that run aOa in another worktree of the repository but not in this
// one, which was added after the hooks. here has the states of this worktree.
func (a *app) elsewhere(repo *watcher.Repo, here []hookState) (out []finding) {
	for _, agent := range agents.All {
		if installed(here, agent.Name) {
			continue
		}
		for _, root := range repo.Worktrees() {
			file, o := a.hookFile(agent, install.Local, root)
			if st, err := install.Examine(agent, file, o); err == nil && len(st.Events) > 0 {
				out = append(out, finding{"hooks of " + agent.Name, false,
					"installed in " + string(root) + ", not in this worktree",
					"aoa hooks install " + agent.Name})
				break
			}
		}
	}
	return out
}

// programs returns the folder of aoa for commands in personal settings. It is "" if agents find aoa
// by its name even when they are started from the desktop. The folder is the one in which the shell
// finds aoa, because that stays the same when a package manager installs another version.
func (a *app) programs() string {
	if runtime.GOOS == "windows" || found(desktopPath()) != "" {
		return ""
	}
	file := found(a.getenv("PATH"))
	if file == "" {
		self, err := os.Executable()
		if err != nil {
			return ""
		}
		file = self
	}
	return filepath.Dir(file)
}

// found returns the absolute name of the aoa that is found with a PATH, or "".
func found(path string) string { return config.Program(path, "aoa") }

// isOwnFolder reports whether a folder contains this program, or the aoa that is found with PATH.
func (a *app) isOwnFolder(dir string) bool {
	self, _ := os.Executable()
	return dir == filepath.Dir(self) || dir == filepath.Dir(found(a.getenv("PATH"))) && filepath.IsAbs(dir)
}

// desktopPath returns the PATH of programs started from the desktop. Login shells and their
// profiles add to it only later.
func desktopPath() string {
	if runtime.GOOS == "darwin" {
		return "/usr/bin:/bin:/usr/sbin:/sbin"
	}
	return "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
}

// tryHook runs an installed command as an agent does, with the PATH of this shell and with that of
// the desktop. *noted means that a failure with the latter was already reported. A command that
// names programs in another folder is not run, because the settings may have come with a
// repository.
func (a *app) tryHook(ctx context.Context, f finding, command string, noted *bool) finding {
	if dir := install.Folder(command); dir != "" && !a.isOwnFolder(dir) {
		f.OK, f.Detail = false, f.Detail+"; it runs the programs in "+dir+", which is not the folder of this aoa"
		f.Advice = "remove it from the file, or install it again with the aoa that you use"
		return f
	}
	if a.hookProgram(ctx, command, a.getenv("PATH")) == "" {
		f.OK = false
		f.Detail += "; it is silent: its command starts no aoa of this version, or AOA=0 is set"
		f.Advice = "command -v aoa-hook aoa shows which it finds; install them again"
		return f
	}
	if *noted || a.hookProgram(ctx, command, desktopPath()) != "" {
		return f
	}
	*noted = true
	f.Detail += "; an agent that is started from the desktop does not find aoa, its PATH is " + desktopPath()
	if self, err := os.Executable(); err == nil {
		f.Advice = "if you start agents there: sudo ln -s " + event.ShellWord(self) + " /usr/local/bin/aoa"
		if runtime.GOOS == "darwin" {
			path := filepath.Dir(self) + ":" + desktopPath()
			f.Advice = "if you start agents there: sudo launchctl config user path " + event.ShellWord(path) + ", then restart"
		}
	}
	return f
}

// hookProgram runs an installed command with a PATH and returns the program of ours that it starts,
// "" if it starts none.
func (a *app) hookProgram(ctx context.Context, command, path string) string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Env = []string{"PATH=" + path, "HOME=" + a.home(), "AOA=" + a.getenv("AOA"), "AOA_DOCTOR=1"}
	cmd.Stdin = strings.NewReader("{}")
	cmd.Dir = "/" // PATH may have folders relative to a repository
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// calledSessions is how many of the newest sessions are examined.
const calledSessions = 1000

// callers returns the newest sessions, that is those whose hooks have called aOa; none if the
// daemon does not answer.
func (a *app) callers(ctx context.Context, repo *watcher.Repo) []cold.SessionStat {
	place := locate.Find(repo.CommonDir, a.getenv)
	if place.Known() != nil {
		return nil
	}
	ans, _ := api.Call(ctx, a.running(place), api.Stats, api.StatsRequest{Table: "sessions", Limit: calledSessions})
	return ans.Sessions
}

// ago returns how long ago a time was, "never" for the zero time.
func (a *app) ago(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return strings.TrimSuffix(length(a.now().Sub(t).Round(time.Second)), " ago") + " ago"
}

// examineCalls tells when a hook of an agent was last called, and what to do if it never was. The
// agent has hooks in file.
func (a *app) examineCalls(agent agents.Agent, file string, callers []cold.SessionStat, repo *watcher.Repo) finding {
	var called time.Time
	for _, s := range callers {
		if s.Agent == agent.Name && s.Last.After(called) {
			called = s.Last
		}
	}
	f := finding{"calls of " + agent.Name, true, "last call " + a.ago(called), ""}
	try := strings.TrimSpace("start a session of " + agent.Title + " here and send a prompt. " + agent.Note)
	why, advice := a.silenced(agent, file, repo, !called.IsZero())
	since := changed(file)
	if called.After(since) {
		since = called
	}
	mute := a.muteSessions(agent, repo, since, callers)
	switch {
	case why != "":
		f.OK, f.Detail, f.Advice = false, f.Detail+"; "+why, advice
	case mute >= manyMute:
		f.OK, f.Advice = false, try
		f.Detail += fmt.Sprintf("; installed, no event in %s of %s since", plural(mute, "session"), agent.Title)
	case called.IsZero():
		f.Advice = try
	}
	return f
}

// manyMute is the least number of sessions without an event that is reported as a fault. A single
// one may have been started with AOA=0.
const manyMute = 2

// muteSessions counts the sessions of an agent in this repository that went on after a time and
// from which no hook has called. Agents silently skip hooks that their user has not trusted. For
// Claude Code and Codex, sessions are found by their record files, whose names end in the session's
// id.
func (a *app) muteSessions(agent agents.Agent, repo *watcher.Repo, since time.Time,
	callers []cold.SessionStat) (n int) {
	dir, here := "", []byte(nil)
	switch agent.Name {
	case "claude":
		dir = transcript.Dir(a.claudeHome(), repo.Root)
	case "codex":
		dir = filepath.Join(filepath.Dir(install.File(agent, install.User, "", a.home(), a.getenv)), "sessions")
		here, _ = json.Marshal(repo.Root)
		here = append([]byte(`"cwd":`), here...)
	}
	if dir == "" || since.IsZero() {
		return 0
	}
	_ = filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		name, record := strings.CutSuffix(filepath.Base(file), ".jsonl")
		subagent := agent.Name == "claude" && filepath.Dir(file) != dir
		if err == nil && record && !subagent && changed(file).After(since) && bytes.Contains(beginning(file), here) &&
			!slices.ContainsFunc(callers, func(s cold.SessionStat) bool { return strings.HasSuffix(name, s.ID) }) {
			n++
		}
		return nil // a folder that cannot be read counts as having no sessions
	})
	return n
}

// changed returns when a file was last changed, the zero time if it does not exist.
func changed(file string) time.Time {
	st, err := os.Stat(file)
	if err != nil {
		return time.Time{}
	}
	return st.ModTime()
}

// beginning returns the beginning of a session's record file, which names the folder in which the
// session began.
func beginning(file string) []byte {
	f, err := regularfile.Open(file, regularfile.NoLinks)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, 4<<10))
	return b
}

// silenced finds settings that silently switch off the hooks that an agent has in a file.
func (a *app) silenced(agent agents.Agent, file string, repo *watcher.Repo, called bool) (why, advice string) {
	switch agent.Name {
	case "codex":
		config := filepath.Join(filepath.Dir(install.File(agent, install.User, "", a.home(), a.getenv)), "config.toml")
		trusted, _ := regularfile.Read(config, regularfile.FollowLinks, 1<<20) // without this file no hook is trusted
		if !called && !strings.Contains(strings.ReplaceAll(string(trusted), `\\`, `\`), file+":") {
			return config + " trusts no hook of that file", "type /hooks in Codex and trust them"
		}
	case "claude":
		if by := install.Disabled(a.settingsOf(agent, repo)...); by != "" {
			return by + " has disableAllHooks", "remove disableAllHooks from " + by
		}
	}
	return "", ""
}
