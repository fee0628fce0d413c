package api

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Names returns the files that names mean, and the session that an id means.
var Names = Route[NamesRequest, NamesAnswer]{"POST", "/names"}

// NamesRequest asks which files names mean, and which session an id means.
type NamesRequest struct {
	Names []string `json:"names,omitempty"` // as typed: absolute, or relative to Dir
	// Dir is the absolute folder of the person or program that typed the names.
	Dir     string `json:"dir,omitempty"`
	Session string `json:"session_id,omitempty"` // an id or the beginning of one
}

// NamesAnswer tells for each name of the request what it means, in the same order.
type NamesAnswer struct {
	Names   []NamedFiles `json:"names"`
	Session string       `json:"session_id,omitempty"` // the whole id
}

// What a name can be.
const (
	NameFile    = "file"    // a file: tracked, or on disk, or deleted but not committed
	NameGone    = "gone"    // a deleted or renamed file that only the log knows
	NameFolder  = "folder"  // a folder; Files has at most 512 of the files below it, the most used last
	NameBase    = "base"    // no file has this path, but exactly one file in another folder has this base name
	NameUnknown = "unknown" // the name means nothing
	NameRoot    = "root"    // the folder of the whole repository
	NameOutside = "outside" // the path is outside of the repository
)

// NamedFiles tells what one name means.
type NamedFiles struct {
	Typed string     `json:"typed"`
	Path  event.Path `json:"path"`
	Is    string     `json:"is"` // file, gone, folder, base, unknown, root or outside
	// Empty for an unknown name, and for a folder that only the log knows.
	Files []event.Path `json:"files,omitempty"`
	// For a name that is unknown or gone: at most 3 files with a similar name.
	Near []event.Path `json:"near,omitempty"`
	// For an unknown name: the number of files that have it as their base name, if it is at least
	// 2. Near then has at most 10 of them.
	Same int `json:"same,omitempty"`
}

// Present returns what the name means if only existing files count. A deleted file then means a
// file with the same base name in another folder, if there is exactly one.
func (n NamedFiles) Present() NamedFiles {
	if n.Is == NameGone {
		if n.Is, n.Files = NameUnknown, nil; len(n.Near) == 1 && n.Near[0].Base() == n.Path.Base() {
			n.Is, n.Files, n.Near = NameBase, n.Near, nil
		}
	}
	return n
}

// Unknown returns the error for a name that means no file, or several. show formats a path for the
// reader.
func (n NamedFiles) Unknown(show func(event.Path) string) *event.Refusal {
	near := make([]string, len(n.Near))
	for i, p := range n.Near {
		near[i] = show(p)
	}
	typed := event.Path(cmp.Or(n.Typed, string(n.Path))).Display()
	if strings.TrimSpace(typed) == "" {
		typed = event.Quote(typed)
	}
	if n.Same > 0 {
		e := &event.Refusal{Code: event.CodeNoFile, Message: fmt.Sprintf("%d files are called %s:", n.Same, typed),
			Hint: "name one with its folder"}
		for _, name := range near {
			e.Message += "\n  " + event.Path(name).Display()
		}
		if more := n.Same - len(near); more > 0 {
			e.Message += fmt.Sprintf("\n  and %d more", more)
		}
		return e
	}
	e := &event.Refusal{Code: event.CodeNoFile, Message: "no file is called " + typed}
	if len(near) > 0 {
		e.Hint = "did you mean " + strings.Join(near, ", or ") + "?"
	}
	return e
}
