package api

import "github.com/aoa-dev/aoa/internal/llmcache"

// The routes of the data cache, which stores results of a session. The bytes of an item follow a
// line of JSON.
var (
	// Stores an item, whose bytes follow the request.
	CachePut = Stream[CachePutRequest, CachePutAnswer]{Path: "/cache/put", Max: 6 << 20}
	// Reads an item or a part of it.
	CacheGet = Stream[CacheGetRequest, llmcache.Content]{Path: "/cache/get", Max: 1 << 16}
	// Which items are stored?
	CacheList = Route[CacheListRequest, CacheListAnswer]{"POST", "/cache/list"}
	// Deletes one item, or all of a session.
	CacheDelete = Route[CacheDeleteRequest, CacheDeleteAnswer]{"POST", "/cache/delete"}
)

// CachePutRequest sets an item aside. Its data follows.
type CachePutRequest struct {
	Session string `json:"session_id,omitempty"` // "": the newest live one of the caller's worktree
	llmcache.Item
}

// CachePutAnswer is the label.
type CachePutAnswer struct {
	Session string `json:"session_id"`
	llmcache.Label
}

// CacheGetRequest asks for an item or a part of it: its lines, then the bytes of those.
type CacheGetRequest struct {
	Key string `json:"key"`
	llmcache.Cut
}

// CacheListRequest selects labels. No session is the newest live one of the caller's worktree.
type CacheListRequest struct {
	llmcache.Filter
	All bool `json:"all,omitempty"` // of every session
}

// CacheListAnswer is the labels, the newest first.
type CacheListAnswer struct {
	Session string           `json:"session_id,omitempty"`
	Items   []llmcache.Label `json:"items"`
	Total   int              `json:"total"` // without the limit
}

// CacheDeleteRequest names an item, or a session whole.
type CacheDeleteRequest struct {
	Key     string `json:"key,omitempty"`
	Session string `json:"session_id,omitempty"`
	All     bool   `json:"all,omitempty"` // all of the session
}

// CacheDeleteAnswer counts what was deleted.
type CacheDeleteAnswer struct {
	Items int   `json:"items"`
	Bytes int64 `json:"bytes"`
}
