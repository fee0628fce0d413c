package reload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// maxSummary is the longest summary, in bytes.
const maxSummary = 160

// summary describes a sequence in one line: "searched 2×, read 4 files in rank/ (score.go, …),
// edited rank/score.go, ran go test ./rank (ok)".
func summary(e *Entry) string {
	searched, runs := 0, 0
	var read, wrote []event.Path
	var command Action
	for _, a := range e.Actions {
		switch {
		case a.Act == event.ActRun:
			if runs++; a.Checks || !command.Checks {
				command = a
			}
		case !a.OK:
		case a.Act == event.ActRead:
			read = append(read, a.Paths...)
		case a.changes():
			wrote = append(wrote, a.Paths...)
		case a.Act == event.ActSearch || a.Act == event.ActList:
			searched++
		}
	}
	var parts []string
	if searched > 0 {
		parts = append(parts, fmt.Sprintf("searched %d×", searched))
	}
	if len(read) > 0 {
		parts = append(parts, "read "+named(read))
	}
	if len(wrote) > 0 {
		parts = append(parts, "edited "+named(wrote))
	}
	if runs > 0 {
		how := "ok"
		if !command.OK {
			how = "failed"
		}
		text := fmt.Sprintf("ran %s (%s)", event.ClipLine(command.Command, 48), how)
		if runs > 1 {
			text += fmt.Sprintf(" and %d more", runs-1)
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return fmt.Sprintf("%d calls", len(e.Actions)+e.More)
	}
	return event.Clip(strings.Join(parts, ", "), maxSummary)
}

// named returns the name of one file; for several files their number, their folder and the first
// name.
func named(files []event.Path) string {
	first, dir := files[0], files[0].Dir()
	slices.Sort(files)
	if files = slices.Compact(files); len(files) == 1 {
		return first.Display()
	}
	for _, f := range files {
		for dir != "" && !strings.HasPrefix(string(f), dir+"/") {
			dir = event.Path(dir).Dir()
		}
	}
	in := ""
	if dir != "" {
		in = " in " + event.Path(dir).Display() + "/"
	}
	return fmt.Sprintf("%d files%s (%s, …)", len(files), in, event.Path(first.Base()).Display())
}
