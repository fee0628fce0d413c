package llmcache

import (
	"context"
	"fmt"
	"strings"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Write sets up to 100 items of a session aside in one transaction, all or none, and returns their labels in order.
// The quota is checked inside it, so writers at the same time cannot pass it together; an item that replaces another
// counts the difference. The error is an *Error of code quota, too_large, exists or storage_unavailable.
func (c *Cache) Write(ctx context.Context, session string, items []Item) ([]Label, error) {
	if len(items) == 0 || len(items) > MaxBatch {
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
	err := c.use(ctx, func(f *cold.File) error {
		return f.Write(ctx, "set items aside", func(w cold.Writing) error { return c.put(w, session, now.UnixMilli(), all) })
	})
	labels := make([]Label, len(items))
	for i, p := range all {
		labels[i] = p.Label
	}
	return labels, err
}

// known finds the item that the same call has set aside before, and gives it that one's label.
func (p *prepared) known(w cold.Writing) (bool, error) {
	if p.call == nil {
		return false, nil
	}
	return w.Scan("item_of_call", []any{p.call}, &p.Label.Key, &p.Label.Size, &p.Label.At)
}

// put writes prepared items of one session.
func (c *Cache) put(w cold.Writing, session string, now int64, all []prepared) error {
	var used, asked int64
	if _, err := w.Scan("enter_session", []any{session, now}, &used); err != nil {
		return err
	}
	fresh := 0
	for i := range all {
		p := &all[i]
		if again, err := p.known(w); err != nil {
			return err
		} else if again {
			continue
		}
		var id, before int64
		found, err := w.Scan("find_item", []any{p.Label.Key}, &id, &before)
		switch {
		case err != nil:
			return err
		case found && !p.overwrite:
			return refuse(CodeExists, "write with overwrite, or under another task or turn", "%s is set aside already (%s bytes)", p.Label.Key, digits(before))
		case !found:
			fresh++
		}
		asked += p.Size - before
		if err := c.putItem(w, *p, id, now); err != nil {
			return err
		}
	}
	if used+asked > c.o.Quota && asked > 0 {
		return c.overQuota(w, session, used, asked, all)
	}
	_, err := w.Exec("account", session, asked, fresh)
	return err
}

// putItem writes one item; id is 0 where it is new.
func (c *Cache) putItem(w cold.Writing, p prepared, id, now int64) error {
	description := c.o.Seal.Seal(descriptionOf(p.Label.Key), []byte(p.Description))
	var err error
	if id == 0 {
		_, err = w.Scan("insert_item", []any{p.Label.Key, p.Session, p.Task, description, p.Size, now, p.call}, &id)
	} else {
		_, err = w.Exec("update_item", id, description, p.Size, now, p.call)
	}
	if err != nil {
		return err
	}
	_, err = w.Exec("put_content", id, p.json, c.o.Seal.Seal(notesOf(p.Label.Key), p.notes), p.packed)
	return err
}

// overQuota says what is used, asked and allowed, and which items would make the room: the ones used longest ago.
func (c *Cache) overQuota(w cold.Writing, session string, used, asked int64, all []prepared) error {
	mine := map[string]bool{}
	for _, p := range all {
		mine[p.Label.Key] = true
	}
	free, over := int64(0), used+asked-c.o.Quota
	var names []string
	err := w.Each("least_used", []any{session}, func(rows cold.Row) error {
		var key string
		var size, accessed int64
		if err := rows.Scan(&key, &size, &accessed); err != nil {
			return err
		}
		if free < over && !mine[key] {
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
		hint = fmt.Sprintf("delete what is not needed; used longest ago: %s%s (%s bytes)", strings.Join(names, " "), more, digits(free))
	}
	return refuse(CodeQuota, hint, "quota of session %.60s: %s bytes used, %s asked, %s allowed", session, digits(used), digits(asked), digits(c.o.Quota))
}

// Delete takes items out and returns how many there were and their bytes. Keys that nothing has are not found.
func (c *Cache) Delete(ctx context.Context, keys []string) (n int, bytes int64, err error) {
	if len(keys) == 0 || len(keys) > MaxBatch {
		return 0, 0, bad("delete 1 to 100 items at a time", "%d keys", len(keys))
	}
	for _, k := range keys {
		if _, err := ParseKey(k); err != nil {
			return 0, 0, err
		}
	}
	missing := func() error { return missingItem(keys[0]) }
	if !c.file.Exists() {
		return 0, 0, missing()
	}
	err = c.use(ctx, func(f *cold.File) error {
		err := f.Write(ctx, "delete items", func(w cold.Writing) error {
			n, bytes = 0, 0
			for _, key := range keys {
				var session string
				var size int64
				found, err := w.Scan("delete_item", []any{key}, &session, &size)
				if err != nil {
					return err
				}
				if !found {
					return missingItem(key)
				}
				n, bytes = n+1, bytes+size
				if _, err := w.Exec("account", session, -size, -1); err != nil {
					return err
				}
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

// giveBack is the bytes from which deleting returns space to the disk at once.
const giveBack = 1 << 20

func missingItem(key string) error {
	return refuse(CodeMissing, "aoa cache list names what is there; items go 24 h after their session", "nothing is set aside as %.200s", key)
}
