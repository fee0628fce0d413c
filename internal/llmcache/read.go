package llmcache

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// Content is an item or a part of it.
type Content struct {
	Label
	Notes json.RawMessage `json:"metadata,omitempty"` // the caller's own data
	Part
}

// Read returns an item or the part that cut selects. It counts as a use of the item and its
// session. If there is no such item, the error is an *event.Refusal with code not_found.
func (c *Cache) Read(ctx context.Context, key string, cut Cut) (Content, error) {
	_, err := parseKey(key)
	if err == nil {
		err = cut.check()
	}
	if err != nil {
		return Content{}, err
	}
	v, found, err := c.items.Get(ctx, key)
	switch {
	case err != nil:
		return Content{}, storage(err)
	case !found:
		return Content{}, missingItem(key)
	}
	label, of := read(v)
	out := Content{Label: label, Notes: of.Notes}
	if err := c.items.Use(ctx, key, nil); err != nil {
		return Content{}, storage(err)
	}
	out.Part, err = cut.apply(v.Data)
	return out, err
}

// read returns the description of an item. Fields that cannot be decoded are left empty.
func read(v cold.Blob) (Label, about) {
	var of about
	_ = codec.Decode(v.Meta, &of)
	return Label{Key: v.Key, Description: of.Description, Size: v.Size, At: v.Written.UnixMilli()}, of
}

// Filter selects labels. A zero field selects everything.
type Filter struct {
	Session string `json:"session_id,omitempty"`
	Task    string `json:"task_id,omitempty"`
	Limit   int    `json:"limit,omitempty"` // 1 to 1000; 0 means 100
}

// List returns labels, the newest first, and their number without the limit. It loads no data.
func (c *Cache) List(ctx context.Context, q Filter) (labels []Label, total int, err error) {
	if q.Limit = cmp.Or(q.Limit, 100); q.Limit < 0 || q.Limit > 1000 {
		return nil, 0, event.BadRequest("use 1 to 1000", "limit %d is out of range", q.Limit)
	}
	labels = []Label{}
	which := cold.Selection{Session: q.Session, Part: q.Task, Limit: q.Limit}
	items, err := c.items.List(ctx, which)
	for _, v := range items {
		label, _ := read(v)
		labels = append(labels, label)
	}
	if err == nil {
		total, _, err = c.items.Count(ctx, which)
	}
	return labels, total, storage(err)
}

// Sessions returns the IDs of the sessions that have items, in order.
func (c *Cache) Sessions(ctx context.Context) (ids []string, err error) {
	items, err := c.items.List(ctx, cold.Selection{})
	for _, v := range items {
		ids = append(ids, v.Session)
	}
	slices.Sort(ids)
	return slices.Compact(ids), storage(err)
}
