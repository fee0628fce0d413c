// Package llmcache stores results for an agent, which then only has to keep their labels in its
// context.
//
// An agent stores items of its session: up to 5 MB of any bytes, with a description. It gets a
// label of at most 500 bytes for each, and can later read the item, or some of its lines or bytes.
// No item is deleted to free space: if a write would exceed the session's quota of 50 MB, it is
// refused, with advice on what to delete. Items are kept until 24 hours after the last event of
// their session. When a person ends a session for good (by a logout or an exit), its items are
// deleted at once; package session says which sessions those are.
//
// The items are blobs of package cold, which compresses, encrypts, expires and forgets them. The
// package lists items without loading them, never reads the clock itself, and looks into an item's
// data only to cut out the requested part.
package llmcache
