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

	"github.com/aoa-dev/aoa/internal/atomicfile"
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
// was before is left.
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
	left := undo{ID: u.ID}
	for _, r := range u.Files {
		files = append(files, r.Path)
		raw, err := regularfile.ReadIn(dir, string(r.Path), maxEdited)
		missing := errors.Is(err, fs.ErrNotExist)
		switch {
		case missing && !r.Existed, err == nil && r.Existed && bytes.Equal(raw, r.Before):
			continue
		case missing || err == nil && index.BlobID(raw) != r.After:
			return u.ID, nil, fmt.Errorf("undo %s: %s: %w", u.ID, r.Path.Display(), ErrChanged)
		case err != nil:
			return u.ID, nil, fmt.Errorf("undo %s: %s: %s", u.ID, r.Path.Display(), plain(err))
		}
		left.Files = append(left.Files, r)
	}
	if err := left.restore(dir); err != nil {
		return u.ID, nil, fmt.Errorf("undo %s: %w", u.ID, err)
	}
	return u.ID, files, c.o.DB.MarkUndo(ctx, u.ID)
}

// restore puts the files back.
func (u undo) restore(dir *os.Root) error {
	var errs []error
	for _, r := range u.Files {
		if r.Existed {
			errs = append(errs, write(dir, r.Path, r.Before, r.Mode))
		} else {
			errs = append(errs, dir.Remove(string(r.Path)))
		}
	}
	return errors.Join(errs...)
}

// write writes a file, whole or not at all.
func write(dir *os.Root, path event.Path, text []byte, mode fs.FileMode) error {
	if d := path.Dir(); d != "" {
		if err := dir.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	return atomicfile.WriteBytesIn(dir, string(path), atomicfile.Options{Mode: mode, SetMode: true}, text)
}

func (c *Cache) saveUndo(ctx context.Context, u undo) error {
	data, err := json.Marshal(u)
	if err != nil {
		return err
	}
	return c.o.DB.AddUndo(ctx, cold.Undo{ID: u.ID, At: u.At, Data: data}, maxUndos)
}

// findUndo finds the record of that id, or the newest that was not undone. The error is ErrNoUndo if there is none.
func (c *Cache) findUndo(ctx context.Context, id string) (u undo, err error) {
	found, known, err := c.o.DB.FindUndo(ctx, id)
	if err == nil && known {
		err = json.Unmarshal(found.Data, &u)
	}
	switch {
	case err != nil:
		return u, fmt.Errorf("read the undo record: %w", err)
	case !known && id == "":
		return u, fmt.Errorf("%w: no replay has changed files that could be put back", ErrNoUndo)
	case !known:
		return u, fmt.Errorf("%w: there is no record %q", ErrNoUndo, id)
	case found.Done:
		return u, fmt.Errorf("%w: %s was undone already", ErrNoUndo, u.ID)
	}
	return u, nil
}
