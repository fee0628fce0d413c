package api

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
)

// The routes of sessions that come back.
var (
	// Which sessions are there?
	Sessions = Route[SessionsRequest, SessionsAnswer]{"POST", "/sessions"}
	// Brings a session into a state.
	SessionSet = Route[SessionSetRequest, SessionSummary]{"POST", "/sessions/set"}
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
	Sessions []SessionSummary `json:"sessions"`
}

// SessionSummary has what is needed to continue a session. Texts of prompts and results are only in
// Record.
type SessionSummary struct {
	session.Summary
	Record []event.Event `json:"record,omitempty"` // if asked for: oldest first, the newest 10,000
}

// SessionSetRequest brings a session into a state. Setting it active resumes it, and removed
// deletes its snapshot and what pipelines stored in it.
type SessionSetRequest struct {
	ID    string `json:"session_id"`
	State string `json:"state"`
}
