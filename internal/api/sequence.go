package api

import (
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/reload"
)

// The routes of recorded sequences.
var (
	ReloadList   = Route[SequencesRequest, SequencesAnswer]{"POST", "/reload/list"}
	ReloadRun    = Route[ReplayRequest, ReplayAnswer]{"POST", "/reload/run"}
	ReloadForget = Route[SequenceForgetRequest, SequenceForgetAnswer]{"POST", "/reload/forget"}
)

// SequencesRequest asks for recorded sequences: all of them, those that fit a prompt, or one as a whole.
type SequencesRequest struct {
	ID      string `json:"id,omitempty"`         // this one, by its id or the beginning of it
	Prompt  string `json:"prompt,omitempty"`     // those that fit it, best first
	Session string `json:"session_id,omitempty"` // without a prompt: those that fit what this session was asked
	All     bool   `json:"all,omitempty"`        // all of them, whatever was asked
	Limit   int    `json:"limit,omitempty"`      // 0 is 20
}

// SequencesAnswer is the sequences, best or newest first.
type SequencesAnswer struct {
	Sequences []Sequence `json:"sequences"`
}

// Sequence is a recorded sequence. Its steps and paths are absent, and its prompt is cut, unless it was asked for by
// its id.
type Sequence struct {
	ID         string         `json:"id"`
	Summary    string         `json:"summary"`
	Prompt     string         `json:"prompt"` // its beginning
	Type       string         `json:"triggerType"`
	Target     string         `json:"triggerTarget,omitempty"`
	Similarity float64        `json:"similarity,omitempty"` // to what was asked; 0: nothing was
	Reason     string         `json:"matchReason,omitempty"`
	Tools      []string       `json:"tools"`
	Actions    int            `json:"actions"`
	Files      int            `json:"files"`
	Looks      bool           `json:"read_only"` // every action only looks
	Outcome    reload.Outcome `json:"outcome"`
	Message    string         `json:"originalMessageId"`
	Agent      string         `json:"agentId"`
	Session    string         `json:"session_id"`
	Created    time.Time      `json:"createdAt"`
	Used       time.Time      `json:"lastUsed"`
	Uses       int            `json:"useCount"`
	Successes  int            `json:"successCount"`
	Failures   int            `json:"failureCount"`

	Steps []reload.Step `json:"steps,omitzero"`
	More  int           `json:"more,omitempty"` // actions that were not kept
	Paths []reload.File `json:"paths,omitzero"`
}

// ReplayRequest asks to do a sequence again, or to undo the edits of a replay.
type ReplayRequest struct {
	ID      string `json:"id,omitempty"`   // of the sequence; with Undo of the undo record, empty for the newest
	Undo    bool   `json:"undo,omitempty"` // restore the files
	Skip    []int  `json:"skipIndices,omitempty"`
	Edits   bool   `json:"edits,omitempty"` // work out the edits and show them as a diff
	Plan    string `json:"plan,omitempty"`  // make the edits that were shown under this name
	Session string `json:"session_id,omitempty"`
}

// ReplayAnswer is what that came to.
type ReplayAnswer struct {
	reload.Report
	Files []event.Path `json:"files,omitzero"` // that an undo restored
	Ms    float64      `json:"ms"`
}

// SequenceForgetRequest names one sequence, or all.
type SequenceForgetRequest struct {
	ID  string `json:"id,omitempty"`
	All bool   `json:"all,omitempty"`
}

// SequenceForgetAnswer counts what is gone.
type SequenceForgetAnswer struct {
	Sequences int `json:"sequences"`
}
