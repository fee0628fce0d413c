package api

import "encoding/json"

// The routes of pipelines.
var (
	PipelineOpen     = Route[PipelineRequest, PipelineAnswer]{"POST", "/pipeline/open"}
	PipelineProgress = Route[PipelineStep, None]{"POST", "/pipeline/progress"}
)

// PipelineRequest names a pipeline by its file (absolute), or by its name in .aoa/pipelines.
type PipelineRequest struct {
	File    string `json:"file,omitempty"`
	Name    string `json:"name,omitempty"`
	Session string `json:"session_id,omitempty"`
}

// PipelineAnswer is everything that running it needs.
type PipelineAnswer struct {
	ID       string           `json:"id"`       // the file, relative to the root if it lies there
	Pipeline json.RawMessage  `json:"pipeline"` // pipeline.Pipeline in internal/stage/pipeline
	Agents   map[string]Text  `json:"agents,omitempty"`
	Prompts  map[string]Text  `json:"prompts,omitempty"`
	Env      []string         `json:"env"` // variables that it may read
	Session  *PipelineSession `json:"session,omitempty"`
	Parsed   bool             `json:"parsed"` // false: every definition was known
}

// Text is a definition's text and the model that it asks for.
type Text struct {
	Body  string `json:"body"`
	Model string `json:"model,omitempty"`
}

// PipelineSession is what earlier pipelines of a session left.
type PipelineSession struct {
	Known   bool                       `json:"known"`
	Outputs []PipelineOutput           `json:"outputs"`
	Context map[string]json.RawMessage `json:"context"`
	State   string                     `json:"state,omitempty"` // of this pipeline's last run
	Steps   map[string]string          `json:"steps,omitempty"` // stage → key, of a run that did not end well
	Tokens  int64                      `json:"tokens"`
}

// PipelineOutput is what a stage printed.
type PipelineOutput struct {
	Stage  string `json:"stage"`
	Prompt string `json:"prompt,omitempty"`
	JSON   bool   `json:"json"`
	Value  []byte `json:"value"`
}

// PipelineStep is what a running pipeline tells.
type PipelineStep struct {
	Session string                     `json:"session_id"`
	ID      string                     `json:"id"`
	State   string                     `json:"state,omitempty"` // running, done, failed
	Output  *PipelineOutput            `json:"output,omitempty"`
	Key     string                     `json:"key,omitempty"`
	Context map[string]json.RawMessage `json:"context,omitempty"`
	Tokens  int64                      `json:"tokens,omitempty"`
}

// DefinitionsAnswer is the definitions of the worktree, and those that could not be read.
type DefinitionsAnswer struct {
	Definitions []Definition       `json:"definitions"`
	Broken      []BrokenDefinition `json:"broken"`
	Hits        int64              `json:"hits"`   // of this question: definitions that were known
	Parsed      int64              `json:"parsed"` // and those that were parsed
}

// Definition is one file.
type Definition struct {
	Kind        string   `json:"kind"` // agent, command or pipeline
	Name        string   `json:"name"`
	File        string   `json:"file"`
	Description string   `json:"description,omitempty"`
	Model       string   `json:"model,omitempty"`
	Stages      []string `json:"stages,omitempty"`
}

// BrokenDefinition is a file that could not be read.
type BrokenDefinition struct {
	File  string `json:"file"`
	Error string `json:"error"`
}
