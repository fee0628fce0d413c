package blame

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// behind matches FILE:12 and FILE:10-20, as compilers write positions, FILE:12:5 with a column,
// FILE:12 symbol as aOa writes places, and FILE#L10-L20 as on GitHub.
var behind = regexp.MustCompile(`^(.+?)(?::|#L)([0-9]{1,9})(?:-L?([0-9]{1,9})|:[0-9]{1,9})?:?(?: \S+)?$`)

// Typed splits FILE:LINE or FILE:10-20, as people type it or copy it from a compiler or GitHub. to
// is 0 for a single line. ok is false for a name without lines.
func Typed(arg string) (name string, from, to int, ok bool) {
	part := behind.FindStringSubmatch(arg)
	if part == nil {
		return "", 0, 0, false
	}
	from, _ = strconv.Atoi(part[2])
	to, _ = strconv.Atoi(part[3])
	return part[1], from, to, true
}

// Place returns the lines in the form FILE:LINE or FILE:10-20.
func (o Origin) Place(file string) string {
	if o.To > o.From {
		return fmt.Sprintf("%s:%d-%d", file, o.From, o.To)
	}
	return fmt.Sprintf("%s:%d", file, o.From)
}

// Format describes the origin in sentences, one line for each fact, the commit first. name formats
// the name of a file, at formats a time. Control characters are removed.
func (o Origin) Format(file event.Path, name func(event.Path) string, at func(time.Time) string) (out []string) {
	say := func(format string, args ...any) {
		out = append(out, event.Path(fmt.Sprintf(format, args...)).Display())
	}
	if c := o.Commit; c == nil {
		say("not committed")
	} else {
		say("%.9s of %s by %s: %s", c.ID, at(c.At), c.By, c.Subject)
		if c.File != file {
			say("it was in %s then", name(c.File))
		}
		if c.Cut {
			say("the clone ends at this commit, so the line may be older: git fetch --unshallow")
		}
		if o.Edit == nil && len(c.With) > 0 {
			say("changed with it: %s", list(c.With, c.More, name))
		}
	}
	if e := o.Edit; e != nil {
		say("written by %s in session %s, %s", e.worker(), e.ID, at(e.At))
		if e.Prompt != "" {
			say("asked for: “%s”", e.Prompt)
		}
		if len(e.With) > 0 {
			say("edited for it, too: %s", list(e.With, e.More, name))
		}
		if e.Check != nil {
			say("last check after it: %s", e.Check)
		}
		say("more: aoa context --session %s", e.ID)
	}
	for i, s := range o.Sessions {
		if i == 0 {
			say("who wrote it is not known; these sessions edited the file at that time:")
		}
		say("  %s, %s: aoa context --session %s", s.worker(), at(s.At), s.ID)
	}
	return out
}

// worker says who edited the file in a session: its agent, or a subagent.
func (s Session) worker() string {
	if s.Side {
		return "a subagent of " + s.Agent
	}
	return s.Agent
}

// String returns the command of a check, its exit status if that is known, and the lines of its
// output that name failures.
func (k Check) String() string {
	text := k.Command
	if k.Exit != "" {
		text += "; exit status " + k.Exit
	}
	for _, line := range k.Failing {
		text += "; “" + line + "”"
	}
	return text
}

// list returns the names of files, and how many more there are.
func list(files []event.Path, more int, name func(event.Path) string) string {
	var names []string
	for _, f := range files {
		names = append(names, name(f))
	}
	text := strings.Join(names, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
