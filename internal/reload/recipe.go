package reload

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Limits of a recipe.
const (
	maxNamed   = 8  // files
	maxRan     = 3  // commands, the last ones
	maxCommand = 60 // bytes of one command
)

// justLooks matches a line of one command that only shows what is there: nobody needs it to repeat
// the work.
var justLooks = regexp.MustCompile(
	`^(git (--no-pager )?(status|diff|log|show|grep|blame|branch)|ls|cat|head|tail|grep|rg|find|wc|pwd|echo|true)\b[^;&>]*$`)

// recipe tells what a sequence edited, with the first changed line of each file, and what it ran:
// "edited install:3, man/man1/fzf.1:24; ran make docs". It is "" if it edited nothing.
func (e *Entry) recipe() string {
	var edited, ran []string
	for _, f := range e.Files {
		if f.Wrote {
			name := f.Path.Display()
			if line := changedLine(f.Patch); line > 0 {
				name = fmt.Sprintf("%s:%d", name, line)
			}
			edited = append(edited, name)
		}
	}
	if len(edited) == 0 {
		return ""
	}
	for _, a := range e.Actions {
		command := strings.Join(strings.Fields(a.Command), " ")
		if a.Act != event.ActRun || !a.OK || a.Secret || command == "" || justLooks.MatchString(command) {
			continue
		}
		if len(command) > maxCommand {
			command = event.Clip(command, maxCommand) + "…"
		}
		if command = event.Path(command).Display(); !slices.Contains(ran, command) {
			ran = append(ran, command)
		}
	}
	text := "edited " + strings.Join(edited[:min(len(edited), maxNamed)], ", ")
	if more := len(edited) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if ran = ran[max(0, len(ran)-maxRan):]; len(ran) > 0 {
		text += "; ran " + strings.Join(ran, ", ")
	}
	return text
}

// changedLine returns the number of the first line that a patch changes, counted before the change;
// 0 without a patch.
func changedLine(patch string) int {
	hunks := parts(patch)
	if len(hunks) == 0 {
		return 0
	}
	first := hunks[0]
	around := max(0, slices.IndexFunc(first.lines, func(line string) bool { return line[0] != ' ' }))
	return max(first.from+around, 1) // a new file begins at 0
}
