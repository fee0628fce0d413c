package api

import "time"

// The routes of prompts and actions.
var (
	Context     = Route[ContextRequest, ContextAnswer]{"POST", "/context"}
	PromptCache = Route[PromptCacheRequest, PromptCacheAnswer]{"POST", "/promptcache"}
)

// ContextRequest asks for the context of a session within a token budget.
type ContextRequest struct {
	Session string `json:"session_id,omitempty"` // empty: the newest of the caller's worktree, a live one first
	For     string `json:"for,omitempty"`        // action (the default) or prompt
	Prompt  string `json:"prompt,omitempty"`     // for prompt: what is asked; empty: the session's last prompt
	Budget  int    `json:"budget,omitempty"`     // tokens; 0: as configured
}

// ContextAnswer is the context of a session, empty if it has neither prompts nor actions.
type ContextAnswer struct {
	Session  string    `json:"session_id"`
	For      string    `json:"for"`
	Budget   int       `json:"budget"`
	Tokens   int       `json:"tokens"` // estimated, four bytes each
	Segments []Segment `json:"segments"`
}

// Segment is a message of a context.
type Segment struct {
	Role      string `json:"role"` // system or user
	Content   string `json:"content"`
	Tokens    int    `json:"tokens"`
	Cacheable bool   `json:"cacheable"` // it is usually the same in the next request
}

// PromptCacheRequest asks what prompt caches saved. Of files in the folders only the part after the last call is read.
type PromptCacheRequest struct {
	Transcripts []string `json:"transcripts,omitempty"` // folders of transcripts; none: what was read before
	Limit       int      `json:"limit,omitempty"`       // sessions, the newest; 0 is 20
}

// PromptCacheAnswer is one row for each session, the newest first, and their sum.
type PromptCacheAnswer struct {
	Sessions []PromptCacheRow `json:"sessions"`
	Total    PromptCacheRow   `json:"total"`
}

// PromptCacheRow is what a session's requests to its model cost, in tokens as the maker counted them.
type PromptCacheRow struct {
	Session  string    `json:"session_id,omitempty"`
	Last     time.Time `json:"last,omitzero"`
	Models   []string  `json:"models,omitempty"`
	Requests int       `json:"requests"`
	Input    int64     `json:"input"`       // read again, and not cached
	Write    int64     `json:"cache_write"` // read again, and written to the cache
	Read     int64     `json:"cache_read"`  // taken from the cache
	Output   int64     `json:"output"`
	Share    float64   `json:"cached_share"` // cache_read ÷ (input + cache_write + cache_read)
	Breaks   int       `json:"breaks"`       // requests that found less than half of what the one before had left
}
