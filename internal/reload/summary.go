package reload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/hooks/shell"
	"github.com/aoa-dev/aoa/internal/event"
)

// Limits of the texts that tell what a sequence did.
const (
	maxSummary = 160 // bytes of a summary
	maxNamed   = 8   // edited files
	maxRan     = 3   // last commands
	maxCommand = 60  // bytes of one command
)

// summary describes a sequence in one line: "searched 2×, read 4 files in rank/ (score.go, …),
// edited rank/score.go:12, ran go test ./rank".
func (e *Entry) summary() string {
	searched := 0
	var read []event.Path
	for _, a := range e.Actions {
		switch {
		case !a.OK:
		case a.Act == event.ActRead:
			read = append(read, a.Paths...)
		case a.Act.ReadOnly():
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
	if parts = append(parts, e.work()...); len(parts) == 0 {
		return fmt.Sprintf("%d calls", len(e.Actions)+e.More)
	}
	return event.Clip(strings.Join(parts, ", "), maxSummary)
}

// recipe tells what a sequence edited, with the first changed line of each file, and what it ran:
// "edited install:3, man/man1/fzf.1:24, ran make docs". It is "" if it edited nothing.
func (e *Entry) recipe() string {
	if !slices.ContainsFunc(e.Files, func(f File) bool { return f.Wrote }) {
		return ""
	}
	return strings.Join(e.work(), ", ")
}

// work tells what a sequence edited and ran. No one needs the commands that only show what is there to
// repeat it.
func (e *Entry) work() (parts []string) {
	var edited, ran []string
	for _, f := range e.Files {
		if !f.Wrote {
			continue
		}
		name := f.Path.Display()
		if all := hunks(f.Patch); len(all) > 0 {
			name = fmt.Sprintf("%s:%d", name, all[0].changed())
		}
		edited = append(edited, name)
	}
	for _, a := range e.Actions {
		command := strings.Join(strings.Fields(a.Command), " ")
		if a.Act != event.ActRun || !a.OK || a.Secret || command == "" || shell.OnlyReads(command) {
			continue
		}
		if len(command) > maxCommand {
			command = event.Clip(command, maxCommand) + "…"
		}
		if command = event.Path(command).Display(); !slices.Contains(ran, command) {
			ran = append(ran, command)
		}
	}
	if len(edited) > 0 {
		text := "edited " + strings.Join(edited[:min(len(edited), maxNamed)], ", ")
		if more := len(edited) - maxNamed; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, text)
	}
	if ran = ran[max(0, len(ran)-maxRan):]; len(ran) > 0 {
		parts = append(parts, "ran "+strings.Join(ran, ", "))
	}
	return parts
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
