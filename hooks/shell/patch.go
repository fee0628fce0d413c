package shell

import (
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// PatchFile is one file of a patch in the form of the apply_patch tool.
type PatchFile struct {
	Verb     string // Add, Update, Delete
	Name, To string // To: the new name, if the file moves
}

// PatchFiles reads the headers of a patch; its lines are not kept.
func PatchFiles(patch string) []PatchFile {
	var ops []PatchFile
	for line := range strings.Lines(event.Clip(patch, 16*MaxLine)) {
		line = strings.TrimSpace(line)
		for _, verb := range []string{"Add", "Update", "Delete"} {
			if name, ok := strings.CutPrefix(line, "*** "+verb+" File: "); ok && len(ops) < event.MaxSeen {
				ops = append(ops, PatchFile{Verb: verb, Name: name})
			}
		}
		if to, ok := strings.CutPrefix(line, "*** Move to: "); ok && len(ops) > 0 {
			ops[len(ops)-1].To = to
		}
	}
	return ops
}
