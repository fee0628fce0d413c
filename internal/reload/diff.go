package reload

import (
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/aoa-dev/aoa/internal/event"
)

// unifiedDiff is the unified diff of one file; before is nil for a new file. Lines are cut to maxLine.
func unifiedDiff(path event.Path, before, after []byte) string {
	from := "a/" + path.Display()
	if before == nil {
		from = "/dev/null"
	}
	var b strings.Builder
	command := true // the first line: "diff a b"
	for line := range strings.Lines(string(diff.Diff(from, before, "b/"+path.Display(), after))) {
		if !command {
			b.WriteString(event.Clip(strings.TrimSuffix(line, "\n"), maxLine) + "\n")
		}
		command = false
	}
	return b.String()
}
