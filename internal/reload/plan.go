package reload

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// plan is what the edits of a sequence would change. Either all of their patches apply, or nothing
// is changed.
type plan struct {
	patches []File
	left    map[event.Path]bool   // files of which an edit is left out
	fails   map[event.Path]string // files whose patch cannot be applied, with the reason
	broken  bool                  // a patch does not apply, or an edit is not known
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
			l.patches = append(l.patches, f)
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

func whole(patches []File) string {
	var b strings.Builder
	for _, f := range patches {
		b.WriteString(f.Patch)
	}
	return b.String()
}

// maxUndos is the number of undo records that are kept. It is low, because they contain contents of
// files.
const maxUndos = 5

// undo records what a replay has changed.
type undo struct {
	ID      string `json:"id"`
	Patches []File `json:"patches"`
}

// undos returns the owner of the undo records. Forgetting a file also forgets the records that name
// it.
func undos(blobs *cold.Blobs) *cold.Owner {
	return blobs.Owner("undo records", cold.Rule{Count: maxUndos, Names: func(v cold.Blob, path string) bool {
		var u undo
		return codec.Decode(v.Meta, &u) != nil ||
			slices.ContainsFunc(u.Patches, func(f File) bool { return f.Path.Within(event.Path(path)) })
	}})
}

// ErrChanged means that files have changed since a replay.
var ErrChanged = errors.New("changed since the replay")

// apply makes all edits of a plan or none. It first stores an undo record and returns the record's
// id.
func (c *Cache) apply(ctx context.Context, w Worktree, l *plan, session string) (id string, err error) {
	if len(l.patches) == 0 {
		return "", nil
	}
	u := undo{"undo-" + strings.ToLower(rand.Text()[:10]), l.patches}
	raw, err := codec.Encode(u)
	if err == nil {
		_, err = c.undos.Put(ctx, cold.Blob{Key: u.ID, Session: session, Size: int64(len(raw)), Meta: raw})
	}
	if err != nil {
		return "", fmt.Errorf("write the undo record: %w", err)
	}
	if err := w.Apply(ctx, whole(l.patches)); err != nil {
		return "", fmt.Errorf("edit the files: %w; nothing was changed", errors.Join(err, c.dropUndo(ctx, u.ID)))
	}
	return u.ID, nil
}

// Undo undoes what a replay has changed. id is the id of its undo record; if it is "", the newest
// replay that was not undone is undone. Undo restores all files or none: if someone has since
// changed what the replay wrote in one of them, it changes nothing. A file that already has its
// former content is left alone.
func (c *Cache) Undo(ctx context.Context, w Worktree, id string) (record string, files []event.Path, err error) {
	c.applying.Lock()
	defer c.applying.Unlock()
	u, err := c.findUndo(ctx, id)
	if err != nil {
		return "", nil, err
	}
	var left []File
	for _, f := range u.Patches {
		files = append(files, f.Path)
		switch undoes := w.Apply(ctx, f.Patch, "-R", "--check") == nil; {
		case undoes && !w.misplaced(f, '+'):
			left = append(left, f)
		case undoes || w.Apply(ctx, f.Patch, "--check") != nil:
			return u.ID, nil, fmt.Errorf("undo %s: %s: %w", u.ID, f.Path.Display(), ErrChanged)
		}
	}
	if len(left) > 0 {
		if err := w.Apply(ctx, whole(left), "-R"); err != nil {
			return u.ID, nil, fmt.Errorf("undo %s: %w", u.ID, err)
		}
	}
	return u.ID, files, c.dropUndo(ctx, u.ID)
}

func (c *Cache) dropUndo(ctx context.Context, id string) error {
	_, _, err := c.undos.Drop(ctx, cold.Selection{Key: id})
	return err
}

// findUndo returns the record with this id, or the newest one. If none exists the error is
// ErrNoUndo.
func (c *Cache) findUndo(ctx context.Context, id string) (u undo, err error) {
	found, err := c.undos.List(ctx, cold.Selection{Key: id, Limit: 1})
	switch {
	case err != nil:
		return u, fmt.Errorf("read the undo records: %w", err)
	case len(found) > 0 && codec.Decode(found[0].Meta, &u) == nil:
		return u, nil
	case id == "":
		return u, fmt.Errorf("%w: no replay has changed files that can be restored", ErrNoUndo)
	}
	return u, fmt.Errorf("%w: there is no record %q", ErrNoUndo, id)
}
