package contexts

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/aoa-dev/aoa/hooks/shell"
	"github.com/aoa-dev/aoa/internal/event"
)

// work is the state of a session's work, computed from its actions one after the other.
type work struct {
	files map[event.Path]edited // files that it edited, deleted or renamed, by their present names
	// The last command that ran tests, a build or a linter; nil if none is known to be the last.
	check   *Action
	refused []string // what the person has refused since the last prompt
}

// edited is the last edit of a file in a session.
type edited struct {
	seq   int64 // number of the action
	other bool  // it was deleted, or renamed without being edited
}

// add adds an action.
func (w *work) add(a Action) {
	switch a.Verb {
	case "edited", "wrote", "deleted", "renamed":
		if w.files == nil {
			w.files = map[event.Path]edited{}
		}
		for i, f := range a.Paths {
			other := a.Verb == "deleted"
			if i < len(a.from) {
				was, known := w.files[a.from[i]]
				other = !known || was.other
				delete(w.files, a.from[i])
			}
			w.files[f] = edited{a.Seq, other}
		}
	case "refused":
		if !slices.Contains(w.refused, a.Object) {
			w.refused = append(w.refused, a.Object)
		}
	case "ran":
		if !a.checks {
			return
		}
		w.check = nil // another check may have run, so the last one is not known
		if len(a.failing) > 0 || slices.ContainsFunc(a.run, shell.Program.Checks) {
			w.check = &a
		}
	}
}

// sorted returns the files that the session edited and for which which is true, the newest edit
// first.
func (w *work) sorted(which func(event.Path) bool) (out []event.Path) {
	for f := range w.files {
		if which(f) {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b event.Path) int {
		return cmp.Or(cmp.Compare(w.files[b].seq, w.files[a].seq), cmp.Compare(a, b))
	})
	return out
}

// changed returns the files that the session edited and that, according to git, differ from HEAD
// now. Those that clients read again by themselves after a compaction come last.
func (w *work) changed(st Worktree) []event.Path {
	open := w.sorted(func(f event.Path) bool { return slices.Contains(st.Changed, f) })
	return slices.Concat(open[min(len(open), attached):], open[:min(len(open), attached)])
}

// others returns the other files that the session edited. It is not known whether these edits were
// committed or reverted.
func (w *work) others(st Worktree) []event.Path {
	return w.sorted(func(f event.Path) bool { return !w.files[f].other && !slices.Contains(st.Changed, f) })
}

// maxAfter is the number of files changed after a check that are named.
const maxAfter = 5

// lastCheck quotes the last check: the command, its exit status if that is known to belong to the
// check alone, the lines of its output that name failures, and what has changed on disk since. It
// returns "" if no check is known.
func (w *work) lastCheck(st Worktree) string {
	if w.check == nil {
		return ""
	}
	out := "last check: " + asTyped(w.check.line)
	if w.check.exit != "" {
		out += "; exit status " + w.check.exit
	}
	var lines []string
	for _, l := range w.check.failing {
		lines = append(lines, quote(plain(l)))
	}
	if len(lines) > 0 {
		out += "; in its output: " + strings.Join(lines, ", ")
	}
	// The disk tells which files have changed since. The log does so only for files that the
	// session deleted or renamed, and if the state of the disk is not known.
	after := w.sorted(func(f event.Path) bool { return w.files[f].seq > w.check.Seq && (w.files[f].other || !st.Known) })
	for _, f := range st.After {
		if !slices.Contains(after, f) {
			after = append(after, f)
		}
	}
	if s := listed(after, maxAfter, func(files []event.Path) []string { return each(files, name) }); s != "" {
		out += "; after it " + s + " changed"
	}
	return out
}

// simple matches a command that needs no quotation marks in our text.
var simple = regexp.MustCompile(`^[\w./=:,@+%-]+(?: [\w./=:,@+%-]+)*$`)

// asTyped returns a command as it was typed, cut if it is long.
func asTyped(line string) string {
	if cut := event.Clip(line, maxLine); cut != line {
		line = cut + " …"
	}
	if simple.MatchString(line) {
		return line
	}
	return quote(line)
}

// maxRanges is the number of ranges of lines with which a file is named. If there are more, only
// the first and the last line are.
const maxRanges = 3

// place returns a file with the lines that differ from HEAD, by their first and last number:
// "a.go:40-58,120".
func place(f event.Path, lines [][2]int) string {
	if len(lines) > maxRanges {
		lines = [][2]int{{lines[0][0], lines[len(lines)-1][1]}}
	}
	var out []string
	for _, l := range lines {
		if s := strconv.Itoa(l[0]); l[1] > l[0] {
			out = append(out, s+"-"+strconv.Itoa(l[1]))
		} else {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return name(f)
	}
	return name(f) + ":" + strings.Join(out, ",")
}

// listed names at most that many files and counts the others.
func listed(files []event.Path, most int, list func([]event.Path) []string) string {
	named := mentionable(files, most)
	out := list(named)
	switch n := len(files) - len(named); {
	case len(out) == 0 && n > 0:
		return english.Plural(n, "file", "")
	case n > 0:
		out = append(out, fmt.Sprintf("%d more", n))
	}
	return strings.Join(out, ", ")
}
