package event

import "time"

// Step is one tool call with what is needed to repeat it. Inputs are redacted. A step whose input had a secret says
// so, because the input is not complete any more.
type Step struct {
	ID       string    `json:"id,omitempty"` // of the call: the same for all deliveries
	Time     time.Time `json:"at,omitzero"`
	Subagent string    `json:"subagent,omitempty"`
	Tool     string    `json:"tool"` // the agent's name of it
	Act      Act       `json:"act"`

	Paths   []Path `json:"paths,omitempty"`
	Offset  int    `json:"offset,omitempty"` // read: first line, from 1; 0 is the first
	Limit   int    `json:"limit,omitempty"`  // read: lines; search: results; 0 is the tool's own
	Pattern string `json:"pattern,omitempty"`
	Folder  Path   `json:"folder,omitempty"` // "" is the root
	Glob    string `json:"glob,omitempty"`
	Mode    string `json:"mode,omitempty"` // search: content, files or count
	Fold    bool   `json:"fold,omitempty"` // search: letter case does not matter
	Command string `json:"command,omitempty"`
	Edits   []Swap `json:"edits,omitempty"`

	OK     bool   `json:"ok,omitempty"`
	Secret bool   `json:"secret,omitempty"` // a secret was removed from the input
	Cut    bool   `json:"cut,omitempty"`    // a part of the input is missing
	Digest string `json:"digest,omitempty"` // of the result, as far as it was delivered: 16 hex digits
	Bytes  int    `json:"bytes,omitempty"`  // of the result, as far as it was delivered
	Found  int    `json:"found,omitempty"`  // files that the result named, at most MaxSeen
}

// Swap replaces a text in a file.
type Swap struct {
	Old string `json:"old"`
	New string `json:"new"`
	All bool   `json:"all,omitempty"` // every occurrence, not the only one
}

// Asked is what began a turn.
type Asked struct {
	Type   string // prompt, command (a slash command), scheduled, resume
	Target string // of a command its name, of a resume its source; "" for a prompt
	Text   string // redacted, at most MaxText bytes
	ID     string // of the prompt's event
	Time   time.Time
}
