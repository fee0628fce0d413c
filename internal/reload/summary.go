package reload

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// maxSummary is the longest summary, in bytes.
const maxSummary = 160

// summary describes a sequence in one line: "searched 2×, read 4 files in rank/ (score.go, …), edited rank/score.go,
// ran go test ./rank (ok)".
func summary(e *Entry) string {
	var parts []string
	opened, searched := map[event.Path]bool{}, 0
	var read, wrote []event.Path
	var command *Action
	runs := 0
	for i, a := range e.Actions {
		if !a.OK && a.Act != event.ActRun {
			continue
		}
		switch a.Act {
		case event.ActRead:
			for _, p := range a.Paths {
				if !opened[p] {
					opened[p] = true
					read = append(read, p)
				}
			}
		case event.ActEdit, event.ActWrite:
			for _, p := range a.Paths {
				if !slices.Contains(wrote, p) {
					wrote = append(wrote, p)
				}
			}
		case event.ActSearch, event.ActList:
			searched++
		case event.ActRun:
			runs++
			if command == nil || a.Checks || !command.Checks {
				command = &e.Actions[i]
			}
		}
	}
	if searched > 0 {
		parts = append(parts, fmt.Sprintf("searched %d×", searched))
	}
	if len(read) > 0 {
		parts = append(parts, "read "+named(read))
	}
	if len(wrote) > 0 {
		parts = append(parts, "edited "+named(wrote))
	}
	if command != nil {
		how := "ok"
		if !command.OK {
			how = "failed"
		}
		text := fmt.Sprintf("ran %s (%s)", event.Clip(strings.Join(strings.Fields(command.Command), " "), 48), how)
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

// named names one file, or counts them, with their folder and the first.
func named(files []event.Path) string {
	if len(files) == 1 {
		return files[0].Display()
	}
	dir := files[0].Dir()
	for _, f := range files {
		for dir != "" && f.Dir() != dir && !strings.HasPrefix(f.Dir(), dir+"/") {
			dir = path.Dir(dir)
			if dir == "." {
				dir = ""
			}
		}
	}
	in := ""
	if dir != "" {
		in = " in " + event.Path(dir).Display() + "/"
	}
	return fmt.Sprintf("%d files%s (%s, …)", len(files), in, event.Path(files[0].Base()).Display())
}
