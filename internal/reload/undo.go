package reload

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// maxUndos is how many undo records are kept: they hold contents of files.
const maxUndos = 5

// undo is what files were before a replay edited them.
type undo struct {
	ID       string     `json:"id"`
	Sequence string     `json:"sequence"`
	At       time.Time  `json:"at"`
	Files    []restored `json:"files"`
}

type restored struct {
	Path    event.Path  `json:"path"`
	Before  []byte      `json:"before"`
	Existed bool        `json:"existed"`
	Mode    fs.FileMode `json:"mode"`
	After   string      `json:"after"` // hash of what the replay wrote
}

// ErrChanged is wrapped when files have changed since a replay.
var ErrChanged = errors.New("changed since the replay")

// Undo restores files to what they were before a replay edited them: of the record with that id, or of the newest one
// that was not undone. It restores all of them or none: if one was changed since, all stay. A file that is what it
// was before is left. A repeated call means the record that it meant first.
func (c *Cache) Undo(ctx context.Context, w Worktree, id, call string) (record string, files []event.Path, err error) {
	c.applying.Lock()
	defer c.applying.Unlock()
	u, done, err := c.findUndo(ctx, id, call)
	if err != nil {
		return "", nil, err
	}
	for _, r := range u.Files {
		files = append(files, r.Path)
	}
	if done {
		return u.ID, files, nil
	}
	dir, err := os.OpenRoot(string(w.Root))
	if err != nil {
		return u.ID, nil, fmt.Errorf("open the worktree: %w", err)
	}
	defer dir.Close()
	left := u
	left.Files = nil
	for _, r := range u.Files {
		raw, err := regularfile.ReadIn(dir, string(r.Path), maxEdited)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !r.Existed, err == nil && r.Existed && bytes.Equal(raw, r.Before):
			continue
		case errors.Is(err, fs.ErrNotExist):
			return u.ID, nil, fmt.Errorf("undo %s: %s is gone: %w", u.ID, r.Path.Display(), ErrChanged)
		case err != nil:
			return u.ID, nil, fmt.Errorf("undo %s: %s: %s", u.ID, r.Path.Display(), plain(err))
		case index.BlobID(raw) != r.After:
			return u.ID, nil, fmt.Errorf("undo %s: %s: %w", u.ID, r.Path.Display(), ErrChanged)
		}
		left.Files = append(left.Files, r)
	}
	err = c.o.DB.MarkUndo(ctx, u.ID, call, false)
	if err == nil {
		err = left.restore(dir, len(left.Files))
	}
	if err != nil {
		return u.ID, nil, fmt.Errorf("undo %s: %w", u.ID, err)
	}
	return u.ID, files, c.o.DB.MarkUndo(ctx, u.ID, call, true)
}

// restore puts the first n files back.
func (u undo) restore(dir *os.Root, n int) error {
	var errs []error
	for _, r := range u.Files[:n] {
		if !r.Existed {
			errs = append(errs, dir.Remove(string(r.Path)))
			continue
		}
		now, err := regularfile.ReadIn(dir, string(r.Path), maxEdited)
		if err == nil {
			err = replace(dir, r.Path, now, true, r.Before, r.Mode)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (c *Cache) saveUndo(ctx context.Context, u undo, call string) error {
	data, err := json.Marshal(u)
	if err != nil {
		return err
	}
	return c.o.DB.AddUndo(ctx, cold.Undo{ID: u.ID, At: u.At, Made: call, Data: data}, maxUndos)
}

// findUndo finds the record that a call means; done reports that this very call has undone it. The error is ErrNone
// if there is none, or another call has undone it already.
func (c *Cache) findUndo(ctx context.Context, id, call string) (u undo, done bool, err error) {
	if call != "" {
		u, known, done, err := c.readUndo(ctx, cold.UndoFilter{Unmade: call})
		if known || err != nil {
			return u, done, err
		}
	}
	u, known, done, err := c.readUndo(ctx, cold.UndoFilter{ID: id})
	switch {
	case err != nil:
		return u, false, err
	case !known && id == "":
		return u, false, fmt.Errorf("%w has changed files that could be put back", ErrNone)
	case !known:
		return u, false, fmt.Errorf("%w: no undo record %q", ErrNone, id)
	case done:
		return u, false, fmt.Errorf("%w: %s was undone already", ErrNone, u.ID)
	}
	return u, false, nil
}

func (c *Cache) readUndo(ctx context.Context, f cold.UndoFilter) (u undo, known, done bool, err error) {
	found, known, err := c.o.DB.FindUndo(ctx, f)
	if err == nil && known {
		err = json.Unmarshal(found.Data, &u)
	}
	if err != nil {
		return u, false, false, fmt.Errorf("read the undo record: %w", err)
	}
	return u, known, found.Done, nil
}
