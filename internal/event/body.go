package event

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Body tells what happened. It is one of the types in this file, as a value.
type Body interface{ Kind() Kind }

// Kind is the kind of an event. Kinds are stored in the event log, so new ones may be added, but
// none may be renamed.
type Kind string

// The kinds of events, each with the type of its body. A Call has the kind of what it did.
// Predictions are measured by the opens that follow (Read, Edit, Write).
const (
	KindPrompt   Kind = "prompt"   // Prompt
	KindRead     Kind = "read"     // Call: a file's content was read
	KindEdit     Kind = "edit"     // Call: an existing file was changed
	KindWrite    Kind = "write"    // Call: a file was created or overwritten
	KindSearch   Kind = "search"   // Call: a search or a listing
	KindRun      Kind = "run"      // Call: any other act
	KindFailed   Kind = "failed"   // Call: it failed to do its work, so it never counts as an open
	KindSave     Kind = "save"     // Save
	KindCommit   Kind = "commit"   // Commit
	KindUncommit Kind = "uncommit" // Uncommit
	KindRename   Kind = "rename"   // Rename
	KindDelete   Kind = "delete"   // Delete
	KindCheckout Kind = "checkout" // Checkout
	KindStart    Kind = "start"    // Start
	KindStop     Kind = "stop"     // Stop
	KindEnd      Kind = "end"      // End
	KindTick     Kind = "tick"     // Tick
	KindHint     Kind = "hint"     // Hint
	KindFeedback Kind = "feedback" // Feedback
	KindSetting  Kind = "setting"  // Setting
	KindState    Kind = "state"    // State
)

// Open reports whether the kind counts as opening a file.
func (k Kind) Open() bool { return k == KindRead || k.Edit() }

// Edit reports whether a tool call of this kind changes files.
func (k Kind) Edit() bool { return k == KindEdit || k == KindWrite }

// bodies has, for each kind, a body that is empty but for what determines the kind.
var bodies = map[Kind]Body{KindPrompt: Prompt{}, KindRead: Call{Act: ActRead}, KindEdit: Call{Act: ActEdit},
	KindWrite: Call{Act: ActWrite}, KindSearch: Call{Act: ActSearch}, KindRun: Call{Act: ActRun},
	KindFailed: Call{Act: ActOther, Failure: FailOther}, KindSave: Save{}, KindCommit: Commit{}, KindUncommit: Uncommit{},
	KindRename: Rename{}, KindDelete: Delete{}, KindCheckout: Checkout{}, KindStart: Start{}, KindStop: Stop{},
	KindEnd:  End{},
	KindTick: Tick{}, KindHint: Hint{}, KindFeedback: Feedback{}, KindSetting: Setting{},
	KindState: State{}}

// Kinds returns all kinds, sorted by name.
func Kinds() []Kind { return slices.Sorted(maps.Keys(bodies)) }

// NewBody returns an empty body of a kind, nil for an unknown kind.
func NewBody(k Kind) Body { return bodies[k] }

// HashedWord is the first byte of a term that is neither in a file of the repository nor in the
// list of common words. Such a term is hashed with the key of the store, so that it can be learned
// but not read.
const HashedWord = "~"

// Prompt is what a person, or a schedule, asked an agent to do.
type Prompt struct {
	Named []Path   `json:"named,omitempty"` // files that the prompt names
	Seen  []Path   `json:"seen,omitempty"`  // files that its attachments name, in order, at most 60
	Terms []string `json:"terms,omitempty"` // its words, at most 32
	// Idents lists identifiers of at least two words in the prompt, in plain form (see
	// index.Identifiers), at most 40.
	Idents []string `json:"idents,omitempty"`
	Tags   []string `json:"tags,omitempty"`  // intent tags, without '#'
	Brief  bool     `json:"brief,omitempty"` // see Brief
	// Text is redacted and has at most 4,096 bytes. It is sealed in the log, and "" in the events
	// that consumers get.
	Text string `json:"text,omitempty"`
}

// briefBytes is the length of three long words. In scripts without spaces a longer text is not
// brief, although it looks like a single word.
const briefBytes = 60

// Brief reports whether a prompt has at most three words ("do it", "1", "yes, commit"). What such a
// prompt asks for is what the agent said before it.
func Brief(prompt string) bool { return len(prompt) <= briefBytes && len(strings.Fields(prompt)) <= 3 }

// Kind implements Body.
func (Prompt) Kind() Kind { return KindPrompt }

// Act tells what a tool call does, whatever the agent calls the tool. Acts are stored, so new ones
// may be added, but none may be renamed.
type Act string

// The acts. The first three change nothing.
const (
	ActRead   Act = "read"   // it reads files
	ActSearch Act = "search" // it searches the contents of files
	ActList   Act = "list"   // it lists names
	ActRun    Act = "run"    // it runs a command
	ActEdit   Act = "edit"   // it replaces texts in files
	ActWrite  Act = "write"  // it writes whole files
	ActOther  Act = "other"  // any other act
)

// ReadOnly reports whether the act changes nothing.
func (a Act) ReadOnly() bool { return a == ActRead || a == ActSearch || a == ActList }

// Failure tells how a call failed, "" if it did not. Failures are stored, so new ones may be added,
// but none may be renamed.
type Failure string

// The failures. After the last two the call did its work; after the others it did not.
const (
	FailMissing Failure = "missing" // no such file
	FailDir     Failure = "isdir"   // a folder where a file was meant
	FailNoMatch Failure = "nomatch" // the text to replace is not in the file, or more than once
	// the agent must read the file first, because it has not, or because the file has changed since
	FailUnread   Failure = "unread"
	FailDenied   Failure = "denied"   // no permission, from the person or from the system
	FailTooLarge Failure = "toolarge" // more than the tool can show
	FailOther    Failure = "other"
	FailStatus   Failure = "status"  // a command ran and reported that it failed
	FailUnknown  Failure = "unknown" // a command ran, and it is not known whether it failed
)

// Call is one tool call, or one of several things that a command did.
type Call struct {
	Act     Act      `json:"act"`
	Paths   []Path   `json:"paths,omitempty"`   // the files that it acted upon
	Tags    []string `json:"tags,omitempty"`    // intent tags, without '#'
	Tool    string   `json:"tool,omitempty"`    // the agent's name of the tool
	Batch   string   `json:"batch,omitempty"`   // the same for calls that were requested together
	Failure Failure  `json:"failure,omitempty"` // how it failed
	// The exit status, if the command is a single check; "" if it is not known.
	Exit string `json:"exit,omitempty"`
	// The lines of a check's output that name failures. They are sealed like Text.
	Failing []string `json:"failing,omitempty"`
	Named   []Path   `json:"named,omitempty"`   // files that the command or the pattern names
	Seen    []Path   `json:"seen,omitempty"`    // files that the result names, in its order, at most 60
	Listing bool     `json:"listing,omitempty"` // Seen comes from a list of matches or files, not from contents
	Terms   []string `json:"terms,omitempty"`   // words of the pattern or the command, at most 32
	Idents  []string `json:"idents,omitempty"`  // identifiers in them, as in Prompt, at most 8
	Looks   bool     `json:"looks,omitempty"`   // it is a git command that looks at a change, stages it or commits it
	Checks  bool     `json:"checks,omitempty"`  // it runs tests, a build or a linter
	// Text is the pattern, command or task. It is redacted and has at most 4,096 bytes. It is
	// sealed in the log, and "" in the events that consumers get.
	Text string `json:"text,omitempty"`
	// Offset is the first line that was read, from 1 on; 0 means the first.
	Offset int `json:"offset,omitempty"`
	// The number of lines read, or of search results; 0 is the tool's default.
	Limit int `json:"limit,omitempty"`
	// The id that git gives the content of the file, in hex; "" unless there is exactly one file.
	Blob string `json:"blob,omitempty"`
	// For edit and write: the id of the content before the call, NoBlob if there was no file.
	Before string `json:"before,omitempty"`

	// The rest is needed to repeat the call and to tell whether its result is the same. If a
	// command did several things, only the first of its events has these fields.
	Folder Path   `json:"folder,omitempty"` // search, list: the folder; "" is the root
	Glob   string `json:"glob,omitempty"`   // search: which files are searched
	Mode   string `json:"mode,omitempty"`   // search: content, files or count
	Fold   bool   `json:"fold,omitempty"`   // search: upper and lower case are the same
	Secret bool   `json:"secret,omitempty"` // a secret was removed from the input
	Cut    bool   `json:"cut,omitempty"`    // a part of the input is missing
	Digest string `json:"digest,omitempty"` // hash of the result, as far as it was delivered: 16 hex digits
	Bytes  int    `json:"bytes,omitempty"`  // length of the result, as far as it was delivered

	// Command and Edits are not logged. Command is the command line if Text does not have all of
	// it. Edits has the texts that an edit replaced; for a short file that was written as a whole,
	// it replaces nothing by the content.
	Command string `json:"-"`
	Edits   []Swap `json:"-"`
}

// NoBlob stands for the id of a content where there is no file.
const NoBlob = "gone"

// Swap is the replacement of a text in a file.
type Swap struct {
	Old string `json:"old"`
	New string `json:"new"`
	All bool   `json:"all,omitempty"` // every occurrence, not just one
}

// Values of Call.Tool for calls that no agent made.
const (
	ToolNotice    = "notification" // the agent's program reported something
	ToolScheduled = "scheduled"    // a timer began a turn; Text is its prompt
)

// Kind implements Body. A call that failed does not count as an open, whatever it tried to do.
func (c Call) Kind() Kind {
	switch {
	case c.Failure != "" && c.Failure != FailStatus && c.Failure != FailUnknown:
		return KindFailed
	case c.Act == ActList:
		return KindSearch
	case c.Act == ActOther:
		return KindRun
	}
	return Kind(c.Act)
}

// OK reports whether the call is not known to have failed.
func (c Call) OK() bool { return c.Failure == "" || c.Failure == FailUnknown }

// Lines returns the lines that were read, as "40-120" or "40-", "" for the whole file.
func (c Call) Lines() string {
	from := max(c.Offset, 1)
	switch {
	case c.Limit > 0:
		return fmt.Sprintf("%d-%d", from, from+c.Limit-1)
	case from > 1:
		return fmt.Sprintf("%d-", from)
	}
	return ""
}

// Save means that files changed on disk outside of any tool call.
type Save struct {
	Paths []Path `json:"paths"`
	// if many files changed at once: their number, since Paths has at most 5,000
	Files int `json:"files,omitempty"`
}

// Kind implements Body.
func (Save) Kind() Kind { return KindSave }

// Commit means that a commit became reachable.
type Commit struct {
	Paths  []Path    `json:"paths,omitempty"` // its files
	Gone   []Path    `json:"gone,omitempty"`  // the files that it deleted
	Terms  []string  `json:"terms,omitempty"` // words of its subject, at most 32
	Text   string    `json:"text,omitempty"`  // its subject, redacted, at most 4,096 bytes
	Author time.Time `json:"author,omitzero"` // when the author wrote it; only shown to people
}

// Kind implements Body.
func (Commit) Kind() Kind { return KindCommit }

// Uncommit means that a commit that had been counted was rewritten or dropped, so it is subtracted.
type Uncommit Commit

// Kind implements Body.
func (Uncommit) Kind() Kind { return KindUncommit }

// Rename means that From[i] became To[i].
type Rename struct {
	From []Path `json:"from"`
	To   []Path `json:"to"`
	// Past means that a commit on some branch made this rename. It connects the names of a file,
	// but does not move what was learned.
	Past bool `json:"past,omitempty"`
}

// Kind implements Body.
func (Rename) Kind() Kind { return KindRename }

// Delete means that files were deleted outside of a commit.
type Delete struct {
	Paths []Path `json:"paths"`
	// if many files were deleted at once: their number, since Paths has at most 5,000
	Files int `json:"files,omitempty"`
}

// Kind implements Body.
func (Delete) Kind() Kind { return KindDelete }

// Checkout means that another branch was checked out.
type Checkout struct {
	Name string `json:"name"` // the branch, or the commit if HEAD is detached
}

// Kind implements Body.
func (Checkout) Kind() Kind { return KindCheckout }

// Start means that a session began or continues.
type Start struct {
	Source string `json:"source,omitempty"` // startup, resume, clear, compact, fork, or another word of the agent
}

// Kind implements Body.
func (Start) Kind() Kind { return KindStart }

// Stop means that an agent ended its turn.
type Stop struct {
	Terms  []string `json:"terms,omitempty"`  // words from the end of the agent's last message, at most 64
	Idents []string `json:"idents,omitempty"` // identifiers in it, as in Prompt
}

// Kind implements Body.
func (Stop) Kind() Kind { return KindStop }

// End means that a session ended.
type End struct {
	Reason string `json:"reason,omitempty"` // in the agent's words
}

// Kind implements Body.
func (End) Kind() Kind { return KindEnd }

// Left reports whether the person left the session for good, by logging out or exiting. Sessions
// that ended otherwise are often resumed.
func (e End) Left() bool {
	return e.Reason == "logout" || e.Reason == "exit" || e.Reason == "prompt_input_exit"
}

// Tick is a maintenance job of the daemon. Scores are trimmed and dropped only when one is applied.
type Tick struct {
	Job string `json:"job,omitempty"` // sweep; "" means trim
}

// Kind implements Body.
func (Tick) Kind() Kind { return KindTick }

// Hint means that files were suggested, or would have been.
type Hint struct {
	Name   string    `json:"name"`   // the kind of hint: prompt, search, partner, …
	Status string    `json:"status"` // shown, withheld, shadow, silent
	Label  string    `json:"label,omitempty"`
	Task   Task      `json:"task,omitempty"` // the task for which the prediction was made
	Paths  []Path    `json:"paths,omitempty"`
	Scores []float64 `json:"scores,omitempty"` // probabilities of Paths
	Change []Path    `json:"change,omitempty"` // the change from which Paths are missing
	Named  []Path    `json:"named,omitempty"`  // files that the text names in addition to Paths
	Text   string    `json:"text,omitempty"`   // what was searched for, redacted
	Tokens int       `json:"tokens,omitempty"` // estimated tokens of the text that was shown
}

// Kind implements Body.
func (Hint) Kind() Kind { return KindHint }

// Feedback is a person's judgement of hints.
type Feedback struct {
	Name   string `json:"name,omitempty"` // the kind of hint; "" for all kinds
	Paths  []Path `json:"paths,omitempty"`
	Helped bool   `json:"helped"`
}

// Kind implements Body.
func (Feedback) Kind() Kind { return KindFeedback }

// Setting means that a setting on which learning depends has a new value.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Kind implements Body.
func (Setting) Kind() Kind { return KindSetting }

// State means that a person or a pipeline set the state of a session, or that a pipeline used
// tokens in it.
type State struct {
	Name   string `json:"name,omitempty"` // a state of package session; "" if it does not change
	Tokens int    `json:"tokens,omitempty"`
}

// Kind implements Body.
func (State) Kind() Kind { return KindState }
