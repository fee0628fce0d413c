package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/tailscale/hujson"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/hooks/install"
	"github.com/aoa-dev/aoa/hooks/transcript"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/internal/regularfile"
	"github.com/aoa-dev/aoa/watcher"
)

// arrival is what shows that an agent's hooks arrive, and the answers at its model.
type arrival struct {
	Called time.Time `json:"last_call,omitzero"` // the newest event that a hook of the agent delivered
	Said   time.Time `json:"last_text,omitzero"` // the newest text that an answer had
	// the newest text that the agent's transcripts show in a request; only Claude Code notes it
	Taken   time.Time `json:"last_taken,omitzero"`
	Version string    `json:"agent_version,omitempty"` // of the agent, then
	worked  time.Time // when its newest transcript was written
}

// arrivalEvents is how many of the newest events are searched.
const arrivalEvents = 1000

// arrivals finds what arrived of each agent. Without an answer of the daemon, only transcripts say something.
func (a *app) arrivals(ctx context.Context, repo *watcher.Repo) map[string]arrival {
	out := map[string]arrival{}
	if place := locate.Find(repo.CommonDir, a.getenv); place.Exists() {
		ans, _ := api.Call(ctx, a.dial(repo, place), api.Log, api.LogRequest{Limit: arrivalEvents})
		for _, e := range ans.Events { // the oldest first
			if e.Agent == gitHook {
				continue // commits come from history: its hook leaves no event
			}
			one := out[e.Agent]
			if h, ok := e.Body.(event.Hint); !ok {
				one.Called = e.Time
			} else if h.Arm == "shown" {
				one.Said = e.Time
			}
			out[e.Agent] = one
		}
	}
	seen := transcript.Arrived(transcript.Dir(a.claudeHome(), repo.Root))
	one := out["claude"]
	one.Taken, one.Version, one.worked = seen.Taken, seen.Version, seen.Newest
	out["claude"] = one
	return out
}

// ago is how long before now something was, "never" for the zero time.
func (a *app) ago(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return strings.TrimSuffix(length(a.now().Sub(t).Round(time.Second)), " ago") + " ago"
}

// silentAfter is how long a transcript may be newer than the last call of a hook: a session writes both.
const silentAfter = 10 * time.Minute

// examineArrival says what arrived of an agent whose hooks are installed in a file, and what to do when nothing does.
func (a *app) examineArrival(agent agents.Agent, file string, got arrival, repo *watcher.Repo) finding {
	f := finding{"arrival of " + agent.Name, true, "last call " + a.ago(got.Called) + ", last text " + a.ago(got.Said), ""}
	if agent.Name == "claude" {
		f.Detail += ", last text in a request " + a.ago(got.Taken)
		if got.Version != "" {
			f.Detail += " (Claude Code " + got.Version + ")"
		}
	}
	why, advice := a.silenced(agent, file, repo, !got.Called.IsZero())
	switch {
	case why != "":
		f.OK, f.Detail, f.Advice = false, f.Detail+"; "+why, advice
	case got.worked.Sub(got.Called) > silentAfter && !got.Called.IsZero():
		f.OK = false
		f.Detail += fmt.Sprintf("; a session worked %s and no hook called", a.ago(got.worked))
		f.Advice = "restart the session; in it, /hooks lists what runs"
	case got.Called.IsZero():
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
