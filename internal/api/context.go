package api

import "github.com/aoa-dev/aoa/internal/session/contexts"

// Context returns what was said and done in a session, within a budget of tokens.
var Context = Route[contexts.Request, ContextAnswer]{"POST", "/context"}

// ContextAnswer has the context of a session. It is empty if the session has neither prompts nor
// actions.
type ContextAnswer struct {
	Session  string             `json:"session_id"`
	For      contexts.For       `json:"for"`
	Budget   int                `json:"budget"`
	Tokens   int                `json:"tokens"` // estimated at four bytes each
	Segments []contexts.Segment `json:"segments"`
}
