package api

import (
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// The routes of sessions that come back.
var (
	Sessions   = Route[SessionsRequest, SessionsAnswer]{"POST", "/sessions"}
	SessionSet = Route[SessionSetRequest, SessionSnapshot]{"POST", "/sessions/set"}
)

// SessionsRequest selects sessions; without fields the newest 50 that are not archived.
type SessionsRequest struct {
	ID       string `json:"session_id,omitempty"` // this one, in any state
	Full     bool   `json:"full,omitempty"`       // with its record: texts are opened
	State    string `json:"state,omitempty"`      // active, paused, completed, failed or archived
	Archived bool   `json:"archived,omitempty"`   // these too
	Limit    int    `json:"limit,omitempty"`
}

// SessionsAnswer is their snapshots, the newest first.
type SessionsAnswer struct {
	Sessions []SessionSnapshot `json:"sessions"`
}

// SessionSnapshot is what is needed to go on with a session. Without Record, it has no text of anybody.
type SessionSnapshot struct {
	ID       string           `json:"id"`
	Agent    string           `json:"agent,omitempty"`
	State    string           `json:"state"`
	Started  time.Time        `json:"started"`
	Last     time.Time        `json:"last"`
	Turns    int              `json:"turns"`
	Commands int              `json:"commands"` // prompts, tool calls and stages
	Resumed  int              `json:"resumed"`  // how often it came back
	Tokens   int64            `json:"tokens"`
	Recent   []SessionCommand `json:"recent,omitempty"` // the last three, the newest last
	Files    []event.Path     `json:"files,omitempty"`  // opened last, the newest first
	Edited   []event.Path     `json:"edited,omitempty"` // changed last, the newest first
	Version  int              `json:"version"`
	Record   []event.Event    `json:"record,omitempty"` // if asked for: oldest first, the newest 10,000
}

// SessionCommand is one thing that a session did, without its words.
type SessionCommand struct {
	At    time.Time    `json:"at"`
	Kind  event.Kind   `json:"kind"`
	Tool  string       `json:"tool,omitempty"`
	Files []event.Path `json:"files,omitempty"`
	OK    bool         `json:"ok"`
}

// SessionSetRequest brings a session to a state: active is to resume it, removed deletes its snapshot and what
// pipelines stored in it.
type SessionSetRequest struct {
	ID    string `json:"session_id"`
	State string `json:"state"`
}
