package llmcache

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Write stores up to 100 items of a session in one transaction, all or none, and returns their labels in order. The
// quota is checked inside it, so concurrent writers cannot exceed it together. An item that replaces another counts
// the difference. The error is an *Error of code quota, too_large, exists or storage_unavailable.
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
	_, err := c.items.Write(ctx, "set items aside", func(tx *cold.BlobTx) error {
		for i := range all {
			if err := all[i].put(tx); err != nil {
				return err
			}
		}
		return nil
	})
	var full *cold.QuotaError
	if errors.As(err, &full) {
		return nil, c.overQuota(ctx, full)
	}
	labels := make([]Label, len(items))
	for i, p := range all {
		labels[i] = p.Label
	}
	return labels, storage(err)
}

// put writes an item, unless the same call has written it before: then it takes the label of that.
func (p *prepared) put(tx *cold.BlobTx) error {
	answer, again, err := tx.Answered(p.call)
	if err != nil {
		return err
	}
	if again {
		return json.Unmarshal(answer, &p.Label)
	}
	before, err := tx.Find(p.Key)
	switch {
	case err != nil:
		return err
	case before != nil && !p.overwrite:
		return refuse(CodeExists, "write with overwrite, or under another task or turn", "%s is set aside already (%s bytes)",
			p.Key, humanize.Comma(before.Size))
	}
	if err := tx.Put(p.packed); err != nil {
		return err
	}
	answer, err = json.Marshal(p.Label)
	if err != nil {
		return err
	}
	return tx.Answer(p.call, answer)
}

// overQuota is the refusal: what is used, asked and allowed, and which items were used longest ago.
func (c *Cache) overQuota(ctx context.Context, full *cold.QuotaError) error {
	items, _, err := c.items.List(ctx, cold.Selection{Session: full.Session, LeastUsed: true, Limit: 5})
	if err != nil {
		return storage(err)
	}
	hint := "the items asked for do not fit into an empty session: write less"
	if len(items) > 0 {
		hint = "delete what is not needed; used longest ago:"
	}
	for _, v := range items {
		hint += fmt.Sprintf(" %s (%s bytes)", v.Key, humanize.Comma(v.Size))
	}
	return refuse(CodeQuota, hint, "quota of session %.60s: %s bytes used, %s asked, %s allowed",
		full.Session, humanize.Comma(full.Used), humanize.Comma(full.Asked), humanize.Comma(full.Limit))
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
	if !c.items.Exists() {
		return 0, 0, missingItem(keys[0])
	}
	bytes, missing, err := c.items.Drop(ctx, keys...)
	switch {
	case err != nil:
		return 0, 0, storage(err)
	case missing != "":
		return 0, 0, missingItem(missing)
	}
	return len(keys), bytes, nil
}

func missingItem(key string) error {
	return refuse(CodeMissing, "aoa cache list names what is there; items go 24 h after their session",
		"nothing is set aside as %.200s", key)
}
