package api

import "time"

// The routes of the stage cache. The first two are streams: /stage/begin answers with a line and, on a hit, the record
// behind it; on a miss the answer stays open, and the caller has the turn to run until it closes it. /stage/end takes a
// line and the record.
var (
	StageBegin = Stream[StageRequest, StageTurn]{"/stage/begin", 4 << 20}
	StageEnd   = Stream[StageResult, StageKept]{"/stage/end", 1 << 30}
	StageWhy   = Route[StageRequest, StageReason]{"POST", "/stage/why"}
	StageList  = Stream[StageListRequest, StageListAnswer]{"/stage/list", 1 << 16}
	StageDrop  = Route[StageDropRequest, StageDropAnswer]{"POST", "/stage/drop"}
)

// StageRequest describes a step: what is equal in it and on the disk is the same step.
type StageRequest struct {
	Stage    string             `json:"stage"`
	Command  []string           `json:"command,omitempty"` // none: ask why about the newest entry of the stage
	Shown    string             `json:"shown,omitempty"`   // the command, redacted, as stage show prints it
	Dir      string             `json:"dir,omitempty"`     // folder it runs in, relative to the root
	Inputs   map[string]string  `json:"inputs,omitempty"`
	Env      map[string]*string `json:"env,omitempty"`  // null: not set
	Deps     []string           `json:"deps,omitempty"` // globs and names relative to the root, absolute names, !globs
	Outputs  []string           `json:"outputs,omitempty"`
	Stdin    *string            `json:"stdin,omitempty"`    // digest of the standard input, if it counts
	Template string             `json:"template,omitempty"` // absolute
	Text     string             `json:"text,omitempty"`     // of a template without a file
	Tool     StageTool          `json:"tool,omitzero"`
	Model    string             `json:"model,omitempty"`
	TTL      int64              `json:"ttl_ms,omitempty"` // 0: entries count at any age
	Failures bool               `json:"failures,omitempty"`
	Refresh  bool               `json:"refresh,omitempty"`
}

// StageTool asks for a tool's version to be part of the key.
type StageTool struct {
	Command string `json:"command"` // that prints the version
	Path    string `json:"path"`    // absolute, of its program: as long as that is the same, so is the version
	Version string `json:"version"` // "" asks the daemon to remember
}

// StageTurn is the answer to begin.
type StageTurn struct {
	Key     string      `json:"key"`
	Hit     bool        `json:"hit"`
	Entry   *StageEntry `json:"entry,omitempty"` // of a hit
	Miss    string      `json:"miss,omitempty"`  // why it runs
	Waited  int64       `json:"waited_ms,omitempty"`
	Idle    []string    `json:"idle,omitempty"`     // globs that name no file
	Version string      `json:"version,omitempty"`  // the tool's
	AskTool bool        `json:"ask_tool,omitempty"` // the version is not known: ask again with it
	Limit   int64       `json:"limit_bytes"`        // output and files that are kept at most
}

// StageResult is what a run came to; the record is behind it.
type StageResult struct {
	Request  StageRequest `json:"request"`
	Key      string       `json:"key"`
	Exit     int          `json:"exit"`
	Duration int64        `json:"duration_ms"`
}

// StageKept says whether the result was kept, and if not, why.
type StageKept struct {
	Kept bool   `json:"kept"`
	Why  string `json:"why,omitempty"`
}

// StageEntry is one kept result.
type StageEntry struct {
	Key      string    `json:"key"`
	Stage    string    `json:"stage"`
	Created  time.Time `json:"created"`
	Used     time.Time `json:"used"`
	Hits     int       `json:"hits"`
	TTL      int64     `json:"ttl_ms"`
	Exit     int       `json:"exit"`
	Duration int64     `json:"duration_ms"`
	Bytes    int64     `json:"bytes"`
	Stdout   int64     `json:"stdout_bytes"`
	Stderr   int64     `json:"stderr_bytes"`
	Files    int       `json:"files"`
	Command  string    `json:"command"`
	Model    string    `json:"model,omitempty"`
}

// StageChange is one difference from an earlier entry.
type StageChange struct {
	Kind string `json:"kind"`
	Name string `json:"name,omitempty"`
	What string `json:"what"`
}

// StageReason is the answer to why.
type StageReason struct {
	Key     string        `json:"key"`
	Hit     bool          `json:"hit"`
	Why     string        `json:"why,omitempty"`
	Nearest string        `json:"nearest,omitempty"`
	Changes []StageChange `json:"changes"` // at most 100, in the order of the key
	Total   int           `json:"total"`
	Idle    []string      `json:"idle,omitempty"`
	AskTool bool          `json:"ask_tool,omitempty"`
}

// StageListRequest asks for entries, newest first, or for one with its record.
type StageListRequest struct {
	// a key, the first digits of one, or the stage whose newest it is; its record follows
	Show  string `json:"show,omitempty"`
	Stage string `json:"stage,omitempty"`
	Limit int    `json:"limit,omitempty"` // default 100
}

// StageListAnswer is them.
type StageListAnswer struct {
	Entries []StageEntry `json:"entries"`
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

// StageStat is what a stage saved.
type StageStat struct {
	Stage   string `json:"stage"`
	Hits    int    `json:"hits"`
	Misses  int    `json:"misses"`
	Saved   int64  `json:"saved_ms"`
	Entries int    `json:"entries"`
	Bytes   int64  `json:"bytes"`
}

// StageStatsAnswer is that of every stage, the most useful first.
type StageStatsAnswer struct {
	Stages []StageStat `json:"stages"`
}
