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

// The routes. Those of the specification are also served without /v1.
var (
	// Which files come next?
	Rank = Route[event.Query, event.Answer]{"POST", "/rank"}
	// Why is one file suggested?
	Why = Route[WhyRequest, WhyAnswer]{"POST", "/why"}
	// Where do some lines of a file come from?
	WhyLine = Route[WhyLineRequest, WhyLineAnswer]{"POST", "/why/line"}
	// Tells whether a suggestion helped.
	Feedback = Route[FeedbackRequest, ThresholdAnswer]{"POST", "/feedback"}
	// From which probability on are hints shown?
	Threshold = Route[None, ThresholdAnswer]{"GET", "/threshold"}
	// Sets that probability.
	SetThreshold = Route[ThresholdRequest, ThresholdAnswer]{"POST", "/threshold"}
	// Logs events. It answers when they are on the disk.
	Events = Route[[]event.Event, EventsAnswer]{"POST", "/events"}
	// Which events were learned?
	Log = Route[LogRequest, LogAnswer]{"POST", "/log"}
	// One table of totals.
	Stats = Route[StatsRequest, StatsAnswer]{"POST", "/stats"}
	// How is the daemon, and what has it learned?
	Status = Route[None, StatusAnswer]{"GET", "/status"}
	// Metrics in the text format of Prometheus.
	Metrics = Route[None, []byte]{"GET", "/metrics"}
	// Forgets a file, a session, a time or an origin.
	Forget = Route[ForgetRequest, ForgetAnswer]{"POST", "/forget"}
	// Stops learning and answering for a while.
	Pause = Route[PauseRequest, PauseAnswer]{"POST", "/pause"}
	// Reads the settings again.
	Config = Route[None, None]{"POST", "/config"}
	// Imports past commits or sessions, or tells how far that is.
	Import = Route[ImportRequest, ImportAnswer]{"POST", "/import"}
	// What does a change break and lack?
	Check = Route[change.Request, change.Answer]{"POST", "/check"}
	// The numbers of one session, for a status line.
	Session = Route[SessionRequest, SessionAnswer]{"POST", "/session"}
	// Answers at once, without a lock.
	Ping = Route[None, None]{"GET", "/ping"}
	// Writes everything and stops the daemon. It answers before the process ends.
	Stop = Route[StopRequest, StopAnswer]{"POST", "/stop"}
)

// WhyRequest asks for the arithmetic of one file's score.
type WhyRequest struct {
	File  event.Path  `json:"file"`
	Query event.Query `json:"query"` // as for /rank
}

// WhyAnswer is the arithmetic: score = 1/(1+e^-(a·Σ weight·value + b)).
type WhyAnswer struct {
	event.Suggestion
	At    int64 `json:"at"`
	Rank  int   `json:"rank"`  // 1 for the best, 0 if it is no candidate
	Known bool  `json:"known"` // git tracks it, or it is new and not ignored
	// Reading has the same meaning as in event.Answer.
	Reading bool `json:"reading,omitempty"`
}

// WhyLineRequest asks why lines are there.
type WhyLineRequest struct {
	File event.Path `json:"file"`
	From int        `json:"from"`         // the first line, from 1
	To   int        `json:"to,omitempty"` // the last one, at most blame.MaxLines in all; 0: From
}

// WhyLineAnswer has where the lines come from, in their order.
type WhyLineAnswer struct {
	File  event.Path     `json:"file"`
	Lines []blame.Origin `json:"lines"`
}

// FeedbackRequest says whether a suggestion helped.
type FeedbackRequest struct {
	Session string     `json:"session_id,omitempty"`
	Helpful bool       `json:"was_helpful"`
	File    event.Path `json:"file,omitempty"`
}

// ThresholdRequest sets the threshold of the repository, as aoa config threshold does.
type ThresholdRequest struct {
	Value float64 `json:"value"` // in [0.40, 0.90]
}

// ThresholdAnswer has the threshold in use, which is learned, and the configured one that it began
// with.
type ThresholdAnswer struct {
	Value      float64            `json:"value"`
	Configured float64            `json:"configured"`
	Kinds      map[string]float64 `json:"kinds,omitempty"` // per kind, after learning
}

// EventsAnswer counts the events of a request.
type EventsAnswer struct {
	Accepted  int `json:"accepted"`
	Duplicate int `json:"duplicate"` // known already, by ID
	Ignored   int `json:"ignored"`   // all of its paths are ignored
}

// LogRequest selects events; the zero value selects the newest 100.
type LogRequest struct {
	Since   time.Time    `json:"since,omitzero"`
	Until   time.Time    `json:"until,omitzero"`
	Session string       `json:"session,omitempty"`
	File    event.Path   `json:"file,omitempty"` // a file, or a folder ending in '/'
	Kinds   []event.Kind `json:"kinds,omitempty"`
	Limit   int          `json:"limit,omitempty"`
}

// LogAnswer is the events, oldest first.
type LogAnswer struct {
	Events []event.Event `json:"events"`
}

// StatsRequest asks for one table.
type StatsRequest struct {
	// files, commits (files by their commits), tags, sessions, hints, outcomes or pairs
	Table string `json:"table"`
	Limit int    `json:"limit,omitempty"` // rows; 0 is 20
}

// StatsAnswer has the table that was asked for.
type StatsAnswer struct {
	Files    []cold.FileStat    `json:"files,omitempty"`
	Tags     []cold.TagStat     `json:"tags,omitempty"`
	Sessions []cold.SessionStat `json:"sessions,omitempty"`
	Hints    []prefetch.Record  `json:"hints,omitempty"` // by kind
	// the outcomes of the newest predicted files, the newest last
	Outcomes []prefetch.Outcome `json:"outcomes,omitempty"`

	Pairs []history.Pair `json:"pairs,omitempty"` // files that change together and have unrelated names
}

// StatusAnswer is the daemon's health.
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
	Watch     string    `json:"watch"` // on, partial, poll, off
	Watched   int       `json:"watched_folders"`
	Polled    int       `json:"polled_folders"`
	WatchWhy  string    `json:"watch_why,omitempty"`  // why folders are polled
	WatchHint string    `json:"watch_hint,omitempty"` // the command that helps
	Import    Progress  `json:"import"`               // of the git history
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

// ForgetRequest says what to forget: exactly one field.
type ForgetRequest struct {
	File    event.Path `json:"file,omitempty"` // a file, or a folder ending in '/'
	Session string     `json:"session,omitempty"`
	Since   time.Time  `json:"since,omitzero"`
	Origin  string     `json:"origin,omitempty"` // another clone, by the beginning of its name
}

// ForgetAnswer says what was forgotten.
type ForgetAnswer struct {
	Events  int `json:"events"`
	Files   int `json:"files"`
	Commits int `json:"commits"` // that stay without the path
	Results int `json:"results"` // of stages
}

// StopRequest ends the daemon.
type StopRequest struct {
	// do not stop a daemon of this build: it is already the successor of the one that is meant
	Unless string `json:"unless_build,omitempty"`
	Force  bool   `json:"force,omitempty"` // stop also when events cannot be written: they are lost
}

// StopAnswer says what a daemon that was forced to stop could not write.
type StopAnswer struct {
	Unwritten int    `json:"unwritten_events,omitempty"`
	Why       string `json:"why,omitempty"`
}

// PauseRequest stops learning and answering for a while; zero ends the pause.
type PauseRequest struct {
	Seconds float64 `json:"seconds"`
}

// PauseAnswer says when learning continues.
type PauseAnswer struct {
	Until time.Time `json:"paused_until,omitzero"`
}

// ImportRequest starts an import, or asks for the progress of the running one.
type ImportRequest struct {
	Transcripts string `json:"transcripts,omitempty"` // folder of agent transcripts; "" is git history only
	Look        bool   `json:"look,omitempty"`        // start nothing
}

// ImportAnswer is the progress of the imports.
type ImportAnswer struct {
	History     Progress       `json:"history"`
	Transcripts Progress       `json:"transcripts"`
	Sessions    int            `json:"sessions"`
	Events      int            `json:"events"`
	Skipped     map[string]int `json:"skipped,omitempty"` // lines of a transcript by reason
}

// SessionRequest asks for one session's numbers.
type SessionRequest struct {
	Session string `json:"session_id,omitempty"` // empty: the newest live one of the caller's worktree
}

// SessionAnswer has the numbers that a status line shows. They are zero for an unknown session.
type SessionAnswer struct {
	ID       string `json:"session_id"` // "": asked for the newest, and none is live
	Agent    string `json:"agent,omitempty"`
	Mode     string `json:"mode"`        // live, or session: it was resumed, forked or compacted
	Live     bool   `json:"live"`        // its last event is less than a day old, and it has not ended
	Files    int    `json:"files"`       // different files that it opened
	Shown    int    `json:"hints_shown"` // files named by hints
	Resolved int    `json:"hints_resolved"`
	Used     int    `json:"hints_used"`  // opened within the horizon
	Tokens   int    `json:"hint_tokens"` // estimate of what the hints cost, at four bytes a token
	Known    int    `json:"files_known"` // files that may be suggested in the worktree
}
