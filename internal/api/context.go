package api

import "github.com/aoa-dev/aoa/internal/session/contexts"

// Context asks what was said and done in a session, within a budget of tokens.
var Context = Route[ContextRequest, ContextAnswer]{"POST", "/context"}

// ContextRequest asks for the context of a session within a token budget.
type ContextRequest struct {
	Session string `json:"session_id,omitempty"` // empty: the newest of the caller's worktree, a live one first
	For     string `json:"for,omitempty"`        // action (the default) or prompt
	Prompt  string `json:"prompt,omitempty"`     // for prompt: what is asked; empty: the session's last prompt
	Budget  int    `json:"budget,omitempty"`     // tokens; 0: as configured
}

// ContextAnswer is the context of a session, empty if it has neither prompts nor actions.
type ContextAnswer struct {
	Session  string             `json:"session_id"`
	For      string             `json:"for"`
	Budget   int                `json:"budget"`
	Tokens   int                `json:"tokens"` // estimated, four bytes each
	Segments []contexts.Segment `json:"segments"`
}
