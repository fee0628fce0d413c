package api

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/reload"
)

// The routes of recorded sequences.
var (
	// Which recorded sequences match?
	ReloadList = Route[SequencesRequest, SequencesAnswer]{"POST", "/reload/list"}
	// Repeats a sequence, or undoes its edits.
	ReloadRun = Route[ReplayRequest, ReplayAnswer]{"POST", "/reload/run"}
	// Deletes recorded sequences.
	ReloadForget = Route[SequenceForgetRequest, SequenceForgetAnswer]{"POST", "/reload/forget"}
)

// SequencesRequest asks for recorded sequences: all of them, those that fit a prompt, or one as a
// whole.
type SequencesRequest struct {
	ID      string `json:"id,omitempty"`         // this one, by its id
	Prompt  string `json:"prompt,omitempty"`     // those that fit it, best first
	Session string `json:"session_id,omitempty"` // without a prompt: those that fit what this session was asked
	All     bool   `json:"all,omitempty"`        // all of them, whatever was asked
	Limit   int    `json:"limit,omitempty"`      // 0 is 20
}

// SequencesAnswer is the sequences, best or newest first.
type SequencesAnswer struct {
	Sequences []reload.Match `json:"sequences"`
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

// ReplayAnswer is the result.
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

// SequenceForgetAnswer says how many sequences were deleted.
type SequenceForgetAnswer struct {
	Sequences int `json:"sequences"`
}
