package llmcache

import (
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Statements.
const (
	sqlEnterSession = `INSERT INTO sessions (id, created, accessed, items, used) VALUES (?1, ?2, ?2, 0, 0)
ON CONFLICT (id) DO UPDATE SET accessed = max(accessed, ?2) RETURNING used`
	sqlItemOfCall = "SELECT key, size, written FROM items WHERE call = ?"
	sqlInsertItem = `INSERT INTO items (key, session, task, description, size, created, written, accessed, call)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?6, ?7) RETURNING id`
	sqlUpdateItem = "UPDATE items SET description = ?2, size = ?3, written = ?4, accessed = ?4, call = ?5 WHERE id = ?1"
	sqlPutContent = `INSERT INTO contents (item, json, notes, data) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (item) DO UPDATE SET json = ?2, notes = ?3, data = ?4`
	sqlAccount    = "UPDATE sessions SET used = used + ?2, items = items + ?3 WHERE id = ?1"
	sqlLeastUsed  = "SELECT key, size, accessed FROM items WHERE session = ? ORDER BY accessed, id"
	sqlDeleteItem = "DELETE FROM items WHERE key = ? RETURNING session, size"
)

// Write stores up to 100 items of a session in one transaction, all or none, and returns their labels in order. The quota is checked inside
// it, so concurrent writers cannot exceed it together. An item that replaces another counts the difference. The error is an *Error of
// code quota, too_large, exists or storage_unavailable.
func (c *Cache) Write(ctx context.Context, session string, items []Item) ([]Label, error) {
	if len(items) == 0 || len(items) > maxBatch {
		return nil, bad("write 1 to 100 items at a time", "%d items", len(items))
	}
	now := c.o.Now()
	all := make([]prepared, len(items))
	for i, it := range items {
		var err error
		if all[i], err = c.prepare(session, it, now); err != nil {
			return nil, err
		}
	}
	err := storage(c.file.Write(ctx, "set items aside", func(tx *cold.Tx) error { return c.put(tx, session, now.UnixMilli(), all) }))
	labels := make([]Label, len(items))
	for i, p := range all {
		labels[i] = p.Label
	}
	return labels, err
}

// known finds the item that the same call has stored before, and takes its label.
func (p *prepared) known(tx *cold.Tx) (bool, error) {
	if p.call == nil {
		return false, nil
	}
	return tx.Scan(sqlItemOfCall, []any{p.call}, &p.Label.Key, &p.Label.Size, &p.Label.At)
}

// put writes prepared items of one session.
func (c *Cache) put(tx *cold.Tx, session string, now int64, all []prepared) error {
	var used, asked int64
	if _, err := tx.Scan(sqlEnterSession, []any{session, now}, &used); err != nil {
		return err
	}
	fresh := 0
	for i := range all {
		p := &all[i]
		if again, err := p.known(tx); err != nil {
			return err
		} else if again {
			continue
		}
		var id, before int64
		found, err := tx.Scan("SELECT id, size FROM items WHERE key = ?", []any{p.Label.Key}, &id, &before)
		switch {
		case err != nil:
			return err
		case found && !p.overwrite:
			return refuse(CodeExists, "write with overwrite, or under another task or turn", "%s is set aside already (%s bytes)",
				p.Label.Key, humanize.Comma(before))
		case !found:
			fresh++
		}
		asked += p.Size - before
		if err := c.putItem(tx, *p, id, now); err != nil {
			return err
		}
	}
	if used+asked > c.o.Quota && asked > 0 {
		return c.overQuota(tx, session, used, asked, all)
	}
	_, err := tx.Exec(sqlAccount, session, asked, fresh)
	return err
}

// putItem writes one item; id is 0 where it is new.
func (c *Cache) putItem(tx *cold.Tx, p prepared, id, now int64) error {
	description := c.o.Seal.Seal(descriptionOf(p.Label.Key), []byte(p.Description))
	var err error
	if id == 0 {
		_, err = tx.Scan(sqlInsertItem, []any{p.Label.Key, p.Session, p.Task, description, p.Size, now, p.call}, &id)
	} else {
		_, err = tx.Exec(sqlUpdateItem, id, description, p.Size, now, p.call)
	}
	if err != nil {
		return err
	}
	_, err = tx.Exec(sqlPutContent, id, p.json, c.o.Seal.Seal(notesOf(p.Label.Key), p.notes), p.packed)
	return err
}

// overQuota is the refusal: what is used, asked and allowed, and which items to delete, those used longest ago.
func (c *Cache) overQuota(tx *cold.Tx, session string, used, asked int64, all []prepared) error {
	own := map[string]bool{}
	for _, p := range all {
		own[p.Label.Key] = true
	}
	free, over := int64(0), used+asked-c.o.Quota
	var names []string
	err := tx.Each(sqlLeastUsed, []any{session}, func(rows cold.Row) error {
		var key string
		var size, accessed int64
		if err := rows.Scan(&key, &size, &accessed); err != nil {
			return err
		}
		if free < over && !own[key] {
			free += size
			names = append(names, key)
		}
		return nil
	})
	if err != nil {
		return err
	}
	hint := "the items asked for do not fit into an empty session: write less"
	if free >= over {
		more := ""
		if len(names) > 5 {
			more = fmt.Sprintf(" and %d more", len(names)-5)
			names = names[:5]
		}
		hint = fmt.Sprintf("delete what is not needed; used longest ago: %s%s (%s bytes)", strings.Join(names, " "), more,
			humanize.Comma(free))
	}
	return refuse(CodeQuota, hint, "quota of session %.60s: %s bytes used, %s asked, %s allowed",
		session, humanize.Comma(used), humanize.Comma(asked), humanize.Comma(c.o.Quota))
}

// Delete takes items out and returns how many there were and their bytes. Keys that nothing has are not found.
func (c *Cache) Delete(ctx context.Context, keys []string) (n int, bytes int64, err error) {
	if len(keys) == 0 || len(keys) > maxBatch {
		return 0, 0, bad("delete 1 to 100 items at a time", "%d keys", len(keys))
	}
	for _, k := range keys {
		if _, err := parseKey(k); err != nil {
			return 0, 0, err
		}
	}
	if !c.file.Exists() {
		return 0, 0, missingItem(keys[0])
	}
	err = c.useExisting(ctx, func(f *cold.File) error {
		err := f.Write(ctx, "delete items", func(tx *cold.Tx) error {
			n, bytes = 0, 0
			for _, key := range keys {
				size, found, err := deleteItem(tx, key)
				if err != nil {
					return err
				}
				if !found {
					return missingItem(key)
				}
				n, bytes = n+1, bytes+size
			}
			return nil
		})
		if err != nil || bytes < giveBack {
			return err
		}
		return f.GiveBack(ctx)
	})
	if err != nil {
		return 0, 0, err
	}
	return n, bytes, nil
}

// deleteItem deletes an item and returns its size.
func deleteItem(tx *cold.Tx, key string) (size int64, found bool, err error) {
	var session string
	if found, err = tx.Scan(sqlDeleteItem, []any{key}, &session, &size); err != nil || !found {
		return 0, false, err
	}
	_, err = tx.Exec(sqlAccount, session, -size, -1)
	return size, true, err
}

// giveBack is the bytes from which deleting returns space to the disk at once.
const giveBack = 1 << 20

func missingItem(key string) error {
	return refuse(CodeMissing, "aoa cache list names what is there; items go 24 h after their session",
		"nothing is set aside as %.200s", key)
}
