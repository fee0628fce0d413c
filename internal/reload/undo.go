package reload

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// maxUndos is the number of undo records that are kept. There are few, because they have contents
// of files.
const maxUndos = 5

// undo records what a replay has changed.
type undo struct {
	ID      string      `json:"id"`
	Patches []filePatch `json:"patches"`
	Done    bool        `json:"done,omitempty"` // the files were restored
}

// undos returns the owner of the undo records. Forgetting a file also forgets the records that name
// it.
func undos(blobs *cold.Blobs) *cold.Owner {
	return blobs.Owner("undo records", cold.Rule{Count: maxUndos, Names: func(v cold.Blob, path string) bool {
		var u undo
		return codec.Decode(v.Meta, &u) != nil || slices.ContainsFunc(u.Patches, func(f filePatch) bool {
			return string(f.Path) == path || strings.HasPrefix(string(f.Path), path+"/")
		})
	}})
}

// ErrChanged means that files have changed since a replay.
var ErrChanged = errors.New("changed since the replay")

// Undo undoes what a replay has changed: the replay with this undo record, or the newest one that
// was not undone. It restores all files or none: if one of them has changed since, all stay. A file
// that already has its former content is left alone.
func (c *Cache) Undo(ctx context.Context, w Worktree, id string) (record string, files []event.Path, err error) {
	c.applying.Lock()
	defer c.applying.Unlock()
	u, err := c.findUndo(ctx, id)
	if err != nil {
		return "", nil, err
	}
	dir, err := os.OpenRoot(string(w.Root))
	if err != nil {
		return u.ID, nil, fmt.Errorf("open the worktree: %w", err)
	}
	defer dir.Close()
	var left []filePatch
	for _, f := range u.Patches {
		files = append(files, f.Path)
		switch {
		case (f.After == "" || f.After == hash(dir, f.Path)) && w.Apply(ctx, f.Patch, "-R", "--check") == nil:
			left = append(left, f)
		case w.Apply(ctx, f.Patch, "--check") != nil:
			return u.ID, nil, fmt.Errorf("undo %s: %s: %w", u.ID, f.Path.Display(), ErrChanged)
		}
	}
	if len(left) > 0 {
		if err := w.Apply(ctx, whole(left), "-R"); err != nil {
			return u.ID, nil, fmt.Errorf("undo %s: %w", u.ID, err)
		}
	}
	u.Done = true
	return u.ID, files, c.keepUndo(ctx, u, "")
}

func (c *Cache) newUndo(ctx context.Context, e Entry, patches []filePatch) (undo, error) {
	u := undo{ID: "undo-" + strings.ToLower(rand.Text()[:10]), Patches: slices.Clone(patches)}
	return u, c.keepUndo(ctx, u, e.Session)
}

// keepUndo writes a record.
func (c *Cache) keepUndo(ctx context.Context, u undo, session string) error {
	raw, err := codec.Encode(u)
	if err != nil {
		return err
	}
	_, err = c.undos.Put(ctx, cold.Blob{Key: u.ID, Session: session, Size: int64(len(raw)), Meta: raw})
	return err
}

// dropUndo deletes the undo record of a replay that failed, and returns why it failed.
func (c *Cache) dropUndo(ctx context.Context, id string, why error) error {
	_, _, err := c.undos.Drop(ctx, cold.Selection{Key: id})
	return errors.Join(why, err)
}

// findUndo returns the record with this id, or the newest one that was not undone. If there is none
// the error is ErrNoUndo.
func (c *Cache) findUndo(ctx context.Context, id string) (undo, error) {
	found, err := c.undos.List(ctx, cold.Selection{})
	if err != nil {
		return undo{}, fmt.Errorf("read the undo records: %w", err)
	}
	for _, v := range found { // the newest first
		var u undo
		if codec.Decode(v.Meta, &u) != nil || id != "" && u.ID != id || id == "" && u.Done {
			continue
		}
		if u.Done {
			return u, fmt.Errorf("%w: %s was undone already", ErrNoUndo, id)
		}
		return u, nil
	}
	if id == "" {
		return undo{}, fmt.Errorf("%w: no replay has changed files that can be restored", ErrNoUndo)
	}
	return undo{}, fmt.Errorf("%w: there is no record %q", ErrNoUndo, id)
}
