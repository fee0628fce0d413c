package contexts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/hooks/shell"
	"github.com/aoa-dev/aoa/internal/event"
)

// phase is a part of the work as counts. It ends with a commit, or with a command that reverts
// changes or brings others in. The oldest phases are joined, but the order of their ends is kept.
type phase struct {
	files   map[event.Path]string // by file: what was done last, edited, deleted or renamed
	runs    map[string]int        // by command: number of runs
	helpers int                   // number of subagents that were asked
	refused int
	ends    []string // how it ended, in order
}

// maxPhases is the largest number of phases of a session.
const maxPhases = 3

// addToPhases counts an action in the last phase, or in a new one.
func addToPhases(phases []phase, a Action) []phase {
	_, ends := a.border()
	if n := len(phases); n == 0 || len(phases[n-1].ends) > 0 && !ends {
		phases = append(phases, phase{files: map[event.Path]string{}, runs: map[string]int{}})
	}
	phases[len(phases)-1].add(a)
	for len(phases) > maxPhases {
		phases[0].join(phases[1])
		phases = slices.Delete(phases, 1, 2)
	}
	return phases
}

func (p *phase) add(a Action) {
	switch a.Verb {
	case "edited", "wrote":
		for _, f := range a.Paths {
			p.files[f] = "edited"
		}
	case "deleted", "renamed":
		for _, f := range a.Paths {
			p.files[f] = a.Verb
		}
	case "delegated":
		p.helpers++
	case "refused":
		p.refused++
	case "ran":
		for _, c := range a.run {
			if !borders(c.Class) {
				p.runs[c.Name]++
			}
		}
		if c, ok := a.border(); ok {
			p.ends = append(p.ends, ending(c))
		}
	}
}

// ending returns the text for a command that ends a phase. Of a commit it leaves out the message.
func ending(c shell.Program) string {
	if c.Class == shell.Commit {
		return c.Name
	}
	return c.Full
}

// join adds a later phase.
func (p *phase) join(q phase) {
	maps.Copy(p.files, q.files)
	for name, n := range q.runs {
		p.runs[name] += n
	}
	p.helpers, p.refused, p.ends = p.helpers+q.helpers, p.refused+q.refused, append(p.ends, q.ends...)
}

// fact is a part of a text. If not all facts fit, those with the least weight are left out.
type fact struct {
	text   string
	weight int
}

// facts returns the phase in words: changes first, then what was run, then how it ended.
func (p phase) facts() []fact {
	done := map[string][]event.Path{}
	for _, f := range slices.Sorted(maps.Keys(p.files)) {
		done[p.files[f]] = append(done[p.files[f]], f)
	}
	var out []fact
	if files := done["edited"]; len(files) > 0 {
		out = append(out, fact{"edited " + folders(files), 5})
	}
	for _, verb := range []string{"deleted", "renamed"} {
		if files := done[verb]; len(files) > 0 {
			out = append(out, fact{verb + " " + short(files, 3), 4})
		}
	}
	if s := p.runsText(); s != "" {
		out = append(out, fact{"ran " + s, 3})
	}
	if p.helpers > 0 {
		out = append(out, fact{"asked " + plural(p.helpers, "subagent"), 1})
	}
	if p.refused > 0 {
		out = append(out, fact{plural(p.refused, "call") + " refused by the user", 3})
	}
	if len(p.ends) > 0 {
		out = append(out, fact{"ran " + strings.Join(repetitions(p.ends), ", "), 4})
	}
	return out
}

// runsText returns the most frequent commands.
func (p phase) runsText() string {
	names := slices.SortedFunc(maps.Keys(p.runs), func(a, b string) int {
		return cmp.Or(cmp.Compare(p.runs[b], p.runs[a]), cmp.Compare(a, b))
	})
	names = names[:min(len(names), 3)]
	for i, name := range names {
		if n := p.runs[name]; n > 1 {
			names[i] = fmt.Sprintf("%s %d times", name, n)
		}
	}
	return strings.Join(names, ", ")
}

// folders groups files by folder: a single file is named, several are counted with their folder.
// Folders with most files come first.
func folders(files []event.Path) string {
	by := map[string][]event.Path{}
	for _, f := range files {
		by[f.Dir()] = append(by[f.Dir()], f)
	}
	dirs := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(by[b]), len(by[a])), cmp.Compare(a, b))
	})
	var out []string
	more := 0
	for _, d := range dirs {
		switch n := len(by[d]); {
		case len(out) == 3:
			more += n
		case n == 1 && by[d][0].Mentionable():
			out = append(out, name(by[d][0]))
		case n > 1 && d == "":
			out = append(out, plural(n, "file")+" at the root")
		case n > 1 && event.Path(d).Mentionable():
			out = append(out, plural(n, "file")+" in "+name(event.Path(d+"/")))
		default:
			more += n
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

// repetitions joins equal texts that follow each other: "committed 3 times".
func repetitions(texts []string) (out []string) {
	for i := 0; i < len(texts); {
		n := 1
		for i+n < len(texts) && texts[i+n] == texts[i] {
			n++
		}
		s := texts[i]
		if n > 1 {
			s += fmt.Sprintf(" %d times", n)
		}
		out = append(out, s)
		i += n
	}
	return out
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
