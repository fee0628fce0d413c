package api

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
)

// The routes for sessions that people or agents return to.
var (
	// Lists sessions.
	Sessions = Route[SessionsRequest, SessionsAnswer]{"POST", "/sessions"}
	// Sets the state of a session.
	SessionSet = Route[SessionSetRequest, SessionSummary]{"POST", "/sessions/set"}
)

// SessionsRequest selects sessions. Without fields it selects the newest 50 that are not archived.
type SessionsRequest struct {
	ID   string `json:"session_id,omitempty"` // this session, whatever its state
	Full bool   `json:"full,omitempty"`       // with its record, which needs the sealed texts
	session.Filter
}

// SessionsAnswer has the summaries of sessions, the newest first.
type SessionsAnswer struct {
	Sessions []SessionSummary `json:"sessions"`
}

// SessionSummary has what is needed to continue a session. Only Record has the texts of prompts and
// results.
type SessionSummary struct {
	session.Summary
	Record []event.Event `json:"record,omitempty"` // on request: the newest 10,000 events, oldest first
}

// SessionSetRequest sets the state of a session. The state active resumes it. The state removed
// deletes its summary and everything that pipelines stored in it.
type SessionSetRequest struct {
	ID    string        `json:"session_id"`
	State session.State `json:"state"`
}
