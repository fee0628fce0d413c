package llmcache

import (
	"bytes"
	"context"
	"database/sql"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Statements.
const (
	sqlContents = "SELECT i.key, i.session, i.written, i.description, c.notes, c.data FROM items i JOIN contents c ON c.item = i.id"
)

// Forget deletes the items of a session, those written since a time, or those that hold a path in their data, description
// or metadata.
func (c *Cache) Forget(ctx context.Context, e cold.ForgetFilter) error {
	return c.useExisting(ctx, func(f *cold.File) error {
		keys, err := c.meant(ctx, f, e)
		if err != nil {
			return err
		}
		return f.Write(ctx, "forget items", func(tx *cold.Tx) error {
			for _, key := range keys {
				if _, _, err := deleteItem(tx, key); err != nil {
					return err
				}
			}
			if e.Session == "" {
				return nil
			}
			_, err := tx.Exec(sqlDeleteSession, e.Session)
			return err
		})
	})
}

// meant are the keys of the items that are to be forgotten.
func (c *Cache) meant(ctx context.Context, f *cold.File, e cold.ForgetFilter) (keys []string, err error) {
	err = f.Each(ctx, sqlContents, nil, func(rows cold.Row) error {
		var key, session string
		var written int64
		var description, notes, packed sql.RawBytes
		if err := rows.Scan(&key, &session, &written, &description, &notes, &packed); err != nil {
			return err
		}
		is := e.Session != "" && session == e.Session || !e.Since.IsZero() && written >= e.Since.UnixMilli()
		if e.Path != "" && !is {
			data, err := c.unpack(key, bytes.Clone(packed))
			text := []byte(e.Path)
			// What cannot be read may hold it: better forgotten than kept.
			is = err != nil || bytes.Contains(data, text) || bytes.Contains([]byte(c.text(f, descriptionOf(key), description)), text) ||
				bytes.Contains([]byte(c.text(f, notesOf(key), notes)), text)
		}
		if is {
			keys = append(keys, key)
		}
		return nil
	})
	return keys, err
}
