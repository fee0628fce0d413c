package reload

import (
	"bytes"
	"context"
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

// Statements.
const (
	sqlAddUndo      = "INSERT INTO undos (id, at, sequence, data, made) VALUES (?, ?, ?, ?, ?)"
	sqlLastUndo     = "SELECT id, sequence, done, data FROM undos WHERE done = 0 ORDER BY rowid DESC LIMIT 1"
	sqlUndoUnmadeBy = "SELECT id, sequence, done, data FROM undos WHERE unmade = ?1 AND ?1 <> ''"
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

// Undo restores files to what they were before a replay edited them: of the record with that id, or of the newest one that was not undone.
// It restores all of them or none: if one was changed since, all stay. A file that is what it was before is left. A repeated call means
// the record that it meant first.
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
	err = c.file.Write(ctx, "begin to undo", func(tx *cold.Tx) error {
		_, err := tx.Exec("UPDATE undos SET unmade = ?2 WHERE id = ?1", u.ID, call)
		return err
	})
	if err == nil {
		err = left.restore(dir, len(left.Files))
	}
	if err != nil {
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
		now, err := regularfile.ReadIn(dir, string(r.Path), maxEdited)
		if err == nil {
			err = replace(dir, r.Path, now, true, r.Before, r.Mode)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (c *Cache) saveUndo(ctx context.Context, u undo, call string) error {
	data, err := c.pack("undo:"+u.ID, u)
	if err != nil {
		return err
	}
	return c.file.Write(ctx, "write an undo record", func(tx *cold.Tx) error {
		if _, err := tx.Exec(sqlAddUndo, u.ID, u.At.UnixMilli(), u.Sequence, data, call); err != nil {
			return err
		}
		_, err := tx.Exec(sqlTrimUndos, maxUndos)
		return err
	})
}

func (c *Cache) closeUndo(ctx context.Context, id string) error {
	return c.file.Write(ctx, "close an undo record", func(tx *cold.Tx) error {
		_, err := tx.Exec("UPDATE undos SET done = 1 WHERE id = ?", id)
		return err
	})
}

// findUndo finds the record that a call means; done reports that this very call has undone it. The error is ErrNone if there is none, or
// another call has undone it already.
func (c *Cache) findUndo(ctx context.Context, id, call string) (u undo, done bool, err error) {
	u, known, done, err := c.readUndo(ctx, sqlUndoUnmadeBy, call)
	if known || err != nil {
		return u, done, err
	}
	if id == "" {
		u, known, done, err = c.readUndo(ctx, sqlLastUndo)
	} else {
		u, known, done, err = c.readUndo(ctx, "SELECT id, sequence, done, data FROM undos WHERE id = ?", id)
	}
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

// readUndo reads the record that a statement finds.
func (c *Cache) readUndo(ctx context.Context, statement string, args ...any) (u undo, known, done bool, err error) {
	var found, sequence string
	var raw []byte
	err = c.file.Use(ctx, func(f *cold.File) (err error) {
		if known, err = f.Scan(ctx, statement, args, &found, &sequence, &done, &raw); err != nil || !known {
			return err
		}
		if err := c.unpack("undo:"+found, raw, &u); err != nil {
			return f.BadRow(fmt.Errorf("undo record %s: %w", found, err))
		}
		return nil
	})
	if err != nil {
		return u, false, false, fmt.Errorf("read the undo record: %w", err)
	}
	return u, known, done, nil
}
