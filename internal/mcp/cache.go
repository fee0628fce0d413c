package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aoa-dev/aoa/internal/api"
)

var cacheTool = &mcp.Tool{Name: "llm_cache",
	Meta:        found("set intermediate results aside outside of the context and read them back: many items, large data"),
	Annotations: additive("Set results aside"),
	Description: "Sets intermediate results aside (5 MB an item, 50 MB a session) and returns a label of at most 500 " +
		"bytes: key, description, size, timestamp. read takes an item back, whole or by pointer, lines or bytes; list " +
		"shows labels; delete and stats. For 20+ items or over 10 KB."}

type cacheIn struct {
	Action  string       `json:"action" jsonschema:"write, read, list, delete or stats"`
	Session string       `json:"session_id,omitempty" jsonschema:"whose items; default: the current session"`
	Items   []cachedItem `json:"items,omitempty" jsonschema:"write: 1 to 100 items, all or none"`
	cachedItem
	Key     string   `json:"key,omitempty" jsonschema:"read, delete: the key from a label"`
	Keys    []string `json:"keys,omitempty" jsonschema:"delete: several keys"`
	All     bool     `json:"all,omitempty" jsonschema:"delete: everything of the session; list: of every session"`
	Pointer string   `json:"pointer,omitempty" jsonschema:"read: JSON pointer into the item, such as /files/3"`
	Lines   string   `json:"lines,omitempty" jsonschema:"read: 20, 10-20 or 10-, from 1"`
	Offset  int64    `json:"offset,omitempty" jsonschema:"read: bytes to leave out; next_offset of the answer before"`
	Limit   int64    `json:"limit,omitempty" jsonschema:"read: bytes, default 20000; list: labels, default 100"`
	Since   string   `json:"since,omitempty" jsonschema:"list: written since this time, RFC 3339"`
	Until   string   `json:"until,omitempty" jsonschema:"list: written before this time, RFC 3339"`
}

// cachedItem is one item to be written: the call's own fields, or an element of items.
type cachedItem struct {
	Data        any    `json:"data,omitempty" jsonschema:"write: what to set aside: a text, or any JSON value"`
	Description string `json:"description,omitempty" jsonschema:"write: what it holds, at most 300 bytes"`
	Task        string `json:"task_id,omitempty" jsonschema:"write: part of the key, default random; list: of this task only"`
	Turn        string `json:"turn_id,omitempty" jsonschema:"write: part of the key, default random"`
	Metadata    any    `json:"metadata,omitempty" jsonschema:"write: JSON of your own, read back with the item"`
	Overwrite   bool   `json:"overwrite,omitempty" jsonschema:"write: replace an item of the same key"`
	Redact      bool   `json:"redact,omitempty" jsonschema:"write: take known forms of secrets out of data and metadata, too"`
}

type cacheOut struct {
	Session  string           `json:"session_id,omitempty"`
	Items    []api.CacheLabel `json:"items,omitempty" jsonschema:"labels: of what was written, in order; listed, the newest first; or of what was read"`
	Total    int64            `json:"total,omitempty" jsonschema:"list: labels without the limit; read: bytes of what was pointed at"`
	Data     string           `json:"data,omitempty" jsonschema:"read: the text, or the JSON as text"`
	Encoding string           `json:"encoding,omitempty" jsonschema:"base64: data is no text"`
	Next     int64            `json:"next_offset,omitempty" jsonschema:"read: the offset at which the rest begins"`
	Metadata any              `json:"metadata,omitempty"`
	Deleted  int              `json:"deleted,omitempty"`
	Usage    []api.CacheUsage `json:"usage,omitempty" jsonschema:"stats: items, bytes used and the quota, by session"`
}

// cacheRead is how many bytes a read returns by default: some 5,000 tokens.
const cacheRead = 20_000

func (s *server) cache(ctx context.Context, r Repo, in cacheIn) (cacheOut, error) {
	switch in.Action {
	case "write":
		return s.cacheWrite(ctx, r, in)
	case "read":
		return s.cacheRead(ctx, r, in)
	case "list":
		return s.cacheList(ctx, r, in)
	case "delete":
		return s.cacheDelete(ctx, r, in)
	case "stats":
		session, err := s.session(ctx, r, in.Session)
		if err != nil {
			return cacheOut{}, err
		}
		ans, err := api.Call(ctx, r.Client, api.Stats, api.StatsRequest{Table: "cache", Session: session})
		if err != nil {
			return cacheOut{}, err
		}
		return cacheOut{Session: session, Usage: ans.Cache.Sessions}, nil
	}
	return cacheOut{}, api.Bad("action is write, read, list, delete or stats", "unknown action %.40q", in.Action)
}

func (s *server) cacheWrite(ctx context.Context, r Repo, in cacheIn) (out cacheOut, err error) {
	if len(in.Items) == 0 {
		in.Items = []cachedItem{in.cachedItem}
	}
	var req api.CachePutRequest
	if req.Session = in.Session; in.Session == "" { // a session that is named may be a new one
		req.Session, err = s.session(ctx, r, "")
	}
	if err != nil {
		return out, err
	}
	var all []byte
	for i, it := range in.Items {
		if it.Data == nil {
			return out, api.Bad("give data: a text or any JSON value", "item %d has no data", i+1)
		}
		item := api.CacheItem{Task: it.Task, Turn: it.Turn, Description: it.Description, Overwrite: it.Overwrite,
			Redact: it.Redact}
		data, isText := []byte(nil), false
		if text, ok := it.Data.(string); ok {
			data, isText = []byte(text), true
		} else if data, err = json.Marshal(it.Data); err != nil {
			return out, err
		}
		if it.Metadata != nil {
			if item.Metadata, err = json.Marshal(it.Metadata); err != nil {
				return out, err
			}
		}
		item.JSON, item.Size = !isText, int64(len(data))
		req.Items, all = append(req.Items, item), append(all, data...)
	}
	reply, err := api.Ask(ctx, r.Client, api.CachePut, req, all)
	if err != nil {
		return out, err
	}
	defer reply.Close()
	return cacheOut{Session: reply.Head.Session, Items: reply.Head.Items}, nil
}

func (s *server) cacheRead(ctx context.Context, r Repo, in cacheIn) (out cacheOut, err error) {
	if in.Limit == 0 {
		in.Limit = cacheRead
	}
	reply, err := api.Ask(ctx, r.Client, api.CacheGet, api.CacheGetRequest{Key: in.Key, Pointer: in.Pointer,
		Lines:  in.Lines,
		Offset: in.Offset, Limit: in.Limit}, nil)
	if err != nil {
		return out, err
	}
	defer reply.Close()
	data, err := io.ReadAll(reply)
	if err != nil {
		return out, err
	}
	h := reply.Head
	out = cacheOut{Items: []api.CacheLabel{h.CacheLabel}, Total: h.Total, Next: h.Next, Data: string(data)}
	if !utf8.Valid(data) {
		out.Data, out.Encoding = base64.StdEncoding.EncodeToString(data), "base64"
	}
	if len(h.Metadata) > 0 {
		err = json.Unmarshal(h.Metadata, &out.Metadata)
	}
	return out, err
}

func (s *server) cacheList(ctx context.Context, r Repo, in cacheIn) (out cacheOut, err error) {
	req := api.CacheListRequest{All: in.All, Task: in.Task, Limit: int(min(in.Limit, 1001))}
	for _, t := range []struct {
		text string
		to   *time.Time
	}{{in.Since, &req.Since}, {in.Until, &req.Until}} {
		if t.text == "" {
			continue
		}
		if *t.to, err = time.Parse(time.RFC3339, t.text); err != nil {
			return out, api.Bad("write 2026-01-31T15:04:05Z", "%.40q is no time", t.text)
		}
	}
	if !in.All {
		if req.Session, err = s.session(ctx, r, in.Session); err != nil {
			return out, err
		}
	}
	ans, err := api.Call(ctx, r.Client, api.CacheList, req)
	return cacheOut{Session: ans.Session, Items: ans.Items, Total: int64(ans.Total)}, err
}

func (s *server) cacheDelete(ctx context.Context, r Repo, in cacheIn) (out cacheOut, err error) {
	req := api.CacheDeleteRequest{Keys: in.Keys, All: in.All}
	if in.Key != "" {
		req.Keys = append(req.Keys, in.Key)
	}
	if in.All {
		if req.Session, err = s.session(ctx, r, in.Session); err != nil {
			return out, err
		}
	}
	ans, err := api.Call(ctx, r.Client, api.CacheDelete, req)
	return cacheOut{Session: req.Session, Deleted: ans.Items}, err
}
