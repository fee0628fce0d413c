package mcp

import (
	"cmp"
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/llmcache"
)

var cacheTool = &mcp.Tool{Name: "llm_cache",
	Meta:        found("store intermediate results outside of the context and read them back, for many items or large data"),
	Annotations: additive("Store results"),
	Description: "Holds results outside of the context, for 20+ items or over 10 KB: write returns a label with a key."}

type cacheIn struct {
	Action      string  `json:"action" jsonschema:"write, read, list, delete"`
	Key         string  `json:"key,omitempty"`
	Data        *string `json:"data,omitempty" jsonschema:"a text, or JSON"`
	Description string  `json:"description,omitempty"`
	Session     string  `json:"session_id,omitempty"`
	Task        string  `json:"task_id,omitempty"`
	Turn        string  `json:"turn_id,omitempty"`
	Overwrite   bool    `json:"overwrite,omitempty"`
	Lines       string  `json:"lines,omitempty" jsonschema:"as 10-20"`
	Offset      int64   `json:"offset,omitempty"`
}

type cacheOut struct {
	// labels of the items that were written, read or listed, the newest first
	Items []llmcache.Label `json:"items,omitempty"`
	// list: number of labels without the limit; read: bytes of the item, or of the selected lines
	Total    int64  `json:"total,omitempty"`
	Data     string `json:"data,omitempty"` // the text, or the JSON as a text
	Encoding string `json:"encoding,omitempty"`
	Next     int64  `json:"next_offset,omitempty"` // offset at which the rest begins
	Deleted  int    `json:"deleted,omitempty"`
}

// cacheRead is how many bytes a read returns by default, about 5,000 tokens.
const cacheRead = 20_000

func (s *server) cache(ctx context.Context, r Repo, session string, in cacheIn) (out cacheOut, err error) {
	session = cmp.Or(in.Session, session)
	switch in.Action {
	case "write":
		return cacheWrite(ctx, r, session, in)
	case "read":
		return readCached(ctx, r, in)
	case "list":
		ans, err := api.Call(ctx, r.Client, api.CacheList,
			api.CacheListRequest{Filter: llmcache.Filter{Session: session, Task: in.Task}})
		return cacheOut{Items: ans.Items, Total: int64(ans.Total)}, err
	case "delete":
		ans, err := api.Call(ctx, r.Client, api.CacheDelete, api.CacheDeleteRequest{Key: in.Key})
		return cacheOut{Deleted: ans.Items}, err
	}
	return out, event.BadRequest("action is write, read, list or delete", "unknown action %.40q", in.Action)
}

func cacheWrite(ctx context.Context, r Repo, session string, in cacheIn) (out cacheOut, err error) {
	if in.Data == nil {
		return out, event.BadRequest("give data: a text or any JSON value", "no data")
	}
	item := llmcache.Item{Task: in.Task, Turn: in.Turn, Description: in.Description, Overwrite: in.Overwrite,
		Data: []byte(*in.Data)}
	ans, err := api.Call(ctx, r.Client, api.CachePut, api.CachePutRequest{Session: session, Item: item})
	return cacheOut{Items: []llmcache.Label{ans.Label}}, err
}

func readCached(ctx context.Context, r Repo, in cacheIn) (cacheOut, error) {
	ans, err := api.Call(ctx, r.Client, api.CacheGet, api.CacheGetRequest{Key: in.Key,
		Cut: llmcache.Cut{Lines: in.Lines, Offset: in.Offset, Limit: cacheRead}})
	return cacheOut{Items: []llmcache.Label{ans.Label}, Total: ans.Total, Next: ans.Next, Data: ans.Text,
		Encoding: ans.Encoding}, err
}
