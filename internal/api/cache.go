package api

import (
	"encoding/json"
	"time"
)

// The routes of the data cache: what a session sets aside. Items go as raw bytes behind a line.
var (
	CachePut    = Stream[CachePutRequest, CachePutAnswer]{Path: "/cache/put", Max: 56 << 20}
	CacheGet    = Stream[CacheGetRequest, CacheContent]{Path: "/cache/get", Max: 1 << 16}
	CacheList   = Route[CacheListRequest, CacheListAnswer]{"POST", "/cache/list"}
	CacheDelete = Route[CacheDeleteRequest, CacheDeleteAnswer]{"POST", "/cache/delete"}
)

// CachePutRequest sets items aside, all or none; their data follows in the same order.
type CachePutRequest struct {
	Session string      `json:"session_id,omitempty"` // "": the newest live one of the caller's worktree
	Items   []CacheItem `json:"items"`                // 1 to 100
}

// CacheItem is one item without its data.
type CacheItem struct {
	Task        string          `json:"task_id,omitempty"` // random if empty
	Turn        string          `json:"turn_id,omitempty"` // random if empty
	Description string          `json:"description,omitempty"`
	Size        int64           `json:"size"`               // bytes of its data
	JSON        bool            `json:"json,omitempty"`     // its data is JSON
	Metadata    json.RawMessage `json:"metadata,omitempty"` // the caller's own
	Overwrite   bool            `json:"overwrite,omitempty"`
	Redact      bool            `json:"redact,omitempty"` // take known forms of secrets out of data and metadata, too
}

// CachePutAnswer is the labels, in the order of the items.
type CachePutAnswer struct {
	Session string       `json:"session_id"`
	Items   []CacheLabel `json:"items"`
}

// CacheLabel describes an item without loading it, in at most 500 bytes.
type CacheLabel struct {
	Key         string `json:"key"`
	Description string `json:"description"`
	Size        int64  `json:"size"`      // bytes of its data and metadata
	At          int64  `json:"timestamp"` // Unix milliseconds of its last write
}

// CacheGetRequest asks for an item or a part of it: the value at the pointer, then its lines, then its bytes.
type CacheGetRequest struct {
	Key     string `json:"key"`
	Pointer string `json:"pointer,omitempty"` // RFC 6901
	Lines   string `json:"lines,omitempty"`   // "20", "10-20" or "10-", from 1
	Offset  int64  `json:"offset,omitempty"`
	Limit   int64  `json:"limit,omitempty"` // bytes; 0 is all
}

// CacheContent is the line before the bytes.
type CacheContent struct {
	CacheLabel
	Metadata json.RawMessage `json:"metadata,omitempty"`
	JSON     bool            `json:"json,omitempty"`
	Total    int64           `json:"total"`                 // bytes of what was pointed at
	Next     int64           `json:"next_offset,omitempty"` // where the rest begins; 0: there is none
}

// CacheListRequest selects labels.
type CacheListRequest struct {
	Session string    `json:"session_id,omitempty"` // "": the newest live one of the caller's worktree
	All     bool      `json:"all,omitempty"`        // of every session
	Task    string    `json:"task_id,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	Until   time.Time `json:"until,omitzero"`
	Limit   int       `json:"limit,omitempty"` // 1 to 1000; 0 is 100
}

// CacheListAnswer is the labels, the newest first.
type CacheListAnswer struct {
	Session string       `json:"session_id,omitempty"`
	Items   []CacheLabel `json:"items"`
	Total   int          `json:"total"` // without the limit
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
	Sessions []CacheUsage `json:"sessions"`
	Stored   int64        `json:"stored_bytes"` // on disk, compressed, of all sessions
}

// CacheUsage is one session's.
type CacheUsage struct {
	Session  string    `json:"session_id"`
	Items    int       `json:"items"`
	Used     int64     `json:"used_bytes"` // uncompressed, as the quota counts them
	Quota    int64     `json:"quota_bytes"`
	Created  time.Time `json:"created"`
	Accessed time.Time `json:"accessed"`
	Ended    time.Time `json:"ended,omitzero"` // its items go 24 h after the later of the two
}
