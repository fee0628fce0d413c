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

// calledSessions is how many of the newest sessions are looked at.
const calledSessions = 1000

// callers returns the sessions whose hooks called; none if the daemon does not answer.
func (a *app) callers(ctx context.Context, repo *watcher.Repo) []cold.SessionStat {
	place := locate.Find(repo.CommonDir, a.getenv)
	if place.Known() != nil {
		return nil
	}
	ans, _ := api.Call(ctx, a.running(place), api.Stats, api.StatsRequest{Table: "sessions", Limit: calledSessions})
	return ans.Sessions
}

// ago is how long before now something was, "never" for the zero time.
func (a *app) ago(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return strings.TrimSuffix(length(a.now().Sub(t).Round(time.Second)), " ago") + " ago"
}

// examineCalls says when a hook of an agent was last called, which has hooks in a file, and what to
// do if none was.
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

// manyMute is the number of sessions without an event from which on we report a fault. A single one
// may have had AOA=0.
const manyMute = 2

// muteSessions counts the sessions of an agent in the repository that went on after a time, and of
// which no hook called. An agent leaves out hooks without a word that its user does not trust. The
// sessions of Claude Code and Codex are known by their records, whose names end in the id of the
// session.
func (a *app) muteSessions(agent agents.Agent, repo *watcher.Repo, since time.Time, callers []cold.SessionStat) (n int) {
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
		return nil // what cannot be read has no sessions
	})
	return n
}

// changed is when a file was changed last, the zero time if it is not there.
func changed(file string) time.Time {
	st, err := os.Stat(file)
	if err != nil {
		return time.Time{}
	}
	return st.ModTime()
}

// beginning is the first part of a file, in which a record says where its session began.
func beginning(file string) []byte {
	f, err := regularfile.Open(file, regularfile.NoLinks)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, 4<<10))
	return b
}

// silenced finds what switches off, without a word, the hooks that an agent has in a file.
func (a *app) silenced(agent agents.Agent, file string, repo *watcher.Repo, called bool) (why, advice string) {
	switch agent.Name {
	case "codex":
		config := filepath.Join(filepath.Dir(install.File(agent, install.User, "", a.home(), a.getenv)), "config.toml")
		trusted, _ := regularfile.Read(config, regularfile.FollowLinks, 1<<20) // without it none is trusted
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
