package llmcache

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// Write stores an item of a session and returns its label. The quota is checked in the same
// transaction, so concurrent writers cannot exceed it together. If the item replaces another one,
// only the difference in size counts. An item that is stored already, with the same content, stays
// as it is. The error is an *event.Refusal with code quota, too_large, exists or storage_unavailable.
func (c *Cache) Write(ctx context.Context, session string, it Item) (Label, error) {
	label, v, err := c.prepare(session, it, c.o.Now())
	if err != nil {
		return Label{}, err
	}
	if it.Overwrite {
		_, err = c.items.Put(ctx, v)
	} else {
		err = c.items.Add(ctx, v)
	}
	var full *cold.QuotaError
	switch {
	case errors.As(err, &full):
		return Label{}, c.overQuota(ctx, full)
	case errors.Is(err, cold.ErrExists):
		return c.stored(ctx, v)
	}
	return label, storage(err)
}

// stored returns the label of an item that was stored before, if its content is that of v.
func (c *Cache) stored(ctx context.Context, v cold.Blob) (Label, error) {
	before, _, err := c.items.Get(ctx, v.Key)
	if err == nil && bytes.Equal(before.Data, v.Data) && bytes.Equal(before.Meta, v.Meta) {
		label, _ := read(before)
		return label, nil
	}
	return Label{}, event.Refuse(event.CodeExists, "write with overwrite, or under another task or turn",
		"%s is already stored (%s bytes)", v.Key, humanize.Comma(before.Size))
}

// overQuota returns the error for an exceeded quota: how much is used, requested and allowed, and
// which items were unused for longest.
func (c *Cache) overQuota(ctx context.Context, full *cold.QuotaError) error {
	items, err := c.items.List(ctx, cold.Selection{Session: full.Session, LeastUsed: true, Limit: 5})
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
	return event.Refuse(event.CodeQuota, hint, "quota of session %.60s: %s bytes used, %s asked, %s allowed",
		full.Session, humanize.Comma(full.Used), humanize.Comma(full.Asked), humanize.Comma(full.Limit))
}

// Delete deletes an item and returns its size in bytes. It is an error if no item has the key.
func (c *Cache) Delete(ctx context.Context, key string) (size int64, err error) {
	if _, err := parseKey(key); err != nil {
		return 0, err
	}
	n, size, err := c.items.Drop(ctx, cold.Selection{Key: key})
	if err == nil && n == 0 {
		return 0, missingItem(key)
	}
	return size, storage(err)
}

func missingItem(key string) error {
	return event.Refuse(event.CodeMissing, "aoa cache list shows the stored items; they are deleted 24 h after their session",
		"no item has the key %.200s", key)
}
