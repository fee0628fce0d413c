package api

import "github.com/aoa-dev/aoa/internal/llmcache"

// The routes of the data cache: what a session sets aside. Items go as raw bytes behind a line.
var (
	CachePut    = Stream[CachePutRequest, CachePutAnswer]{Path: "/cache/put", Max: 56 << 20}
	CacheGet    = Stream[CacheGetRequest, llmcache.Content]{Path: "/cache/get", Max: 1 << 16}
	CacheList   = Route[CacheListRequest, CacheListAnswer]{"POST", "/cache/list"}
	CacheDelete = Route[CacheDeleteRequest, CacheDeleteAnswer]{"POST", "/cache/delete"}
)

// CachePutRequest sets items aside, all or none; their data follows in the same order.
type CachePutRequest struct {
	Session string          `json:"session_id,omitempty"` // "": the newest live one of the caller's worktree
	Items   []llmcache.Item `json:"items"`                // 1 to 100
}

// CachePutAnswer is the labels, in the order of the items.
type CachePutAnswer struct {
	Session string           `json:"session_id"`
	Items   []llmcache.Label `json:"items"`
}

// CacheGetRequest asks for an item or a part of it: the value at the pointer, then its lines, then its bytes.
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

// CacheDeleteRequest names items, or a session whole.
type CacheDeleteRequest struct {
	Keys    []string `json:"keys,omitempty"`
	Session string   `json:"session_id,omitempty"`
	All     bool     `json:"all,omitempty"` // all of the session
}

// CacheDeleteAnswer counts what was deleted.
type CacheDeleteAnswer struct {
	Items int   `json:"items"`
	Bytes int64 `json:"bytes"`
}

// CacheStatsAnswer is the sessions that have something, the one used last first.
type CacheStatsAnswer struct {
	Sessions []llmcache.Usage `json:"sessions"`
	Stored   int64            `json:"stored_bytes"` // on disk, compressed, of all sessions
}
