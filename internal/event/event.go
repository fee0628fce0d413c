package event

import (
	"strings"
	"time"
)

// Kind says what happened. Kinds are stored in the event log: they are added, never renamed.
type Kind string

// The kinds of events. Opens (Read, Edit, Write) are what predictions are measured against.
const (
	KindPrompt   Kind = "prompt"   // a person (or a schedule) asked the agent for something
	KindRead     Kind = "read"     // a file's content was read
	KindEdit     Kind = "edit"     // an existing file was changed by a tool
	KindWrite    Kind = "write"    // a file was created or overwritten by a tool
	KindSearch   Kind = "search"   // a search or listing: Terms are the pattern's, Seen its results
	KindRun      Kind = "run"      // a command that does none of the above
	KindFailed   Kind = "failed"   // a tool call failed: never an open
	KindSave     Kind = "save"     // a file changed on disk outside any tool call
	KindCommit   Kind = "commit"   // a commit became reachable: Paths are its files
	KindUncommit Kind = "uncommit" // a counted commit was rewritten or dropped: subtract it
	KindRename   Kind = "rename"   // From[i] became Paths[i]
	KindDelete   Kind = "delete"   // files went away outside a commit
	KindBranch   Kind = "branch"   // another branch was checked out
	KindStart    Kind = "start"    // a session began, resumed or was compacted (Tool says which)
	KindEnd      Kind = "end"      // a session ended
	KindTick     Kind = "tick"     // the cron's maintenance: scores are trimmed and dropped only here
	KindSuggest  Kind = "suggest"  // a prediction was made: Paths, Scores, and whether it was shown
	KindOutcome  Kind = "outcome"  // a prediction was resolved: OK says whether the file was used in time
	KindFeedback Kind = "feedback" // a person said whether a suggestion helped (OK)
	KindSetting  Kind = "setting"  // a setting that folding needs has a new value: Tool names it, Scores[0] is the value
)

// Open reports whether the kind counts as opening a file.
func (k Kind) Open() bool { return k == KindRead || k.Edit() }

// Edit reports whether the event is a tool's change of files.
func (k Kind) Edit() bool { return k == KindEdit || k == KindWrite }

// Event is one entry of the event log. All state is a fold of the events of all writers. So an event carries its own
// time and all that learning needs, and never changes after it was logged.
type Event struct {
	// ID makes deliveries idempotent: what is delivered twice has the same ID both times. It is made of tool_use_id,
	// event and agent_id; of prompt_id; of the sha of a commit; of path, mtime and size of a save.
	ID   string    `json:"id"`
	Time time.Time `json:"time"` // when it happened, millisecond precision, UTC
	Kind Kind      `json:"kind"`

	Origin   string `json:"origin,omitempty"`   // the daemon of another clone that logged it; "" for this one
	Agent    string `json:"agent,omitempty"`    // "claude", "git", "watch", "cli", …
	Session  string `json:"session,omitempty"`  // the agent's session id
	Subagent string `json:"subagent,omitempty"` // id of the subagent inside the session
	Tool     string `json:"tool,omitempty"`     // the agent's tool name, or the hook's source word
	Turn     string `json:"turn,omitempty"`     // id of the prompt that this happened under
	Batch    string `json:"batch,omitempty"`    // calls requested together share it

	Paths   []Path    `json:"paths,omitempty"`   // the files that were used
	From    []Path    `json:"from,omitempty"`    // renames: From[i] became Paths[i]; suggest: the change that lacks Paths
	Gone    []Path    `json:"gone,omitempty"`    // commits: files that the commit deleted
	Named   []Path    `json:"named,omitempty"`   // files named by the prompt, the command or the pattern itself
	Seen    []Path    `json:"seen,omitempty"`    // files named by the result, in the result's order, at most MaxSeen
	Listing bool      `json:"listing,omitempty"` // Seen is a list of matches or files, not content
	Terms   []string  `json:"terms,omitempty"`   // words of the prompt, pattern, command or subject, at most MaxTerms
	Tags    []string  `json:"tags,omitempty"`    // intent tags, without '#'
	Scores  []float64 `json:"scores,omitempty"`  // suggest: the probability of Paths[i]
	Text    string    `json:"text,omitempty"`    // redacted prompt, command or subject, at most MaxText bytes
	OK      bool      `json:"ok,omitempty"`      // it succeeded; outcome: it was used; feedback: it helped
	// Why is the reason of a failure (missing isdir nomatch unread denied toolarge other), unknown for a run that may
	// have failed, or the arm of a suggestion (shown withheld shadow silent).
	Why    string    `json:"why,omitempty"`
	Cause  string    `json:"cause,omitempty"`  // outcome: ID of the suggestion
	Author time.Time `json:"author,omitzero"`  // commits: author time, for show only
	Task   Task      `json:"moment,omitempty"` // suggest: what it was made for
	// suggest: estimated tokens of the text that was shown; search: of its result, 0 if not known
	Tokens int    `json:"tokens,omitempty"`
	Label  string `json:"label,omitempty"` // outcome: what OK means (open next turn change)
	// read: the lines that were read, as "40-120" or "40-"; "" for all, or if it is not known
	Lines string `json:"lines,omitempty"`
	// read: the id that git gives the content of the file, in hex; "" if it is not known
	Blob string `json:"blob,omitempty"`
}

// Bounds of an event. What exceeds them is cut when the event is made, not when it is read.
const (
	MaxSeen  = 60
	MaxTerms = 32
	MaxText  = 4096 // bytes
	MaxPaths = 5000 // further files of one event are counted but not kept
)

// Normalize returns an event cut to its bounds, with its times in UTC, cut to milliseconds. Every event is normalized
// once, before it is logged, so that what is learned live equals what is learned from the log. A time more than two
// minutes after now becomes now, because a wrong clock must not decide the ranking.
func (e Event) Normalize(now time.Time) Event {
	if e.Time.After(now.Add(2 * time.Minute)) {
		e.Time = now
	}
	e.Time = e.Time.UTC().Truncate(time.Millisecond)
	if !e.Author.IsZero() {
		e.Author = e.Author.UTC().Truncate(time.Millisecond)
	}
	e.Paths, e.Named, e.Seen = cut(e.Paths, MaxPaths), cut(e.Named, MaxSeen), cut(e.Seen, MaxSeen)
	e.Gone, e.From = cut(e.Gone, MaxPaths), cut(e.From, MaxPaths)
	e.Terms, e.Tags = cut(e.Terms, MaxTerms), cut(e.Tags, MaxTerms)
	if len(e.Text) > MaxText {
		e.Text = strings.ToValidUTF8(e.Text[:MaxText], "")
	}
	return e
}

func cut[T any](s []T, n int) []T {
	if len(s) > n {
		return s[:n:n]
	}
	return s
}
