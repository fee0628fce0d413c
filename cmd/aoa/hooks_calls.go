package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/tailscale/hujson"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/hooks/install"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/internal/regularfile"
	"github.com/aoa-dev/aoa/watcher"
)

// calledEvents is how many of the newest events are searched.
const calledEvents = 1000

// lastCalls finds when a hook of each agent was last called. Without an answer of the daemon it finds nothing.
func (a *app) lastCalls(ctx context.Context, repo *watcher.Repo) map[string]time.Time {
	out := map[string]time.Time{}
	if place := locate.Find(repo.CommonDir, a.getenv); place.Known() == nil {
		ans, _ := api.Call(ctx, a.running(place), api.Log, api.LogRequest{Limit: calledEvents})
		for _, e := range ans.Events { // the oldest first
			// Commits come from history: git's hook leaves no event.
			if _, said := e.Body.(event.Hint); !said && e.Agent != gitHook {
				out[e.Agent] = e.Time
			}
		}
	}
	return out
}

// ago is how long before now something was, "never" for the zero time.
func (a *app) ago(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return strings.TrimSuffix(length(a.now().Sub(t).Round(time.Second)), " ago") + " ago"
}

// examineCalls says when a hook of an agent was last called, which has hooks in a file, and what to do if none was.
func (a *app) examineCalls(agent agents.Agent, file string, called time.Time, repo *watcher.Repo) finding {
	f := finding{"calls of " + agent.Name, true, "last call " + a.ago(called), ""}
	why, advice := a.silenced(agent, file, repo, !called.IsZero())
	switch {
	case why != "":
		f.OK, f.Detail, f.Advice = false, f.Detail+"; "+why, advice
	case called.IsZero():
		f.Advice = strings.TrimSpace("start a session of " + agent.Title + " here and send a prompt. " + agent.Note)
	}
	return f
}

// silenced finds what switches off, without a word, the hooks that an agent has in a file.
func (a *app) silenced(agent agents.Agent, file string, repo *watcher.Repo, called bool) (why, advice string) {
	read := func(file string) []byte {
		b, _ := regularfile.Read(file, regularfile.FollowLinks, 1<<20)
		return b
	}
	switch agent.Name {
	case "codex":
		config := filepath.Join(filepath.Dir(install.File(agent, install.User, "", a.home(), a.getenv)), "config.toml")
		if !called && !strings.Contains(strings.ReplaceAll(string(read(config)), `\\`, `\`), file+":") {
			return config + " trusts no hook of that file", "type /hooks in Codex and trust them"
		}
	case "claude":
		for _, scope := range install.Scopes {
			file := install.File(agent, scope, string(repo.Root), a.home(), a.getenv)
			b, err := hujson.Standardize(read(file))
			if err != nil {
				continue
			}
			var s struct {
				Disabled bool `json:"disableAllHooks"`
			}
			if _ = json.Unmarshal(b, &s); s.Disabled {
				return file + " has disableAllHooks", "remove disableAllHooks from " + file
			}
		}
	}
	return "", ""
}
