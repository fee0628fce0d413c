package api

import (
	"time"

	"github.com/aoa-dev/aoa/internal/blame"
	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/team"
	"github.com/aoa-dev/aoa/prefetch"
)

// The routes. Those that the specification names are also served without /v1.
var (
	// Returns the files that come next.
	Rank = Route[event.Query, event.Answer]{"POST", "/rank"}
	// Explains why a file is suggested.
	Why = Route[WhyRequest, WhyAnswer]{"POST", "/why"}
	// Tells where some lines of a file come from.
	WhyLine = Route[WhyLineRequest, WhyLineAnswer]{"POST", "/why/line"}
	// Records whether a suggestion helped.
	Feedback = Route[FeedbackRequest, ThresholdAnswer]{"POST", "/feedback"}
	// Returns the least probability of a file that is shown as a hint.
	Threshold = Route[None, ThresholdAnswer]{"GET", "/threshold"}
	// Sets that probability.
	SetThreshold = Route[ThresholdRequest, ThresholdAnswer]{"POST", "/threshold"}
	// Logs events. The answer comes when they are on disk.
	Events = Route[[]event.Event, EventsAnswer]{"POST", "/events"}
	// Returns events from the log.
	Log = Route[cold.LogFilter, LogAnswer]{"POST", "/log"}
	// Returns one table of totals.
	Stats = Route[StatsRequest, StatsAnswer]{"POST", "/stats"}
	// Returns the state of the daemon, and how much it has learned.
	Status = Route[None, StatusAnswer]{"GET", "/status"}
	// Returns metrics in the text format of Prometheus.
	Metrics = Route[None, []byte]{"GET", "/metrics"}
	// Forgets a file, a session, a time or another clone.
	Forget = Route[ForgetRequest, ForgetAnswer]{"POST", "/forget"}
	// Stops learning and answering for a while.
	Pause = Route[PauseRequest, PauseAnswer]{"POST", "/pause"}
	// Reads the settings again.
	Config = Route[None, None]{"POST", "/config"}
	// Imports past commits or sessions, or tells how far the import is.
	Import = Route[ImportRequest, ImportAnswer]{"POST", "/import"}
	// Tells what a change breaks and lacks.
	Check = Route[change.Request, change.Answer]{"POST", "/check"}
	// Returns the numbers of one session, for a status line.
	Session = Route[SessionRequest, SessionAnswer]{"POST", "/session"}
	// Answers at once, without a lock.
	Ping = Route[None, None]{"GET", "/ping"}
	// Makes the daemon write everything and stop. The answer comes before the process ends.
	Stop = Route[StopRequest, StopAnswer]{"POST", "/stop"}
)

// WhyRequest asks for the arithmetic of one file's score.
type WhyRequest struct {
	File  event.Path  `json:"file"`
	Query event.Query `json:"query,omitzero"` // as for /rank
}

// WhyAnswer is the arithmetic: score = 1/(1+e^-(a·Σ weight·value + b)).
type WhyAnswer struct {
	event.Suggestion
	At    int64 `json:"at"`
	Rank  int   `json:"rank"`  // 1 for the best file, 0 if the file is not a candidate
	Known bool  `json:"known"` // git tracks the file, or it is new and not ignored
	// Reading has the same meaning as in event.Answer.
	Reading bool `json:"reading,omitempty"`
}

// WhyLineRequest asks why some lines of a file are there.
type WhyLineRequest struct {
	File event.Path `json:"file"`
	From int        `json:"from"`         // number of the first line, from 1 on
	To   int        `json:"to,omitempty"` // number of the last line, 0: the same as From; at most 200 lines in all
}

// WhyLineAnswer tells for each line, in order, where it comes from.
type WhyLineAnswer struct {
	File  event.Path     `json:"file"`
	Lines []blame.Origin `json:"lines"`
}

// FeedbackRequest tells whether a suggestion helped.
type FeedbackRequest struct {
	Session string     `json:"session_id,omitempty"`
	Helpful bool       `json:"was_helpful"`
	File    event.Path `json:"file,omitempty"`
}

// ThresholdRequest sets the threshold of the repository, as aoa config threshold does.
type ThresholdRequest struct {
	Value float64 `json:"value"` // in [0.40, 0.90]
}

// ThresholdAnswer has the threshold that is in use, which is learned, and the configured one from
// which learning started.
type ThresholdAnswer struct {
	Value      float64            `json:"value"`
	Configured float64            `json:"configured"`
	Kinds      map[string]float64 `json:"kinds,omitempty"` // by kind of hint, after learning
}

// EventsAnswer counts the events of a request.
type EventsAnswer struct {
	Accepted  int `json:"accepted"`
	Duplicate int `json:"duplicate"` // already known, by ID
	Ignored   int `json:"ignored"`   // left out because all of its paths are ignored
}

// LogAnswer has the events, oldest first.
type LogAnswer struct {
	Events []event.Event `json:"events"`
}

// StatsRequest asks for one table.
type StatsRequest struct {
	// Table is one of files, commits (files by their commits), tags, sessions, hints, outcomes and
	// pairs.
	Table string `json:"table"`
	Limit int    `json:"limit,omitempty"` // number of rows; 0 means 20
}

// StatsAnswer has the table that was asked for.
type StatsAnswer struct {
	Files    []cold.FileStat    `json:"files,omitempty"`
	Tags     []cold.TagStat     `json:"tags,omitempty"`
	Sessions []cold.SessionStat `json:"sessions,omitempty"`
	Hints    []prefetch.Record  `json:"hints,omitempty"` // by kind
	// Outcomes has the outcomes of the newest predicted files, the newest last.
	Outcomes []prefetch.Outcome `json:"outcomes,omitempty"`

	// pairs of files that change together although their names have nothing in common
	Pairs []history.Pair `json:"pairs,omitempty"`
}

// StatusAnswer describes the state of the daemon.
type StatusAnswer struct {
	Pid       int       `json:"pid"`
	Version   string    `json:"version"`
	Build     string    `json:"build"`
	Repo      string    `json:"repo"`
	Store     string    `json:"store"`
	Started   time.Time `json:"started"`
	Uptime    float64   `json:"uptime_s"`
	Events    int64     `json:"events"`
	Commits   int64     `json:"commits"`
	Files     int64     `json:"files"`
	Sessions  int64     `json:"sessions"`
	RSS       int64     `json:"rss_bytes"`
	DB        int64     `json:"db_bytes"`
	Hot       int64     `json:"hot_bytes"`
	Head      string    `json:"head"`
	Watch     string    `json:"watch"` // on, poll, off
	Watched   int       `json:"watched_folders"`
	WatchWhy  string    `json:"watch_why,omitempty"`  // why folders are polled
	WatchHint string    `json:"watch_hint,omitempty"` // the command that gives more watches
	Import    Progress  `json:"import"`               // the import of the git history
	// the reading of the diffs of the newest commits, which follows the import
	Sketches  Progress  `json:"sketches"`
	Snapshot  time.Time `json:"snapshot,omitzero"`
	Paused    time.Time `json:"paused_until,omitzero"`
	Threshold float64   `json:"threshold"`
	KeepBytes int64     `json:"retention_bytes"`
	Warnings  []string  `json:"warnings,omitempty"`

	Team team.Status `json:"team"` // the exchange with other clones
}

// Progress is the progress of an import.
type Progress struct {
	State string `json:"state"` // idle, running, done, failed
	Done  int    `json:"done"`
	Total int    `json:"total"`
	Error string `json:"error,omitempty"`
}

// ForgetRequest tells what to forget. Exactly one field is set.
type ForgetRequest struct {
	File    event.Path `json:"file,omitempty"` // a file, or a folder ending in '/'
	Session string     `json:"session,omitempty"`
	Since   time.Time  `json:"since,omitzero"`
	Origin  string     `json:"origin,omitempty"` // another clone, by the beginning of its name
}

// ForgetAnswer tells what was forgotten.
type ForgetAnswer struct {
	Events  int `json:"events"`
	Files   int `json:"files"`
	Commits int `json:"commits"` // commits that stay without the path
	Results int `json:"results"` // number of stage results
}

// StopRequest stops the daemon.
type StopRequest struct {
	// Unless is a build that must not be stopped: a daemon of that build is already the successor
	// of the one that the caller means.
	Unless string `json:"unless_build,omitempty"`
	Force  bool   `json:"force,omitempty"` // stop even if events cannot be written; these are lost
}

// StopAnswer tells what a daemon that was forced to stop could not write.
type StopAnswer struct {
	Unwritten int    `json:"unwritten_events,omitempty"`
	Why       string `json:"why,omitempty"`
}

// PauseRequest stops learning and answering for a while. Zero seconds end the pause.
type PauseRequest struct {
	Seconds float64 `json:"seconds"`
}

// PauseAnswer tells when learning continues.
type PauseAnswer struct {
	Until time.Time `json:"paused_until,omitzero"`
}

// ImportRequest starts an import, or asks for the progress of a running one.
type ImportRequest struct {
	// a folder with transcripts of an agent; "" imports only git history
	Transcripts string `json:"transcripts,omitempty"`
	Look        bool   `json:"look,omitempty"` // only ask, start nothing
}

// ImportAnswer has the progress of the imports.
type ImportAnswer struct {
	History     Progress `json:"history"`
	Transcripts Progress `json:"transcripts"`
	Sessions    int      `json:"sessions"`
	Events      int      `json:"events"`
	// the number of skipped lines of transcripts, by reason
	Skipped map[string]int `json:"skipped,omitempty"`
}

// SessionRequest asks for the numbers of one session.
type SessionRequest struct {
	Session string `json:"session_id,omitempty"` // empty: the newest live session of the caller's worktree
}

// SessionAnswer has the numbers that a status line shows. For an unknown session they are zero.
type SessionAnswer struct {
	ID       string `json:"session_id"` // "" if the newest was asked for and none is live
	Agent    string `json:"agent,omitempty"`
	Mode     string `json:"mode"`        // live; or session, if it was resumed, forked or compacted
	Live     bool   `json:"live"`        // the last event is less than a day old, and the session has not ended
	Files    int    `json:"files"`       // number of different files that it opened
	Shown    int    `json:"hints_shown"` // number of files named by hints
	Resolved int    `json:"hints_resolved"`
	Used     int    `json:"hints_used"`  // number of these that were opened in time
	Tokens   int    `json:"hint_tokens"` // estimated tokens of the hints, at four bytes each
	Known    int    `json:"files_known"` // number of files in the worktree that may be suggested
}
