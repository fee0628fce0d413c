package reload

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Action is one call of a sequence, with what it takes to make it again. Inputs are redacted.
type Action struct {
	ID   string    `json:"id,omitempty"` // of its first event
	Time time.Time `json:"at,omitzero"`
	Tool string    `json:"tool"` // the agent's name of it
	Act  event.Act `json:"act"`

	Paths   []event.Path `json:"paths,omitempty"`
	Offset  int          `json:"offset,omitempty"` // read: first line, from 1; 0 is the first
	Limit   int          `json:"limit,omitempty"`  // read: lines; search: results; 0 is the tool's own
	Pattern string       `json:"pattern,omitempty"`
	Folder  event.Path   `json:"folder,omitempty"` // "" is the root
	Glob    string       `json:"glob,omitempty"`
	Mode    string       `json:"mode,omitempty"` // search: content, files or count
	Fold    bool         `json:"fold,omitempty"` // search: letter case does not matter
	Command string       `json:"command,omitempty"`
	Checks  bool         `json:"checks,omitempty"` // the command runs tests, a build or a linter
	Edits   []event.Swap `json:"edits,omitempty"`

	OK     bool   `json:"ok,omitempty"`
	Secret bool   `json:"secret,omitempty"` // a secret was removed from the input
	Cut    bool   `json:"cut,omitempty"`    // a part of the input is missing
	Digest string `json:"digest,omitempty"` // of the result, as far as it was delivered: 16 hex digits
	Bytes  int    `json:"bytes,omitempty"`  // of the result, as far as it was delivered
	Found  int    `json:"found,omitempty"`  // files that the result named, at most event.MaxSeen

	Seen   []string `json:"seen,omitempty"`   // hashes of Paths when the call was over
	Before string   `json:"before,omitempty"` // hash of the only one before it
	Body   *string  `json:"body,omitempty"`   // write: what the file then contained, if that is short
	Parts  int      `json:"parts,omitempty"`  // events that the call has beyond the first
}

// maxTool bounds the name of a tool, in bytes.
const maxTool = 64

// newAction is what an event says of a call, without its texts; ok is false for an event of no call. What only renames
// or deletes is a call that cannot be made again.
func newAction(e event.Event) (a Action, ok bool) {
	a = Action{ID: e.ID, Time: e.Time, Act: event.ActOther, OK: true, Cut: true}
	c, ok := e.Body.(event.Call)
	if !ok {
		return a, (e.Kind() == event.KindRename || e.Kind() == event.KindDelete) && callOf(e.ID) != e.ID
	}
	a = Action{ID: e.ID, Time: e.Time, Tool: event.Clip(c.Tool, maxTool), Act: c.Act, Paths: c.Paths, Offset: c.Offset,
		Limit: c.Limit, Folder: c.Folder, Glob: c.Glob, Mode: c.Mode, Fold: c.Fold, Checks: c.Checks, OK: c.OK(),
		Secret: c.Secret, Cut: c.Cut, Digest: c.Digest, Bytes: c.Bytes, Found: len(c.Seen), Before: c.Before}
	if a.Seen = make([]string, len(c.Paths)); len(c.Paths) == 1 {
		a.Seen[0] = c.Blob
	}
	return a, true
}

// join adds what another part of the call did.
func (a *Action) join(b Action) {
	a.OK, a.Checks, a.Found, a.Parts = a.OK && b.OK, a.Checks || b.Checks, max(a.Found, b.Found), a.Parts+1
	for i, p := range b.Paths {
		if event.Kind(b.Act).Open() && !slices.Contains(a.Paths, p) && len(a.Paths) < event.MaxSeen {
			a.Paths, a.Seen = append(slices.Clip(a.Paths), p), append(slices.Clip(a.Seen), b.Seen[i])
		}
	}
}

// input is what a call takes to be made again, beside the text of its event.
type input struct {
	Paths   []event.Path `json:"paths,omitempty"` // who forgets a file forgets the input by its name
	Command string       `json:"command,omitempty"`
	Edits   []event.Swap `json:"edits,omitempty"`
}

// fill adds the texts of the call.
func (a *Action) fill(text string, in input) {
	switch {
	case in.Command != "" || a.Act == event.ActRun && text != "":
		a.Act, a.Command = event.ActRun, cmp.Or(in.Command, text)
		a.Paths, a.Seen, a.Glob = nil, nil, ""
	case a.Parts > 0:
		a.Act, a.Cut = event.ActOther, true
	case a.Act == event.ActSearch:
		a.Pattern = text
	case a.Act == event.ActList:
		a.Glob = text
	case a.Act == event.ActEdit:
		a.Edits = in.Edits
	case a.Act == event.ActWrite && len(in.Edits) == 1:
		a.Body = &in.Edits[0].New
	}
}

// callOf is what the events of one call share of their IDs: "id:post:sub" and "id:post:sub:1" are one call's. It is the
// ID itself for an event of no call.
func callOf(id string) string {
	head, tail, ok := strings.Cut(id, ":post:")
	if !ok {
		return id
	}
	by, _, _ := strings.Cut(tail, ":")
	return head + "\x00" + by
}
