package event

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Body says what happened. Each type is one of those of this file, as a value.
type Body interface{ Kind() Kind }

// Kind says what happened. Kinds are stored in the event log: they are added, never renamed.
type Kind string

// The kinds of events. Those of a Call say what the call did. Opens (Read, Edit, Write) are what
// predictions are measured against.
const (
	KindPrompt   Kind = "prompt"   // Prompt
	KindRead     Kind = "read"     // Call: a file's content was read
	KindEdit     Kind = "edit"     // Call: an existing file was changed
	KindWrite    Kind = "write"    // Call: a file was created or overwritten
	KindSearch   Kind = "search"   // Call: a search or a listing
	KindRun      Kind = "run"      // Call: none of the above
	KindFailed   Kind = "failed"   // Call: it did not do its work, so it is never an open
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

// Edit reports whether the event is a tool's change of files.
func (k Kind) Edit() bool { return k == KindEdit || k == KindWrite }

// bodies has a body of each kind, with nothing in it but the kind.
var bodies = map[Kind]Body{KindPrompt: Prompt{}, KindRead: Call{Act: ActRead}, KindEdit: Call{Act: ActEdit},
	KindWrite: Call{Act: ActWrite}, KindSearch: Call{Act: ActSearch}, KindRun: Call{Act: ActRun},
	KindFailed: Call{Act: ActOther, Failure: FailOther}, KindSave: Save{}, KindCommit: Commit{}, KindUncommit: Uncommit{},
	KindRename: Rename{}, KindDelete: Delete{}, KindCheckout: Checkout{}, KindStart: Start{}, KindStop: Stop{}, KindEnd: End{},
	KindTick: Tick{}, KindHint: Hint{}, KindFeedback: Feedback{}, KindSetting: Setting{},
	KindState: State{}}

// Kinds are all kinds, by name.
func Kinds() []Kind { return slices.Sorted(maps.Keys(bodies)) }

// NewBody is a body of a kind with nothing in it but the kind, nil for a kind that is not known.
func NewBody(k Kind) Body { return bodies[k] }

// HashedWord begins a term that neither a file of the repository nor the list of common words has:
// it is hashed with the key of the store, so that it can be learned and not be read.
const HashedWord = "~"

// Prompt is what a person, or a schedule, asked an agent to do.
type Prompt struct {
	Named []Path   `json:"named,omitempty"` // files that it names
	Seen  []Path   `json:"seen,omitempty"`  // files that what came with it names, in order, at most MaxSeen
	Terms []string `json:"terms,omitempty"` // its words, at most MaxTerms
	// identifiers of two words or more that it names, in plain form (see index.Identifiers), at
	// most MaxIdents
	Idents []string `json:"idents,omitempty"`
	Tags   []string `json:"tags,omitempty"`  // intent tags, without '#'
	Brief  bool     `json:"brief,omitempty"` // see Brief
	// redacted, at most MaxText bytes; sealed in the log, and "" where events are folded
	Text string `json:"text,omitempty"`
}

// briefBytes is the length of three long words: where words have no spaces between them, a text is
// not brief because it seems to be one word.
const briefBytes = 60

// Brief reports whether a prompt has at most three words ("do it", "1", "yes, commit"): what it
// asks for, the agent has said before it.
func Brief(prompt string) bool { return len(prompt) <= briefBytes && len(strings.Fields(prompt)) <= 3 }

// Kind implements Body.
func (Prompt) Kind() Kind { return KindPrompt }

// Act says what a tool call does, whatever the agent calls the tool. Acts are stored: they are
// added, never renamed.
type Act string

// The acts. The first three change nothing.
const (
	ActRead   Act = "read"   // files are read
	ActSearch Act = "search" // contents are searched
	ActList   Act = "list"   // names are listed
	ActRun    Act = "run"    // a command
	ActEdit   Act = "edit"   // texts of files are replaced
	ActWrite  Act = "write"  // files are written as a whole
	ActOther  Act = "other"  // anything else
)

// ReadOnly reports whether the act changes nothing.
func (a Act) ReadOnly() bool { return a == ActRead || a == ActSearch || a == ActList }

// Failure says how a call failed, "" if it did not. Failures are stored: they are added, never
// renamed.
type Failure string

// The failures. Without the last two the call did not do its work.
const (
	FailMissing  Failure = "missing"  // no such file
	FailDir      Failure = "isdir"    // a folder where a file was meant
	FailNoMatch  Failure = "nomatch"  // the text to replace is not there, or is there twice
	FailUnread   Failure = "unread"   // the agent has to read the file first, or it changed since
	FailDenied   Failure = "denied"   // no permission: the person's or the system's
	FailTooLarge Failure = "toolarge" // more than the tool shows
	FailOther    Failure = "other"
	FailStatus   Failure = "status"  // a command ran, and said that it failed
	FailUnknown  Failure = "unknown" // a command ran, and may have failed
)

// Call is one tool call, or what a part of a command did.
type Call struct {
	Act     Act      `json:"act"`
	Paths   []Path   `json:"paths,omitempty"`   // the files that were used
	Tags    []string `json:"tags,omitempty"`    // intent tags, without '#'
	Tool    string   `json:"tool,omitempty"`    // the agent's name of the tool
	Batch   string   `json:"batch,omitempty"`   // calls requested together share it
	Failure Failure  `json:"failure,omitempty"` // how it failed
	Exit    string   `json:"exit,omitempty"`    // the exit status of the one check that it is; "" if that is not known
	Failing []string `json:"failing,omitempty"` // of a check: lines of its output that name failures, sealed like Text
	Named   []Path   `json:"named,omitempty"`   // files that the command or the pattern names
	Seen    []Path   `json:"seen,omitempty"`    // files that the result names, in its order, at most MaxSeen
	Listing bool     `json:"listing,omitempty"` // Seen is a list of matches or files, not content
	Terms   []string `json:"terms,omitempty"`   // words of the pattern or the command, at most MaxTerms
	Idents  []string `json:"idents,omitempty"`  // identifiers that they name, as of Prompt, at most MaxCallIdents
	Looks   bool     `json:"looks,omitempty"`   // the command is one of git that looks at a change, stages or commits it
	Checks  bool     `json:"checks,omitempty"`  // the command runs tests, a build or a linter
	// the pattern, command or task, redacted, at most MaxText bytes; sealed in the log, and ""
	// where events are folded
	Text string `json:"text,omitempty"`
	// read: the first line, from 1; 0 is the first
	Offset int    `json:"offset,omitempty"`
	Limit  int    `json:"limit,omitempty"`  // of Offset: how many lines; search: results; 0 is the tool's own
	Blob   string `json:"blob,omitempty"`   // the id that git gives the content of the one file, in hex; "" if not known
	Before string `json:"before,omitempty"` // edit, write: the same before the call; NoBlob if there was no file

	// The rest is needed to make the call again, and to tell whether its result is the same. If a
	// command did several things, only the event of the first one has these fields.
	Folder Path   `json:"folder,omitempty"` // search, list: "" is the root
	Glob   string `json:"glob,omitempty"`   // search: which files
	Mode   string `json:"mode,omitempty"`   // search: content, files or count
	Fold   bool   `json:"fold,omitempty"`   // search: letter case does not matter
	Secret bool   `json:"secret,omitempty"` // a secret was removed from the input
	Cut    bool   `json:"cut,omitempty"`    // a part of the input is missing
	Digest string `json:"digest,omitempty"` // of the result, as far as it was delivered: 16 hex digits
	Bytes  int    `json:"bytes,omitempty"`  // of the result, as far as it was delivered

	// Texts that are not logged: the command line, where Text has not all of it, and what an edit
	// replaced. Of a write it is the whole content, if that is short, in the place of nothing.
	Command string `json:"-"`
	Edits   []Swap `json:"-"`
}

// NoBlob takes the place of the id of a content when there is no file.
const NoBlob = "gone"

// Swap replaces a text in a file.
type Swap struct {
	Old string `json:"old"`
	New string `json:"new"`
	All bool   `json:"all,omitempty"` // every occurrence, not the only one
}

// The tools of calls that no agent made.
const (
	ToolNotice    = "notification" // the agent's own program reported something
	ToolScheduled = "scheduled"    // a timer began a turn: Text is what it says
)

// Kind implements Body. A call that failed does not count as an open, whatever it tried.
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

// OK reports whether nothing says that the call failed.
func (c Call) OK() bool { return c.Failure == "" || c.Failure == FailUnknown }

// Lines returns the lines that were read, as "40-120" or "40-", or "" for the whole file.
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

// Save says that files changed on disk outside any tool call.
type Save struct {
	Paths []Path `json:"paths"`
	Files int    `json:"files,omitempty"` // of many at once: how many, as Paths has at most MaxPaths
}

// Kind implements Body.
func (Save) Kind() Kind { return KindSave }

// Commit says that a commit became reachable.
type Commit struct {
	Paths  []Path    `json:"paths,omitempty"` // its files
	Gone   []Path    `json:"gone,omitempty"`  // the files that it deleted
	Terms  []string  `json:"terms,omitempty"` // words of the subject, at most MaxTerms
	Text   string    `json:"text,omitempty"`  // the subject, redacted, at most MaxText bytes
	Author time.Time `json:"author,omitzero"` // author time, for show only
}

// Kind implements Body.
func (Commit) Kind() Kind { return KindCommit }

// Uncommit says that a counted commit was rewritten or dropped: it is subtracted.
type Uncommit Commit

// Kind implements Body.
func (Uncommit) Kind() Kind { return KindUncommit }

// Rename says that From[i] became To[i].
type Rename struct {
	From []Path `json:"from"`
	To   []Path `json:"to"`
	// A commit of some branch made this rename. It links the names of a file, but does not move
	// what was learned.
	Past bool `json:"past,omitempty"`
}

// Kind implements Body.
func (Rename) Kind() Kind { return KindRename }

// Delete says that files went away outside a commit.
type Delete struct {
	Paths []Path `json:"paths"`
	Files int    `json:"files,omitempty"` // of many at once: how many, as Paths has at most MaxPaths
}

// Kind implements Body.
func (Delete) Kind() Kind { return KindDelete }

// Checkout says that another branch was checked out.
type Checkout struct {
	Name string `json:"name"` // of the branch, or the commit, without a branch
}

// Kind implements Body.
func (Checkout) Kind() Kind { return KindCheckout }

// Start says that a session began or goes on.
type Start struct {
	Source string `json:"source,omitempty"` // startup, resume, clear, compact, fork, or what else the agent calls it
}

// Kind implements Body.
func (Start) Kind() Kind { return KindStart }

// Stop says that an agent ended its turn.
type Stop struct {
	Terms  []string `json:"terms,omitempty"`  // words of the end of the agent's last message, at most MaxSaid
	Idents []string `json:"idents,omitempty"` // identifiers that it names, as of Prompt
}

// Kind implements Body.
func (Stop) Kind() Kind { return KindStop }

// End says that a session ended.
type End struct {
	Reason string `json:"reason,omitempty"` // in the agent's word
}

// Kind implements Body.
func (End) Kind() Kind { return KindEnd }

// Left reports whether the person left the session for good: it logged out or exited. Other
// sessions are often resumed.
func (e End) Left() bool {
	return e.Reason == "logout" || e.Reason == "exit" || e.Reason == "prompt_input_exit"
}

// Tick is the cron's maintenance: scores are trimmed and dropped only here.
type Tick struct {
	Job string `json:"job,omitempty"` // sweep; "" trims
}

// Kind implements Body.
func (Tick) Kind() Kind { return KindTick }

// Hint says that files were suggested, or would have been.
type Hint struct {
	Name   string    `json:"name"`   // the kind of hint: prompt, search, partner, …
	Status string    `json:"status"` // shown, withheld, shadow, silent
	Label  string    `json:"label,omitempty"`
	Task   Task      `json:"task,omitempty"` // what it was made for
	Paths  []Path    `json:"paths,omitempty"`
	Scores []float64 `json:"scores,omitempty"` // the probability of Paths[i]
	Change []Path    `json:"change,omitempty"` // the change that lacks Paths
	Named  []Path    `json:"named,omitempty"`  // files that its text names besides Paths
	Text   string    `json:"text,omitempty"`   // what was searched for, redacted
	Tokens int       `json:"tokens,omitempty"` // about how many tokens the text has that was shown
}

// Kind implements Body.
func (Hint) Kind() Kind { return KindHint }

// Feedback is a person's opinion on hints.
type Feedback struct {
	Name   string `json:"name,omitempty"` // the kind of hint; "" for all
	Paths  []Path `json:"paths,omitempty"`
	Helped bool   `json:"helped"`
}

// Kind implements Body.
func (Feedback) Kind() Kind { return KindFeedback }

// Setting says that a setting that folding needs has a new value.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Kind implements Body.
func (Setting) Kind() Kind { return KindSetting }

// State says that a person or a pipeline set the state of a session, or that a pipeline spent
// tokens in it.
type State struct {
	Name   string `json:"name,omitempty"` // as package session has them; "" stays as it is
	Tokens int    `json:"tokens,omitempty"`
}

// Kind implements Body.
func (State) Kind() Kind { return KindState }
