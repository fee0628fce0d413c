package contexts

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/hooks/shell"
	"github.com/aoa-dev/aoa/internal/event"
)

// work is the state of a session's work: a fold of its actions in their order.
type work struct {
	files   map[event.Path]edited // that it edited, deleted or renamed, by their present names
	check   *Action               // the last command that ran tests, a build or a linter; nil if none is known to have run
	refused []string              // what the person did not allow since the last prompt
}

// edited is the last edit of a file in a session.
type edited struct {
	seq   int64 // number of the action
	other bool  // it was deleted, or renamed and not edited
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
		w.check = nil // a check that may have run is not known to be the last one
		if len(a.failing) > 0 || slices.ContainsFunc(a.run, shell.Program.Checks) {
			w.check = &a
		}
	}
}

// sorted are the files that the session edited, the newest edit first.
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

// open are the files that the session edited and that differ from HEAD now, as git says.
func (w *work) open(st Worktree) []event.Path {
	return w.sorted(func(f event.Path) bool { return slices.Contains(st.Changed, f) })
}

// changed are the open files, those last that clients read again by themselves after a compaction.
func (w *work) changed(st Worktree) []event.Path {
	open := w.open(st)
	return slices.Concat(open[min(len(open), attached):], open[:min(len(open), attached)])
}

// others are the other files that the session edited. Whether that was committed or reverted is not
// known.
func (w *work) others(st Worktree) []event.Path {
	return w.sorted(func(f event.Path) bool { return !w.files[f].other && !slices.Contains(st.Changed, f) })
}

// maxAfter is how many files are named that changed after a check.
const maxAfter = 5

// lastCheck quotes the last check: the command, its exit status if that is known to be the status
// of the check alone, the lines of its output that name failures, and what changed on disk after
// it. It returns "" if no check is known.
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
	// of its own files the disk knows, but for those that are not there any more
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

// asTyped is a command as it was typed, cut if it is long.
func asTyped(line string) string {
	if cut := event.Clip(line, maxLine); cut != line {
		line = cut + " …"
	}
	if simple.MatchString(line) {
		return line
	}
	return quote(line)
}

// maxRanges is how many ranges of lines a file is named with; of more, the first line and the last.
const maxRanges = 3

// place is a file with the lines that differ from HEAD, by their first and last: "a.go:40-58,120".
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

// listed names at most that many files, and counts the others.
func listed(files []event.Path, most int, list func([]event.Path) []string) string {
	named := mentionable(files, most)
	out := list(named)
	switch n := len(files) - len(named); {
	case len(out) == 0 && n > 0:
		return plural(n, "file")
	case n > 0:
		out = append(out, fmt.Sprintf("%d more", n))
	}
	return strings.Join(out, ", ")
}
