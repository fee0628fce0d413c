package shell

import (
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// PatchFile is what a patch in the form of the apply_patch tool does to one file.
type PatchFile struct {
	Kind     event.Kind // write, edit or delete
	Name, To string     // To is the new name if the file is renamed
}

// patchVerbs maps the word in a header to what is done to the file.
var patchVerbs = map[string]event.Kind{"Add": event.KindWrite, "Update": event.KindEdit, "Delete": event.KindDelete}

// PatchFiles reads the headers of a patch. Its lines are ignored.
func PatchFiles(patch string) []PatchFile {
	var ops []PatchFile
	for line := range strings.Lines(event.Clip(patch, 16*MaxLine)) {
		line = strings.TrimSpace(line)
		for verb, kind := range patchVerbs {
			if name, ok := strings.CutPrefix(line, "*** "+verb+" File: "); ok && len(ops) < event.MaxSeen {
				ops = append(ops, PatchFile{Kind: kind, Name: name})
			}
		}
		if to, ok := strings.CutPrefix(line, "*** Move to: "); ok && len(ops) > 0 {
			ops[len(ops)-1].To = to
		}
	}
	return ops
}
