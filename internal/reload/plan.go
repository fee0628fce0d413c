package reload

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// plan is what the edits of a sequence would change. Either all of their patches apply, or nothing
// is changed.
type plan struct {
	patches []filePatch // one for each file
	steps   map[int]Step
	broken  bool // a patch does not apply, or an edit is not known
}

// filePatch is the change of one file for git apply.
type filePatch struct {
	Path  event.Path `json:"path"`
	Patch string     `json:"patch"`
	// In an undo record: hash of the file after the replay; "" if the replay was killed.
	After string `json:"after,omitempty"`
}

// newPlan lets git check the patches of all edits, except for those in skip and other edits of the
// same files. The first patch that does not apply, or that could apply at another place than
// intended, breaks the plan; this is not an error.
func newPlan(ctx context.Context, w Worktree, e Entry, skip []int) *plan {
	l := &plan{steps: map[int]Step{}}
	left := map[event.Path]bool{}
	for _, i := range skip {
		for _, p := range e.Actions[i].Paths {
			left[p] = left[p] || e.Actions[i].changes()
		}
	}
	all := e.patches(w, skip, left)
	fits := len(all) > 0 && w.Apply(ctx, whole(all), "--check") == nil // if they do not fit, each one is checked
	for i, a := range e.Actions {
		if !a.changes() || e.note(a) != "" || slices.Contains(skip, i) {
			l.broken = l.broken || a.changes() && a.OK && !slices.Contains(skip, i)
			continue
		}
		f := filePatch{Path: a.Paths[0], Patch: e.patch(a.Paths[0])}
		s := Step{State: Planned}
		switch {
		case left[f.Path]:
			s.is(Skipped, "another edit of the file is skipped")
		case l.broken:
			s.is(Skipped, "an edit before it does not fit")
		case slices.Contains(l.patches, f):
		case w.ignored(f.Path):
			s.is(Diverged, "the file is ignored")
			l.broken = true
		case !fits && w.Apply(ctx, f.Patch, "--check") != nil || w.misplaced(f):
			s.is(Diverged, "the file is not what it was before the edit")
			l.broken = true
		default:
			l.patches = append(l.patches, f)
		}
		l.steps[i] = s
	}
	return l
}

// patches returns the patches of the edits that may be made, one for each file. Those of the
// actions in skip are left out.
func (e *Entry) patches(w Worktree, skip []int, left map[event.Path]bool) (out []filePatch) {
	for i, a := range e.Actions {
		if !a.changes() || e.note(a) != "" || slices.Contains(skip, i) || left[a.Paths[0]] || w.ignored(a.Paths[0]) {
			continue
		}
		if f := (filePatch{Path: a.Paths[0], Patch: e.patch(a.Paths[0])}); !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
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

// diff returns the patches for people, with lines cut to maxLine.
func (l *plan) diff() string {
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

// apply makes all edits or none. It first stores an undo record and returns the record's id.
func (c *Cache) apply(ctx context.Context, p *replay, l *plan, e Entry) (string, error) {
	if len(l.patches) == 0 {
		return "", nil
	}
	u, err := c.newUndo(ctx, e, l.patches)
	if err != nil {
		return "", fmt.Errorf("write the undo record: %w", err)
	}
	if err := p.w.Apply(ctx, whole(l.patches)); err != nil {
		return "", fmt.Errorf("edit the files: %w; nothing was changed", c.dropUndo(ctx, u.ID, err))
	}
	for i, f := range u.Patches {
		u.Patches[i].After = hash(p.dir, f.Path)
	}
	return u.ID, c.keepUndo(ctx, u, e.Session)
}
