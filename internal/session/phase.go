package session

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/hooks/shell"
	"github.com/aoa-dev/aoa/internal/event"
)

// phase is a part of the work in counts. It ends with a commit, or with a command that reverts changes or brings
// others in. The oldest phases are joined; the order of their ends is kept.
type phase struct {
	Edits    map[event.Path]int // changes of a file, at most maxEdits files
	MoreEdit int                // files beyond those
	// files that were deleted or renamed: what happened, in order
	Trails  map[event.Path][]string
	Runs    map[string]*tries // command → how often, at most maxRuns
	Helpers int               // subagents asked
	Refused int
	Ends    []end // in order
}

// end is a border of the work, so many times in a row.
type end struct {
	What string
	N    int
}

type tries struct {
	N      int
	Failed int
}

// Bounds of a phase, and of how many there are.
const (
	maxEdits  = 64
	maxRuns   = 24
	maxTrails = 16
	maxTrail  = 4
	maxEnds   = 8
	maxPhases = 3
)

// foldPhases counts an action into the last phase, or begins one.
func foldPhases(phases []phase, a Action) []phase {
	_, ends := a.border()
	if n := len(phases); n == 0 || len(phases[n-1].Ends) > 0 && !ends {
		phases = append(phases, phase{})
	}
	p := &phases[len(phases)-1]
	p.fold(a)
	for len(phases) > maxPhases {
		phases[0].join(phases[1])
		phases = slices.Delete(phases, 1, 2)
	}
	return phases
}

func (p *phase) fold(a Action) {
	switch a.Verb {
	case "edited", "wrote", "deleted", "renamed":
		for _, f := range a.Paths {
			p.changed(f, a.Verb)
		}
	case "delegated":
		p.Helpers++
	case "refused":
		p.Refused++
	case "ran":
		for _, c := range a.run {
			if borders(c.Class) {
				continue
			}
			p.ran(c.Name, 1, map[bool]int{true: 1}[a.Failed])
		}
		if c, ok := a.border(); ok {
			p.end(end{ending(c), 1})
		}
	}
}

// ending is the text of a border: of a commit without its message.
func ending(c shell.Program) string {
	if c.Class == shell.Commit {
		return "committed"
	}
	return c.Full
}

func (p *phase) changed(f event.Path, verb string) {
	trail := p.Trails[f]
	if trail == nil && (verb == "deleted" || verb == "renamed") && len(p.Trails) < maxTrails {
		if p.Edits[f] > 0 {
			trail = []string{"edited"}
			delete(p.Edits, f)
		}
		trail = append(trail, verb)
	} else if trail != nil {
		if trail[len(trail)-1] != verb {
			trail = append(trail, verb)
		}
	} else {
		p.Edits, p.MoreEdit = count(p.Edits, p.MoreEdit, f, maxEdits)
		return
	}
	if len(trail) > maxTrail {
		trail = trail[len(trail)-maxTrail:]
	}
	if p.Trails == nil {
		p.Trails = map[event.Path][]string{}
	}
	p.Trails[f] = trail
}

func (p *phase) ran(name string, n, failed int) {
	if p.Runs == nil {
		p.Runs = map[string]*tries{}
	}
	if p.Runs[name] == nil {
		if len(p.Runs) >= maxRuns {
			return
		}
		p.Runs[name] = &tries{}
	}
	p.Runs[name].N += n
	p.Runs[name].Failed += failed
}

// count adds one to a file's number; more counts the files beyond most.
func count(m map[event.Path]int, more int, f event.Path, most int) (map[event.Path]int, int) {
	if m == nil {
		m = map[event.Path]int{}
	}
	if _, known := m[f]; !known && len(m) >= most {
		return m, more + 1
	}
	m[f]++
	return m, more
}

// join adds a later phase.
func (p *phase) join(q phase) {
	for _, f := range slices.Sorted(maps.Keys(q.Edits)) {
		for range min(q.Edits[f], 9) {
			p.changed(f, "edited")
		}
	}
	for _, f := range slices.Sorted(maps.Keys(q.Trails)) {
		for _, verb := range q.Trails[f] {
			p.changed(f, verb)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(q.Runs)) {
		p.ran(name, q.Runs[name].N, q.Runs[name].Failed)
	}
	p.MoreEdit += q.MoreEdit
	p.Helpers, p.Refused = p.Helpers+q.Helpers, p.Refused+q.Refused
	for _, e := range q.Ends {
		p.end(e)
	}
}

// end adds a border; of too many the oldest is dropped.
func (p *phase) end(e end) {
	if n := len(p.Ends); n > 0 && p.Ends[n-1].What == e.What {
		p.Ends[n-1].N += e.N
		return
	}
	p.Ends = append(p.Ends, e)
	p.Ends = p.Ends[max(0, len(p.Ends)-maxEnds):]
}

// fact is a part of a text. Where not all fit, those with the least weight are left out.
type fact struct {
	text   string
	weight int
}

// facts are the phase in words: changes first, then what was run, then how it ended.
func (p phase) facts() []fact {
	var out []fact
	if s := folders(p.Edits, p.MoreEdit); s != "" {
		out = append(out, fact{"edited " + s, 5})
	}
	for _, f := range slices.Sorted(maps.Keys(p.Trails)) {
		trail := slices.Clone(p.Trails[f])
		if !f.Mentionable() {
			continue
		}
		for i, v := range trail {
			if v == "wrote" && i > 0 {
				trail[i] = "wrote again"
			}
		}
		out = append(out, fact{name(f) + " was " + passive(trail), 4})
	}
	if s := p.runs(); s != "" {
		out = append(out, fact{"ran " + s, 3})
	}
	if p.Helpers > 0 {
		out = append(out, fact{"asked " + plural(p.Helpers, "subagent"), 1})
	}
	if p.Refused > 0 {
		out = append(out, fact{plural(p.Refused, "call") + " refused by the user", 3})
	}
	if len(p.Ends) > 0 {
		out = append(out, fact{strings.Join(repetitions(p.Ends), ", "), 4})
	}
	return out
}

// passive is what happened to a file, in the passive voice.
func passive(trail []string) string {
	words := map[string]string{"edited": "edited", "wrote": "written", "wrote again": "written again",
		"deleted": "deleted",
		"renamed": "renamed"}
	for i := range trail {
		trail[i] = words[trail[i]]
	}
	return strings.Join(trail, ", then ")
}

// runs are the commands, those that failed first, then the most frequent.
func (p phase) runs() string {
	names := slices.Sorted(maps.Keys(p.Runs))
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(p.Runs[b].Failed, p.Runs[a].Failed), cmp.Compare(p.Runs[b].N, p.Runs[a].N))
	})
	var out []string
	for _, name := range names[:min(len(names), 3)] {
		r, s := p.Runs[name], name
		switch {
		case r.N > 1 && r.Failed > 0:
			s += fmt.Sprintf(" %d times (%d failed)", r.N, r.Failed)
		case r.N > 1:
			s += fmt.Sprintf(" %d times", r.N)
		case r.Failed > 0:
			s += " (failed)"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

// folders groups files: a single one by its name, several by their folder, the folders with most files first.
func folders(files map[event.Path]int, more int) string {
	by := map[string][]event.Path{}
	for _, f := range slices.Sorted(maps.Keys(files)) {
		by[f.Dir()] = append(by[f.Dir()], f)
	}
	dirs := slices.Sorted(maps.Keys(by))
	slices.SortStableFunc(dirs, func(a, b string) int { return cmp.Compare(len(by[b]), len(by[a])) })
	subject := func(d string) string {
		switch n := len(by[d]); {
		case n == 1 && by[d][0].Mentionable():
			return name(by[d][0])
		case n > 1 && d == "":
			return plural(n, "file") + " at the root"
		case n > 1 && event.Path(d).Mentionable():
			return plural(n, "file") + " in " + name(event.Path(d+"/"))
		}
		return ""
	}
	var out []string
	for _, d := range dirs {
		if text := subject(d); text != "" && len(out) < 3 {
			out = append(out, text)
		} else {
			more += len(by[d])
		}
	}
	switch {
	case more > 0 && len(out) == 0:
		return plural(more, "file")
	case more > 0:
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, ", ")
}

// repetitions are the ends with their counts: "committed 3 times".
func repetitions(ends []end) []string {
	var out []string
	for _, e := range ends {
		s := e.What
		if e.N > 1 {
			s += fmt.Sprintf(" %d times", e.N)
		}
		out = append(out, s)
	}
	return out
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
