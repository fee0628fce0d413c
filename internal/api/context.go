package api

import "github.com/aoa-dev/aoa/internal/session/contexts"

// Context returns what was said and done in a session, within a budget of tokens.
var Context = Route[ContextRequest, ContextAnswer]{"POST", "/context"}

// ContextRequest asks for the context of a session within a token budget.
type ContextRequest struct {
	// Empty: the newest session of the caller's worktree, preferably a live one.
	Session string `json:"session_id,omitempty"`
	For     string `json:"for,omitempty"`    // action (the default) or prompt
	Prompt  string `json:"prompt,omitempty"` // for prompt: the prompt that is asked; empty: the session's last prompt
	Budget  int    `json:"budget,omitempty"` // tokens; 0: the configured budget
}

// ContextAnswer has the context of a session. It is empty if the session has neither prompts nor
// actions.
type ContextAnswer struct {
	Session  string             `json:"session_id"`
	For      string             `json:"for"`
	Budget   int                `json:"budget"`
	Tokens   int                `json:"tokens"` // estimated at four bytes each
	Segments []contexts.Segment `json:"segments"`
}
