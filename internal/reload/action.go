package reload

import (
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Action is one call of a sequence, with what it takes to make it again. Inputs are redacted.
type Action struct {
	ID   string    `json:"id,omitempty"` // of the call: the same for all deliveries
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

	Seen []string `json:"seen,omitempty"` // hashes of Paths when the call was over
	Body *string  `json:"body,omitempty"` // write: what the file then contained, if that is short
}

// maxTool bounds the name of a tool, in bytes.
const maxTool = 64

// actions puts the parts of each call together. What a subagent does is left out: the agent itself has not seen what
// its subagents read.
func actions(events []event.Event) (out []Action) {
	for _, e := range events {
		c, ok := e.Body.(event.Call)
		if !ok || e.Subagent != "" {
			continue
		}
		id := callOf(e.ID)
		if n := len(out); n > 0 && out[n-1].ID == id {
			out[n-1].join(c)
			continue
		}
		a := Action{ID: id, Time: e.Time, Tool: event.Clip(c.Tool, maxTool), Act: c.Act, Paths: c.Paths, Offset: c.Offset,
			Limit: c.Limit, Folder: c.Folder, Glob: c.Glob, Mode: c.Mode, Fold: c.Fold, Command: c.Command, Checks: c.Checks, Edits: c.Edits,
			OK: c.OK(), Secret: c.Secret, Cut: c.Cut, Digest: c.Digest, Bytes: c.Bytes, Found: len(c.Seen)}
		switch c.Act {
		case event.ActSearch:
			a.Pattern = c.Text
		case event.ActList:
			a.Glob = c.Text
		}
		if c.Command != "" {
			a.run()
		} else if c.Blob != "" {
			a.Seen = []string{c.Blob}
		}
		out = append(out, a)
	}
	return out
}

// run makes the action a command, whatever it does.
func (a *Action) run() { a.Act, a.Paths, a.Pattern, a.Glob = event.ActRun, nil, "", "" }

// join adds what another part of the call did.
func (a *Action) join(c event.Call) {
	a.OK, a.Checks = a.OK && c.OK(), a.Checks || c.Checks
	a.Found = max(a.Found, len(c.Seen))
	if a.Act == event.ActRun && a.Command != "" {
		return
	}
	a.Act, a.Cut, a.Seen = event.ActOther, true, nil
	for _, p := range c.Paths {
		if c.Kind().Open() && !slices.Contains(a.Paths, p) && len(a.Paths) < event.MaxSeen {
			a.Paths = append(slices.Clone(a.Paths), p)
		}
	}
}

// callOf is what the events of one call share of their IDs: "id:post:sub" and "id:post:sub:1" are one call's.
func callOf(id string) string {
	head, tail, ok := strings.Cut(id, ":post:")
	if !ok {
		return id
	}
	by, _, _ := strings.Cut(tail, ":")
	return head + ":post:" + by
}
