package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/hooks/install"
	"github.com/aoa-dev/aoa/hooks/transcript"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/internal/regularfile"
	"github.com/aoa-dev/aoa/watcher"
)

// calledSessions is the number of newest sessions that are looked at.
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

// beginning returns the first part of a file, where a record says in which folder its session
// began.
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
