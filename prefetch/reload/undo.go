package reload

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/aoa-dev/aoa/internal/aoa"
	"github.com/aoa-dev/aoa/internal/cold"
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
	Path    aoa.Path    `json:"path"`
	Before  []byte      `json:"before"`
	Existed bool        `json:"existed"`
	Mode    fs.FileMode `json:"mode"`
	After   string      `json:"after"` // hash of what the replay wrote
}

// ErrChanged is wrapped when files are no more what a replay has made of them.
var ErrChanged = errors.New("changed since the replay")

// Undo puts files back to what they were before a replay edited them: of the record with that id, or of the newest one
// that was not undone. All of them, or none: a file that was changed since is not touched, and neither are the others.
func (c *Cache) Undo(ctx context.Context, w Worktree, id string) (record string, files []aoa.Path, err error) {
	u, err := c.findUndo(ctx, id)
	if err != nil {
		return "", nil, err
	}
	c.applying.Lock()
	defer c.applying.Unlock()
	dir, err := os.OpenRoot(string(w.Root))
	if err != nil {
		return u.ID, nil, fmt.Errorf("open the worktree: %w", err)
	}
	defer dir.Close()
	for _, r := range u.Files {
		raw, err := readFile(dir, r.Path, maxEdited)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return u.ID, nil, fmt.Errorf("undo %s: %s is gone: %w", u.ID, r.Path.Display(), ErrChanged)
		case err != nil:
			return u.ID, nil, fmt.Errorf("undo %s: %s: %s", u.ID, r.Path.Display(), plain(err))
		case hashOf(raw) != r.After:
			return u.ID, nil, fmt.Errorf("undo %s: %s: %w", u.ID, r.Path.Display(), ErrChanged)
		}
		files = append(files, r.Path)
	}
	if err := u.restore(dir, len(u.Files)); err != nil {
		return u.ID, nil, fmt.Errorf("undo %s: %w", u.ID, err)
	}
	return u.ID, files, c.closeUndo(ctx, u.ID)
}

// restore puts the first n files back.
func (u undo) restore(dir *os.Root, n int) error {
	var errs []error
	for _, r := range u.Files[:n] {
		if !r.Existed {
			errs = append(errs, dir.Remove(string(r.Path)))
			continue
		}
		now, err := readFile(dir, r.Path, maxEdited)
		if err == nil {
			err = replace(dir, r.Path, now, true, r.Before, r.Mode)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (c *Cache) saveUndo(ctx context.Context, u undo) error {
	data, err := c.pack("undo:"+u.ID, u)
	if err != nil {
		return err
	}
	return c.save(ctx, "write an undo record", func(w cold.Writing) error {
		if _, err := w.Exec("add_undo", u.ID, u.At.UnixMilli(), u.Sequence, data); err != nil {
			return err
		}
		_, err := w.Exec("trim_undos", maxUndos)
		return err
	})
}

func (c *Cache) closeUndo(ctx context.Context, id string) error {
	return c.save(ctx, "close an undo record", func(w cold.Writing) error {
		_, err := w.Exec("undone", id)
		return err
	})
}

// findUndo reads a record; ErrNone if there is none, or it was undone already.
func (c *Cache) findUndo(ctx context.Context, id string) (u undo, err error) {
	name, args := "undo", []any{id}
	if id == "" {
		name, args = "last_undo", nil
	}
	var found, sequence string
	var done int
	var raw []byte
	known := false
	err = c.file.Use(ctx, func(f *cold.File) (err error) {
		if known, err = f.Scan(ctx, name, args, &found, &sequence, &done, &raw); err != nil || !known || done != 0 {
			return err
		}
		if err := c.unpack("undo:"+found, raw, &u); err != nil {
			return f.BadRow(fmt.Errorf("undo record %s: %w", found, err))
		}
		return nil
	})
	switch {
	case err != nil:
		return u, fmt.Errorf("read the undo record: %w", err)
	case !known && id == "":
		return u, fmt.Errorf("%w has changed files that could be put back", ErrNone)
	case !known:
		return u, fmt.Errorf("%w: no undo record %q", ErrNone, id)
	case done != 0:
		return u, fmt.Errorf("%w: %s was undone already", ErrNone, found)
	}
	return u, nil
}
