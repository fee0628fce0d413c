package api

import (
	"github.com/aoa-dev/aoa/internal/stage"
	"github.com/aoa-dev/aoa/internal/stage/pipeline"
)

// The routes of the stage cache and of pipelines.
var (
	// Asks whether this stage has already run with these inputs. On a miss the answer stays open,
	// and the caller may run the command until it closes the connection.
	StageBegin = Route[stage.Request, stage.Turn]{"POST", "/stage/begin"}
	// Stores the record of a run.
	StageEnd = Route[stage.Result, stage.Kept]{"POST", "/stage/end"}
	// Tells which input of a stage has changed.
	StageWhy = Route[stage.Request, stage.Why]{"POST", "/stage/why"}
	// Lists the stored results.
	StageList = Route[StageListRequest, StageListAnswer]{"POST", "/stage/list"}
	// Deletes stored results.
	StageDrop = Route[StageDropRequest, StageDropAnswer]{"POST", "/stage/drop"}

	// Reads a pipeline, with the texts that it names.
	PipelineOpen = Route[PipelineRequest, PipelineAnswer]{"POST", "/pipeline/open"}
	// Records the progress of a run.
	PipelineProgress = Route[stage.Progress, None]{"POST", "/pipeline/progress"}
)

// StageListRequest asks for entries, newest first.
type StageListRequest struct {
	Stage string `json:"stage,omitempty"` // "" means all stages
	Limit int    `json:"limit,omitempty"` // default 100
}

// StageListAnswer has the entries.
type StageListAnswer struct {
	Entries []stage.Entry `json:"entries"`
}

// StageDropRequest names a stage or a key. "" with All means everything.
type StageDropRequest struct {
	Name string `json:"name,omitempty"`
	All  bool   `json:"all,omitempty"`
}

// StageDropAnswer tells how many entries were deleted.
type StageDropAnswer struct {
	Dropped int `json:"dropped"`
}

// PipelineRequest names a pipeline by its absolute file, or by its name in .aoa/pipelines.
type PipelineRequest struct {
	File    string `json:"file,omitempty"`
	Name    string `json:"name,omitempty"`
	Session string `json:"session_id,omitempty"`
}

// PipelineAnswer has everything that is needed to run the pipeline.
type PipelineAnswer struct {
	ID       string             `json:"id"` // its file, relative to the root if it is below the root
	Pipeline *pipeline.Pipeline `json:"pipeline"`
	Env      []string           `json:"env"` // variables that it may read
	Session  *stage.Session     `json:"session,omitempty"`
}
