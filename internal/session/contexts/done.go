package contexts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/aoa-dev/aoa/hooks/shell"
	"github.com/aoa-dev/aoa/internal/event"
)

// done has the older actions as counts.
type done struct {
	files   map[event.Path]string // by file: what was done last, edited, deleted or renamed
	runs    map[string]int        // by command: number of runs
	helpers int                   // number of subagents that were asked
	refused int
}

func newDone() done { return done{files: map[event.Path]string{}, runs: map[string]int{}} }

func (d *done) add(a Action) {
	switch a.Verb {
	case "edited", "wrote":
		for _, f := range a.Paths {
			d.files[f] = "edited"
		}
	case "deleted", "renamed":
		for _, f := range a.Paths {
			d.files[f] = a.Verb
		}
	case "delegated":
		d.helpers++
	case "refused":
		d.refused++
	case "ran":
		for _, c := range a.run {
			if c.Class == shell.Undo || c.Class == shell.Branch { // its arguments say what it reverted or brought in
				c.Name = c.Full
			}
			d.runs[c.Name]++
		}
	}
}

// fact is a part of a text. If not all facts fit, those with the least weight are left out.
type fact struct {
	text   string
	weight int
}

// facts returns what was done, each with its weight.
func (d *done) facts() (out []fact) {
	did := map[string][]event.Path{}
	for _, f := range slices.Sorted(maps.Keys(d.files)) {
		did[d.files[f]] = append(did[d.files[f]], f)
	}
	if files := did["edited"]; len(files) > 0 {
		out = append(out, fact{"edited " + folders(files), 5})
	}
	for _, verb := range []string{"deleted", "renamed"} {
		if files := did[verb]; len(files) > 0 {
			out = append(out, fact{verb + " " + short(files, 3), 4})
		}
	}
	if s := d.runsText(); s != "" {
		out = append(out, fact{"ran " + s, 3})
	}
	if d.helpers > 0 {
		out = append(out, fact{"asked " + english.Plural(d.helpers, "subagent", ""), 1})
	}
	if d.refused > 0 {
		out = append(out, fact{english.Plural(d.refused, "call", "") + " refused by the user", 3})
	}
	return out
}

// runsText returns the most frequent commands.
func (d *done) runsText() string {
	names := slices.SortedFunc(maps.Keys(d.runs), func(a, b string) int {
		return cmp.Or(cmp.Compare(d.runs[b], d.runs[a]), cmp.Compare(a, b))
	})
	names = names[:min(len(names), 3)]
	for i, name := range names {
		if n := d.runs[name]; n > 1 {
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
			out = append(out, english.Plural(n, "file", "")+" at the root")
		case n > 1 && event.Path(d).Mentionable():
			out = append(out, english.Plural(n, "file", "")+" in "+name(event.Path(d+"/")))
		default:
			more += n
		}
	}
	switch {
	case more > 0 && len(out) == 0:
		return english.Plural(more, "file", "")
	case more > 0:
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, ", ")
}
