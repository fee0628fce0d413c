package api

import (
	"github.com/aoa-dev/aoa/internal/stage"
	"github.com/aoa-dev/aoa/internal/stage/pipeline"
)

// The routes of the stage cache. The first two are streams. /stage/begin answers with a line and,
// on a hit, the record after it. On a miss the answer stays open, and the caller may run the
// command until it closes the answer. /stage/end takes a line and the record.
var (
	// Has this stage already run with these inputs? After a hit the record follows; after a miss
	// the caller may run the command until it closes the connection.
	StageBegin = Stream[stage.Request, stage.Turn]{"/stage/begin", 4 << 20}
	// Keeps the record of a run, which follows the request.
	StageEnd = Stream[stage.Result, stage.Kept]{"/stage/end", 64 << 20}
	// Which input of a stage has changed?
	StageWhy = Route[stage.Request, stage.Why]{"POST", "/stage/why"}
	// Which results are kept?
	StageList = Route[StageListRequest, StageListAnswer]{"POST", "/stage/list"}
	// Deletes kept results.
	StageDrop = Route[StageDropRequest, StageDropAnswer]{"POST", "/stage/drop"}

	// A pipeline, with the texts that it names.
	PipelineOpen = Route[PipelineRequest, PipelineAnswer]{"POST", "/pipeline/open"}
	// Notes how far a run is.
	PipelineProgress = Route[stage.Progress, None]{"POST", "/pipeline/progress"}
)

// StageListRequest asks for entries, newest first.
type StageListRequest struct {
	Stage string `json:"stage,omitempty"` // "": of all
	Limit int    `json:"limit,omitempty"` // default 100
}

// StageListAnswer has the entries.
type StageListAnswer struct {
	Entries []stage.Entry `json:"entries"`
}

// StageDropRequest names a stage or a key; "" with All is everything.
type StageDropRequest struct {
	Name string `json:"name,omitempty"`
	All  bool   `json:"all,omitempty"`
}

// StageDropAnswer says how many entries went.
type StageDropAnswer struct {
	Dropped int `json:"dropped"`
}

// PipelineRequest names a pipeline by its file (absolute), or by its name in .aoa/pipelines.
type PipelineRequest struct {
	File    string `json:"file,omitempty"`
	Name    string `json:"name,omitempty"`
	Session string `json:"session_id,omitempty"`
}

// PipelineAnswer is everything that running it needs.
type PipelineAnswer struct {
	ID       string             `json:"id"` // the file, relative to the root if it lies there
	Pipeline *pipeline.Pipeline `json:"pipeline"`
	Env      []string           `json:"env"` // variables that it may read
	Session  *stage.Session     `json:"session,omitempty"`
}
