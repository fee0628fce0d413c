package contexts

import (
	"strings"
	"time"

	"github.com/aoa-dev/aoa/hooks/shell"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// Action is one thing that an agent did, with words that can be counted.
type Action struct {
	Seq    int64 // its place in the log, among prompts and actions of all sessions
	at     time.Time
	Verb   string       // read, edited, wrote, deleted, renamed, searched, ran, delegated, refused
	Object string       // a file, a command; plain text
	Paths  []event.Path // the files acted upon
	Failed bool
	Side   bool // done by a subagent: the agent itself did not see it

	from    []event.Path    // of a rename: the names before
	line    string          // of a command: all of it, plain
	run     []shell.Program // of a command: those of its programs that are known to have run
	checks  bool            // of a command: it has tests, a build or a linter
	exit    string          // Call.Exit
	failing []string        // Call.Failing
}

// verbs of the kinds that have files.
var verbs = map[event.Kind]string{event.KindRead: "read", event.KindEdit: "edited", event.KindWrite: "wrote",
	event.KindDelete: "deleted", event.KindRename: "renamed"}

// action reads an event; false if it is nothing that an agent did.
func action(e cold.Numbered) (Action, bool) {
	a := Action{Seq: e.Seq, at: e.Time, Side: e.Subagent != "", Paths: e.Paths()}
	switch e.Kind() {
	case event.KindRead, event.KindEdit, event.KindWrite, event.KindDelete, event.KindRename:
		a.Verb = verbs[e.Kind()]
		a.Object, a.from = short(e.Paths(), 3), e.From()
		// What a subagent read, the agent itself has not seen.
		return a, len(e.Paths()) > 0 && !(a.Side && e.Kind() == event.KindRead)
	case event.KindSearch:
		a.Verb, a.Object = "searched", searched(e.Text())
		return a, !a.Side
	case event.KindFailed:
		// Of failed calls, only what a person refused matters later; missing files and edits that
		// did not match do not.
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

// maxLine is the length, in bytes, of a command that is repeated; of a longer one the beginning is.
const maxLine = 100

// maxPattern is the length, in bytes, of a pattern that is shown.
const maxPattern = 60

// searched is a pattern that is short enough to be shown, or "".
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
	if c.Tool == "PowerShell" { // nothing here parses that language
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
	return a, acts // else it changed nothing
}

// border is the command that ends a phase: one that commits, reverts changes or brings others in. A
// failed one ends no phase.
func (a Action) border() (shell.Program, bool) {
	for _, c := range a.run {
		if !a.Failed && borders(c.Class) {
			return c, true
		}
	}
	return shell.Program{}, false
}

func borders(c shell.Class) bool { return c == shell.Commit || c == shell.Undo || c == shell.Branch }

// short lists at most that many files by their whole paths. Files whose names a text should not
// contain are only counted.
func short(files []event.Path, most int) string {
	var out []string
	for _, f := range files {
		if f.Mentionable() && len(out) < most {
			out = append(out, name(f))
		}
	}
	switch n := len(files) - len(out); {
	case len(out) == 0:
		return plural(n, "file")
	case n > 0:
		out = append(out, "and others")
	}
	return strings.Join(out, ", ")
}

// name is a whole path as plain text.
func name(f event.Path) string { return f.Quoted() }
