package reload

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Action is one call of a sequence, with everything that is needed to repeat it. Inputs are
// redacted.
type Action struct {
	ID   string    `json:"id,omitempty"` // ID of the call's first event
	Tool string    `json:"tool"`         // the agent's name of the tool
	Act  event.Act `json:"act"`

	Paths  []event.Path `json:"paths,omitempty"`
	Offset int          `json:"offset,omitempty"` // read: the first line, from 1 on; 0 is the first, too
	// read: number of lines; search: number of results; 0 is the tool's default
	Limit   int        `json:"limit,omitempty"`
	Pattern string     `json:"pattern,omitempty"`
	Folder  event.Path `json:"folder,omitempty"` // "" means the root
	Glob    string     `json:"glob,omitempty"`
	Mode    string     `json:"mode,omitempty"` // search: content, files or count
	Fold    bool       `json:"fold,omitempty"` // search: upper and lower case are the same
	Command string     `json:"command,omitempty"`
	Checks  bool       `json:"checks,omitempty"` // the command runs tests, a build or a linter
	// Set only while the turn is recorded. For a write it has one Swap, whose New is the content of
	// the file afterwards.
	Edits []event.Swap `json:"-"`
	Swaps int          `json:"replacements,omitempty"` // number of Edits

	OK     bool     `json:"ok,omitempty"`
	Secret bool     `json:"secret,omitempty"` // a secret was removed from the input
	Cut    bool     `json:"cut,omitempty"`    // a part of the input is missing
	Found  int      `json:"found,omitempty"`  // number of files that the result named, at most 60
	Seen   []string `json:"seen,omitempty"`   // hashes of Paths after the call
	Before string   `json:"before,omitempty"` // hash of the only file before the call
	Parts  int      `json:"parts,omitempty"`  // number of events of the call after the first
}

// maxTool is the longest name of a tool, in bytes.
const maxTool = 64

// newAction returns the action of an event. ok is false if the event is not part of a call. A call
// that only renames or deletes files cannot be repeated.
func newAction(e event.Event) (a Action, ok bool) {
	a = Action{ID: e.ID, Act: event.ActOther, OK: true, Cut: true}
	c, ok := e.Body.(event.Call)
	if !ok {
		return a, (e.Kind() == event.KindRename || e.Kind() == event.KindDelete) && callOf(e.ID) != e.ID
	}
	a = Action{ID: e.ID, Tool: event.Clip(c.Tool, maxTool), Act: c.Act, Paths: c.Paths, Offset: c.Offset, Limit: c.Limit,
		Folder: c.Folder, Glob: c.Glob, Mode: c.Mode, Fold: c.Fold, Checks: c.Checks, OK: c.OK(), Secret: c.Secret,
		Cut: c.Cut, Found: len(c.Seen), Before: c.Before}
	switch c.Act {
	case event.ActRun:
		a.Command = c.Text
	case event.ActSearch:
		a.Pattern = c.Text
	case event.ActList:
		a.Glob = c.Text
	}
	if a.Seen = make([]string, len(c.Paths)); len(c.Paths) == 1 {
		a.Seen[0] = c.Blob
	}
	return a, true
}

// join adds what another event of the same call did.
func (a *Action) join(b Action) {
	a.OK, a.Checks, a.Found, a.Parts = a.OK && b.OK, a.Checks || b.Checks, max(a.Found, b.Found), a.Parts+1
	for i, p := range b.Paths {
		if event.Kind(b.Act).Open() && !slices.Contains(a.Paths, p) && len(a.Paths) < event.MaxSeen {
			a.Paths, a.Seen = append(slices.Clip(a.Paths), p), append(slices.Clip(a.Seen), b.Seen[i])
		}
	}
}

// fill adds the texts that the log does not have, and joins the parts of a call.
func (a *Action) fill(in input) {
	switch {
	case in.Command != "" || a.Command != "":
		a.Act, a.Command = event.ActRun, cmp.Or(in.Command, a.Command)
		a.Paths, a.Seen, a.Glob, a.Pattern = nil, nil, "", ""
	case a.Parts > 0:
		a.Act, a.Cut = event.ActOther, true
	case a.changes():
		a.Edits, a.Swaps = in.Edits, len(in.Edits)
	}
}

// ReplayTool is the name of the replay tool, for agents and the daemon.
const ReplayTool = "reload_cached"

// replays reports whether the action itself repeats a recorded sequence, by the tool or in a shell.
func (a Action) replays() bool {
	return strings.HasSuffix(a.Tool, ReplayTool) || replayCommand.MatchString(a.Command)
}

// replayCommand matches aoa reload run, also with the path of the program.
var replayCommand = regexp.MustCompile(`(^|[/\s;&|(])aoa(\.exe)?["']?\s+reload\s+(run|undo)\b`)

// changes reports whether the action changes a file by itself, not by a command.
func (a Action) changes() bool { return a.Act == event.ActEdit || a.Act == event.ActWrite }

// note returns the reason why an action cannot be repeated, or "".
func (e *Entry) note(a Action) string {
	patched := func(f File) bool { return f.Path == a.Paths[0] && f.Patch != "" }
	switch {
	case a.Secret:
		return "a secret was taken out of its input"
	case a.OK && a.changes() && (len(a.Paths) != 1 || !slices.ContainsFunc(e.Files, patched)):
		return "its change was not recorded completely"
	case a.Cut && !a.changes():
		return "its input was not recorded completely"
	case !a.OK:
		return "it failed when it was recorded"
	}
	return ""
}

// what returns an action's input on one line.
func (a Action) what() string {
	var names []string
	for _, p := range a.Paths {
		names = append(names, p.Display())
	}
	files := strings.Join(names, ", ")
	switch a.Act {
	case event.ActRead:
		if a.Offset > 0 || a.Limit > 0 {
			return fmt.Sprintf("%s from line %d, %d lines", files, max(a.Offset, 1), a.Limit)
		}
	case event.ActSearch:
		text := fmt.Sprintf("%q", a.Pattern)
		if a.Folder != "" {
			text += " in " + a.Folder.Display()
		}
		if a.Glob != "" {
			text += " (" + event.Path(a.Glob).Display() + ")"
		}
		return text
	case event.ActList:
		return event.Path(cmp.Or(path.Join(string(a.Folder), a.Glob), ".")).Display()
	case event.ActRun:
		return event.Path(a.Command).Display()
	case event.ActEdit:
		if a.Swaps == 1 {
			return files + " (1 replacement)"
		}
		return fmt.Sprintf("%s (%d replacements)", files, a.Swaps)
	}
	return files
}

// callOf returns the part of an event's ID that all events of its call have in common, or the whole
// ID if the event is not part of a call.
func callOf(id string) string {
	call, by, ok := event.CallOf(id)
	if !ok {
		return id
	}
	return call + "\x00" + by
}
