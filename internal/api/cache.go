package api

import "github.com/aoa-dev/aoa/internal/llmcache"

// The routes of the data cache, in which a session stores results.
var (
	// Stores an item.
	CachePut = Route[CachePutRequest, CachePutAnswer]{"POST", "/cache/put"}
	// Reads an item or a part of it.
	CacheGet = Route[CacheGetRequest, llmcache.Content]{"POST", "/cache/get"}
	// Lists the stored items.
	CacheList = Route[CacheListRequest, CacheListAnswer]{"POST", "/cache/list"}
	// Deletes one item, or all items of a session.
	CacheDelete = Route[CacheDeleteRequest, CacheDeleteAnswer]{"POST", "/cache/delete"}
)

// CachePutRequest stores an item.
type CachePutRequest struct {
	Session string `json:"session_id,omitempty"` // "": the newest live one of the caller's worktree
	llmcache.Item
}

// CachePutAnswer is the label of the stored item.
type CachePutAnswer struct {
	Session string `json:"session_id"`
	llmcache.Label
}

// CacheGetRequest asks for an item: all of it, or some of its lines, or some bytes of those lines.
type CacheGetRequest struct {
	Key string `json:"key"`
	llmcache.Cut
}

// CacheListRequest selects labels. Without a session it selects those of the newest live session in
// the caller's worktree.
type CacheListRequest struct {
	llmcache.Filter
	All bool `json:"all,omitempty"` // labels of all sessions
}

// CacheListAnswer has the labels, the newest first.
type CacheListAnswer struct {
	Session string           `json:"session_id,omitempty"`
	Items   []llmcache.Label `json:"items"`
	Total   int              `json:"total"` // number of labels without the limit
}

// CacheDeleteRequest names an item, or a whole session.
type CacheDeleteRequest struct {
	Key     string `json:"key,omitempty"`
	Session string `json:"session_id,omitempty"`
	All     bool   `json:"all,omitempty"` // everything of the session
}

// CacheDeleteAnswer counts what was deleted.
type CacheDeleteAnswer struct {
	Items int   `json:"items"`
	Bytes int64 `json:"bytes"`
}
