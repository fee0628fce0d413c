package api

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/reload"
)

// The routes for recorded sequences of tool calls.
var (
	// Lists the recorded sequences that match.
	ReloadList = Route[SequencesRequest, SequencesAnswer]{"POST", "/reload/list"}
	// Repeats a sequence, or undoes its edits.
	ReloadRun = Route[ReplayRequest, ReplayAnswer]{"POST", "/reload/run"}
	// Deletes recorded sequences.
	ReloadForget = Route[SequenceForgetRequest, SequenceForgetAnswer]{"POST", "/reload/forget"}
)

// SequencesRequest asks for recorded sequences: for all, for those that fit a prompt, or for one
// with all details.
type SequencesRequest struct {
	ID      string `json:"id,omitempty"`         // the id of one sequence
	Prompt  string `json:"prompt,omitempty"`     // those that fit this prompt, best first
	Session string `json:"session_id,omitempty"` // without a prompt: those that fit the prompts of this session
	All     bool   `json:"all,omitempty"`        // all sequences, whatever their prompts
	Limit   int    `json:"limit,omitempty"`      // 0 means 20
}

// SequencesAnswer has the sequences, best or newest first.
type SequencesAnswer struct {
	Sequences []reload.Match `json:"sequences"`
}

// ReplayRequest asks to repeat a sequence, or to undo the edits of a replay.
type ReplayRequest struct {
	reload.Request
	Undo    bool   `json:"undo,omitempty"` // restore the files; id is then that of the undo record, or empty for the newest
	Session string `json:"session_id,omitempty"`
}

// ReplayAnswer tells what a replay or an undo did.
type ReplayAnswer struct {
	reload.Report
	Files []event.Path `json:"files,omitzero"` // files that an undo restored
	Ms    float64      `json:"ms"`
}

// SequenceForgetRequest names one sequence, or all of them.
type SequenceForgetRequest struct {
	ID  string `json:"id,omitempty"`
	All bool   `json:"all,omitempty"`
}

// SequenceForgetAnswer says how many sequences were deleted.
type SequenceForgetAnswer struct {
	Sequences int `json:"sequences"`
}
