package session

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/hooks/shell"
	"github.com/aoa-dev/aoa/internal/event"
)

// work is the state of a session's work: a fold of its actions in their order.
type work struct {
	Clock   int64                  // actions folded
	Commit  int64                  // number of the last commit that the session made
	Files   map[event.Path]*handle // files in use, at most maxHandles
	Checks  []*outcome             // tests, builds and linters, the latest last
	Refused []string               // what the person did not allow since the last prompt
}

// handle is a file in use.
type handle struct {
	Edit   int64   // number of the last change, 0: only read
	Gone   bool    // deleted, or renamed to another
	Weight float64 // at the action At of the clock, halved every halfLife actions
	At     int64
}

// outcome is what a check came to.
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

// Bounds of what is kept of a session.
const (
	maxHandles = 64
	maxChecks  = 12
	maxRefused = 4
	halfLife   = 24.0 // actions after which the weight of a file is halved
)

// fold adds an action.
func (w *work) fold(a Action) {
	w.Clock++
	switch a.Verb {
	case "read":
		w.touch(a, 1)
	case "edited", "wrote":
		w.touch(a, 3)
	case "deleted", "renamed":
		w.touch(a, 1)
	case "refused":
		if !slices.Contains(w.Refused, a.Object) {
			w.Refused = append(w.Refused[max(0, len(w.Refused)+1-maxRefused):], a.Object)
		}
	case "ran":
		w.ran(a)
	}
}

func (w *work) touch(a Action, weight float64) {
	if w.Files == nil {
		w.Files = map[event.Path]*handle{}
	}
	for _, f := range a.Paths {
		h := w.Files[f]
		if h == nil {
			h = &handle{}
			w.Files[f] = h
		}
		h.Weight, h.At, h.Gone = w.weight(h)+weight, w.Clock, a.Verb == "deleted"
		if a.Verb != "read" {
			h.Edit = a.Seq
		}
	}
	for len(w.Files) > maxHandles {
		w.drop()
	}
}

// weight is a file's weight now.
func (w *work) weight(h *handle) float64 {
	return h.Weight * math.Exp2(-float64(w.Clock-h.At)/halfLife)
}

// drop drops the file with the least weight: one that was only read before one that was changed.
func (w *work) drop() {
	var worst event.Path
	least := math.Inf(1)
	for _, f := range slices.Sorted(maps.Keys(w.Files)) {
		x := w.weight(w.Files[f])
		if w.Files[f].Edit > w.Commit {
			x += 1e6
		}
		if x < least {
			worst, least = f, x
		}
	}
	delete(w.Files, worst)
}

func (w *work) ran(a Action) {
	if a.commits() {
		w.Commit = a.Seq
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

// verdict is what a check of the action came to, "" if nobody saw it: its output says so where it is the only check and
// its output was shown, else the status of the line, where that is its own.
func (a Action) verdict(c shell.Program) event.Check {
	said := a.Check
	if !c.Shown || len(a.checks()) > 1 {
		said = ""
	}
	switch {
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
	kept := w.Checks[:0:0]
	for _, old := range w.Checks {
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
	w.Checks = append(kept, o)
	w.Checks = w.Checks[max(0, len(w.Checks)-maxChecks):]
}

// unknown drops the earlier outcomes of a check that ran again with an unknown outcome.
func (w *work) unknown(c shell.Program) {
	w.Checks = slices.DeleteFunc(w.Checks, func(o *outcome) bool {
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
	for f, h := range w.Files {
		if h.Edit > 0 && (st.Known && slices.Contains(st.Changed, f) || !st.Known && h.Edit > w.Commit && !h.Gone) {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b event.Path) int {
		return cmp.Or(cmp.Compare(w.Files[b].Edit, w.Files[a].Edit), cmp.Compare(a, b))
	})
	return out
}

// otherFiles are the other files in use, the heaviest first.
func (w *work) otherFiles(st Worktree, not []event.Path) []event.Path {
	var out []event.Path
	for f, h := range w.Files {
		if !h.Gone && w.weight(h) >= leastWeight && !slices.Contains(not, f) &&
			(st.Exists == nil || st.Exists(f)) {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b event.Path) int {
		return cmp.Or(cmp.Compare(w.weight(w.Files[b]), w.weight(w.Files[a])), cmp.Compare(a, b))
	})
	return out
}

// leastWeight is that of a file that was read once, 24 actions ago.
const leastWeight = .5

// failing are the checks that fail, the newest first.
func (w *work) failing() []string {
	var out []string
	for _, o := range slices.Backward(w.Checks) {
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
	for _, h := range w.Files {
		if h.Edit > seq {
			n++
		}
	}
	return n
}

// passed names the checks that succeeded last and after the last change.
func (w *work) passed() []string {
	var out []string
	for _, o := range slices.Backward(w.Checks) {
		if !o.Failed && w.editedSince(o.Seq) == 0 && w.Commit <= o.Seq {
			out = append(out, asRun(o))
		}
	}
	return slices.Compact(out) // several checks of one command
}
