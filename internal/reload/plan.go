package reload

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// plan is what the edits of a sequence would change. Either all of their patches apply, or nothing
// is changed.
type plan struct {
	patches []filePatch
	left    map[event.Path]bool   // files of which an edit is left out
	fails   map[event.Path]string // files whose patch cannot be applied, with the reason
	broken  bool                  // a patch does not apply, or an edit is not known
}

// filePatch is the change of one file for git apply.
type filePatch struct {
	Path  event.Path `json:"path"`
	Patch string     `json:"patch"`
}

// newPlan lets git check the patches of all edits. It leaves out every file that has an edit to be
// skipped. If a patch does not apply, or could apply at another place than intended, the plan is
// broken; this is not an error.
func newPlan(ctx context.Context, w Worktree, e Entry, skip []int) *plan {
	l := &plan{left: map[event.Path]bool{}, fails: map[event.Path]string{}}
	for i, a := range e.Actions {
		switch {
		case !a.changes():
		case !slices.Contains(skip, i):
			l.broken = l.broken || a.OK && e.note(a) != ""
		default:
			for _, p := range a.Paths {
				l.left[p] = true
			}
		}
	}
	for _, f := range e.Files {
		if f.Patch != "" && !l.left[f.Path] {
			l.patches = append(l.patches, filePatch{f.Path, f.Patch})
		}
	}
	fit := w.Apply(ctx, whole(l.patches), "--check") == nil // if they do not, each one is checked
	for _, f := range l.patches {
		switch {
		case w.Ignored(f.Path):
			l.fails[f.Path] = "the file is ignored"
		case !fit && w.Apply(ctx, f.Patch, "--check") != nil || w.misplaced(f, '-'):
			l.fails[f.Path] = "the file is not what it was before the edit"
		}
	}
	l.broken = l.broken || len(l.fails) > 0
	return l
}

// step tells what the plan does with an edit of a file.
func (l *plan) step(f event.Path) (state, note string) {
	switch {
	case l.left[f]:
		return Skipped, "another edit of the file is skipped"
	case l.fails[f] != "":
		return Diverged, l.fails[f]
	}
	return Planned, ""
}

// name returns a name that identifies the plan. Only a plan that was shown under its name is
// carried out. It is "" if there is nothing to do.
func (l *plan) name() string {
	if l.broken || len(l.patches) == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(whole(l.patches)))
	return hex.EncodeToString(sum[:6])
}

// diff returns the patches for people, with lines cut to maxLine. It is "" if there is nothing to do.
func (l *plan) diff() string {
	if l.broken {
		return ""
	}
	var b strings.Builder
	for line := range strings.Lines(whole(l.patches)) {
		b.WriteString(event.Clip(strings.TrimSuffix(line, "\n"), maxLine) + "\n")
	}
	return cutLines(b.String(), maxOutput)
}

func whole(patches []filePatch) string {
	var b strings.Builder
	for _, f := range patches {
		b.WriteString(f.Patch)
	}
	return b.String()
}
