package contexts

import (
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/aoa-dev/aoa/hooks/shell"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// Action is one thing that an agent did, in a form that can be counted.
type Action struct {
	Seq    int64 // its number in the log, where prompts and actions of all sessions share one sequence
	at     time.Time
	Verb   string       // read, edited, wrote, deleted, renamed, searched, ran, delegated, refused
	Object string       // a file or a command, as plain text
	Paths  []event.Path // the files acted upon
	Failed bool
	Side   bool // done by a subagent, so the agent itself did not see it

	from    []event.Path    // for a rename: the old names
	line    string          // for a command: the whole line, as plain text
	run     []shell.Program // for a command: those of its programs that are known to have run
	checks  bool            // for a command: it has tests, a build or a linter
	exit    string          // Call.Exit
	failing []string        // Call.Failing
}

// verbs has the verb for each kind of event that has files.
var verbs = map[event.Kind]string{event.KindRead: "read", event.KindEdit: "edited", event.KindWrite: "wrote",
	event.KindDelete: "deleted", event.KindRename: "renamed"}

// action returns the action of an event. It returns false if the event is nothing that an agent
// did.
func action(e cold.Numbered) (Action, bool) {
	a := Action{Seq: e.Seq, at: e.Time, Side: e.Subagent != "", Paths: e.Paths()}
	switch e.Kind() {
	case event.KindRead, event.KindEdit, event.KindWrite, event.KindDelete, event.KindRename:
		a.Verb = verbs[e.Kind()]
		a.Object, a.from = short(e.Paths(), 3), e.From()
		// The agent itself has not seen what a subagent read.
		return a, len(e.Paths()) > 0 && !(a.Side && e.Kind() == event.KindRead)
	case event.KindSearch:
		a.Verb, a.Object = "searched", searched(e.Text())
		return a, !a.Side
	case event.KindFailed:
		// Of failed calls, only those that a person refused matter later; missing files and edits
		// that did not match do not.
		if e.Call().Failure != event.FailDenied || len(e.Paths()) == 0 {
			return a, false
		}
		a.Verb, a.Failed, a.Object = "refused", true, short(e.Paths(), 3)
		return a, true
	case event.KindRun:
		return ran(a, e)
	}
	return a, false
}

// maxLine is the longest command, in bytes, that is shown completely; a longer one is cut.
const maxLine = 100

// maxPattern is the longest pattern, in bytes, that is shown.
const maxPattern = 60

// searched returns a pattern that is short enough to be shown, else "".
func searched(pattern string) string {
	if s := plain(pattern); s != "" && len(s) <= maxPattern {
		return quote(s)
	}
	return ""
}

func ran(a Action, e cold.Numbered) (Action, bool) {
	c := e.Call()
	switch c.Tool {
	case event.ToolNotice, event.ToolScheduled:
		return a, false
	case "Agent", "Task":
		first, _, _ := strings.Cut(e.Text(), "\n")
		a.Verb, a.Object, a.Failed = "delegated", quote(extract(first, 15)), !c.OK()
		return a, first != ""
	}
	a.Verb, a.Failed, a.exit, a.failing = "ran", !c.OK(), c.Exit, c.Failing
	a.line = plain(e.Text())
	if c.Tool == "PowerShell" { // nothing here parses PowerShell
		a.Object = quote(event.Clip(a.line, maxPattern))
		return a, a.line != ""
	}
	acts := false
	var full []string
	for _, p := range shell.Programs(e.Text()) {
		if p.Class == shell.Trivial {
			continue
		}
		acts, a.checks = true, a.checks || p.Checks()
		if p.Always || p.Done && c.Failure == "" {
			p.Name, p.Full = plain(p.Name), plain(p.Full)
			a.run, full = append(a.run, p), append(full, quote(p.Full))
		}
	}
	if a.Object = strings.Join(full[:min(len(full), 2)], ", "); a.Object == "" {
		a.Object = quote(event.Clip(a.line, maxPattern))
	}
	return a, acts // if it does not act, it changed nothing
}

// short lists at most that many files by their whole paths. Files that a text should not name are
// only counted.
func short(files []event.Path, most int) string {
	var out []string
	for _, f := range files {
		if f.Mentionable() && len(out) < most {
			out = append(out, name(f))
		}
	}
	switch n := len(files) - len(out); {
	case len(out) == 0:
		return english.Plural(n, "file", "")
	case n > 0:
		out = append(out, "and others")
	}
	return strings.Join(out, ", ")
}

// name returns a whole path as plain text.
func name(f event.Path) string { return f.Quoted() }
