package session

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/hooks/shell"
	"github.com/aoa-dev/aoa/internal/event"
)

// work is the state of a session's work: a fold of its actions in their order.
type work struct {
	commit  int64                  // number of the last commit that the session made
	files   map[event.Path]*change // that it changed
	ran     []string               // the last commands with checks, as they were run, the newest first
	checks  []*outcome             // tests, builds and linters, the latest last
	refused []string               // what the person did not allow since the last prompt
}

// change is what was done to a file.
type change struct {
	seq   int64    // number of the last change
	gone  bool     // deleted, or renamed to another
	lines [][2]int // that were changed, by first line, as they were numbered then
}

// add takes in a range of lines. Ranges that touch are one.
func (c *change) add(lines [2]int) {
	c.lines = slices.DeleteFunc(c.lines, func(l [2]int) bool {
		touches := l[0] <= lines[1]+1 && lines[0] <= l[1]+1
		if touches {
			lines = [2]int{min(l[0], lines[0]), max(l[1], lines[1])}
		}
		return touches
	})
	c.lines = append(c.lines, lines)
	slices.SortFunc(c.lines, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
}

// maxRanges is how many ranges of lines a file is named with; of more, the first line and the last.
const maxRanges = 3

// place is the file with the lines that were changed: "a.go:40-58,120".
func (c *change) place(f event.Path) string {
	lines := c.lines
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

// outcome is the result of a check.
type outcome struct {
	Name   string   // "go test"
	Full   string   // the program and its arguments
	Line   string   // the whole command as it was run last, "" if it is too long
	Parts  []string // the names, when several ran in one command that failed
	Tests  []string // those that its output says failed
	Seq    int64
	Failed bool
	Runs   int
	Fails  int
}

// fold adds an action.
func (w *work) fold(a Action) {
	switch a.Verb {
	case "edited", "wrote", "deleted", "renamed":
		if w.files == nil {
			w.files = map[event.Path]*change{}
		}
		for _, f := range a.Paths {
			c := w.files[f]
			if c == nil || a.Seq > w.commit && c.seq <= w.commit {
				c = &change{}
				w.files[f] = c
			}
			if c.seq, c.gone = a.Seq, a.Verb == "deleted"; a.Lines[0] > 0 {
				c.add(a.Lines)
			}
		}
	case "refused":
		if !slices.Contains(w.refused, a.Object) {
			w.refused = append(w.refused, a.Object)
		}
	case "ran":
		w.run(a)
	}
}

// maxRan is how many commands with checks are kept.
const maxRan = 4

func (w *work) run(a Action) {
	if a.line != "" && len(a.checks()) > 0 {
		w.ran = slices.DeleteFunc(w.ran, func(line string) bool { return line == a.line })
		w.ran = slices.Insert(w.ran[:min(len(w.ran), maxRan-1)], 0, a.line)
	}
	if c, ends := a.border(); ends && c.Class == shell.Commit {
		w.commit = a.Seq
	}
	var passed, failed []shell.Program
	for _, c := range a.checks() {
		switch a.verdict(c) {
		case event.CheckPassed:
			passed = append(passed, c)
		case event.CheckFailed:
			failed = append(failed, c)
		default:
			w.unknown(c)
		}
	}
	for _, c := range passed {
		w.result(&outcome{Name: c.Name, Full: c.Full, Line: a.line, Seq: a.Seq})
	}
	switch len(failed) {
	case 0:
	case 1:
		w.result(&outcome{Name: failed[0].Name, Full: failed[0].Full, Line: a.line, Seq: a.Seq, Failed: true, Tests: a.Failing})
	default: // the log does not have which of them failed
		o := &outcome{Full: a.Object, Line: a.line, Seq: a.Seq, Failed: true, Tests: a.Failing}
		for _, c := range failed {
			o.Parts = append(o.Parts, c.Name)
		}
		o.Name = strings.Join(o.Parts, " && ")
		w.result(o)
	}
}

// verdict is the result of a check of the action, "" if it was not seen: its output says so where it is the only check
// and its output was shown, else the status of the line, where that is its own.
func (a Action) verdict(c shell.Program) event.Check {
	said := a.Check
	if !c.Shown || len(a.checks()) > 1 {
		said = ""
	}
	switch {
	case said == event.CheckNone:
		return ""
	case said == event.CheckFailed:
		return said
	case a.Failed && c.Fails && (said == "" || c.Passes):
		return event.CheckFailed
	case !a.Failed && c.Passes:
		return event.CheckPassed
	case !a.Failed:
		return said
	}
	return ""
}

// result adds the outcome of a check. A success removes the failures that it covers: of the same command, of one of
// the same name with more arguments, and its part in a failure of several.
func (w *work) result(o *outcome) {
	kept := w.checks[:0:0]
	for _, old := range w.checks {
		same := old.Full == o.Full || old.Name == o.Name && covers(o.Full, old.Full)
		switch {
		case same && old.Name == o.Name:
			o.Runs, o.Fails = o.Runs+old.Runs, o.Fails+old.Fails
			continue
		case !o.Failed && slices.Contains(old.Parts, o.Name):
			old.Parts = slices.DeleteFunc(old.Parts, func(p string) bool { return p == o.Name })
			if len(old.Parts) == 0 {
				continue
			}
		}
		kept = append(kept, old)
	}
	if o.Runs++; o.Failed {
		o.Fails++
	}
	w.checks = append(kept, o)
}

// unknown drops the earlier outcomes of a check that ran again with an unknown outcome.
func (w *work) unknown(c shell.Program) {
	w.checks = slices.DeleteFunc(w.checks, func(o *outcome) bool {
		return o.Name == c.Name && covers(c.Full, o.Full) || slices.Contains(o.Parts, c.Name)
	})
}

// covers reports whether a command checks at least what another of the same name does.
func covers(wide, narrow string) bool {
	if wide == narrow || strings.Contains(wide, "./...") {
		return true
	}
	return strings.HasPrefix(narrow, wide+" ")
}

// open are the files that the session changed and has not committed, the newest change first. What git reports has
// precedence.
func (w *work) open(st Worktree) []event.Path {
	var out []event.Path
	for f, h := range w.files {
		if st.Known && slices.Contains(st.Changed, f) || !st.Known && h.seq > w.commit && !h.gone {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b event.Path) int {
		return cmp.Or(cmp.Compare(w.files[b].seq, w.files[a].seq), cmp.Compare(a, b))
	})
	return out
}

// committed are the other files that the session changed, the newest change first.
func (w *work) committed(open []event.Path) []event.Path {
	return slices.SortedFunc(func(yield func(event.Path) bool) {
		for f, c := range w.files {
			if !c.gone && !slices.Contains(open, f) && !yield(f) {
				return
			}
		}
	}, func(a, b event.Path) int {
		return cmp.Or(cmp.Compare(w.files[b].seq, w.files[a].seq), cmp.Compare(a, b))
	})
}

// failing are the checks that fail, the newest first.
func (w *work) failing() []string {
	var out []string
	for _, o := range slices.Backward(w.checks) {
		if !o.Failed {
			continue
		}
		s := asRun(o)
		more := testNames(o.Tests)
		if o.Runs > 1 {
			more = append(more, fmt.Sprintf("%d of %d runs", o.Fails, o.Runs))
		}
		if since := w.editedSince(o.Seq); since > 0 {
			more = append(more, plural(since, "file")+" changed since")
		}
		if len(more) > 0 {
			s += " (" + strings.Join(more, ", ") + ")"
		}
		out = append(out, s)
	}
	return out
}

// asRun is a check as it was run, quoted: it is the agent's own text.
func asRun(o *outcome) string { return quote(cmp.Or(o.Line, strings.Trim(o.Full, `"`))) }

// maxTests is how many failing tests of a check are named.
const maxTests = 3

// testNames are the first tests, quoted.
func testNames(tests []string) (out []string) {
	for _, t := range tests[:min(len(tests), maxTests)] {
		if t = plain(t); t != "" {
			out = append(out, quote(t))
		}
	}
	if n := len(tests) - maxTests; n > 0 {
		out = append(out, plural(n, "more test"))
	}
	return out
}

func (w *work) editedSince(seq int64) (n int) {
	for _, h := range w.files {
		if h.seq > seq {
			n++
		}
	}
	return n
}

// passed names the checks that succeeded last and after the last change.
func (w *work) passed() []string {
	var out []string
	for _, o := range slices.Backward(w.checks) {
		if !o.Failed && w.editedSince(o.Seq) == 0 && w.commit <= o.Seq {
			out = append(out, asRun(o))
		}
	}
	return slices.Compact(out) // several checks of one command
}
