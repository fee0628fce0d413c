package llmcache

import (
	"context"
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/cold"
)

// Write stores an item of a session and returns its label. The quota is checked in the same
// transaction, so concurrent writers cannot exceed it together. If the item replaces another one,
// only the difference in size counts. The error is an *Error with code quota, too_large, exists or
// storage_unavailable.
func (c *Cache) Write(ctx context.Context, session string, it Item) (Label, error) {
	p, err := c.prepare(session, it, c.o.Now())
	if err != nil {
		return Label{}, err
	}
	_, err = c.items.Write(ctx, "set an item aside", p.put)
	var full *cold.QuotaError
	if errors.As(err, &full) {
		return Label{}, c.overQuota(ctx, full)
	}
	return p.Label, storage(err)
}

// put writes an item. If the same call has already written it, put returns the label of that write.
func (p *prepared) put(tx *cold.BlobTx) error {
	answer, again, err := tx.Answered(p.call)
	if err != nil {
		return err
	}
	if again {
		return codec.Decode(answer, &p.Label)
	}
	before, err := tx.Find(p.Key)
	switch {
	case err != nil:
		return err
	case before != nil && !p.overwrite:
		return refuse(CodeExists, "write with overwrite, or under another task or turn", "%s is already stored (%s bytes)",
			p.Key, humanize.Comma(before.Size))
	}
	if err := tx.Put(p.packed); err != nil {
		return err
	}
	answer, err = codec.Encode(p.Label)
	if err != nil {
		return err
	}
	return tx.Answer(p.call, answer)
}

// overQuota returns the error for an exceeded quota: how much is used, requested and allowed, and
// which items were unused for longest.
func (c *Cache) overQuota(ctx context.Context, full *cold.QuotaError) error {
	items, _, err := c.items.List(ctx, cold.Selection{Session: full.Session, LeastUsed: true, Limit: 5})
	if err != nil {
		return storage(err)
	}
	hint := "the item does not fit into an empty session: write less"
	if len(items) > 0 {
		hint = "delete what you do not need; unused for longest:"
	}
	for _, v := range items {
		hint += fmt.Sprintf(" %s (%s bytes)", v.Key, humanize.Comma(v.Size))
	}
	return refuse(CodeQuota, hint, "quota of session %.60s: %s bytes used, %s asked, %s allowed",
		full.Session, humanize.Comma(full.Used), humanize.Comma(full.Asked), humanize.Comma(full.Limit))
}

// Delete deletes an item and returns its size in bytes. It is an error if no item has the key.
func (c *Cache) Delete(ctx context.Context, key string) (bytes int64, err error) {
	if _, err := parseKey(key); err != nil {
		return 0, err
	}
	if !c.items.Exists() {
		return 0, missingItem(key)
	}
	bytes, missing, err := c.items.Drop(ctx, key)
	if err == nil && missing != "" {
		return 0, missingItem(key)
	}
	return bytes, storage(err)
}

func missingItem(key string) error {
	return refuse(CodeMissing, "aoa cache list shows the stored items; they are deleted 24 h after their session",
		"no item has the key %.200s", key)
}
