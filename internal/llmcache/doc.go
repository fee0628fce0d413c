// Package llmcache stores results for an agent, which keeps only their labels.
//
// Items of a session come in: up to 5 MB of any bytes with a description. Labels of at most 500
// bytes go out, and later an item, or some of its lines or bytes. No item is deleted to free space:
// a write beyond the session's quota of 50 MB is refused, with what to delete. Items live until 24
// hours after the last event of their session. When a person leaves a session for good (a logout or
// an exit), the items that it had are deleted at once. Which sessions those are, package session
// says.
//
// The items are blobs of package cold, which compresses, seals, sweeps and forgets them. The
// package never loads an item to list it, never reads the clock itself, and never reads an item's
// data except to cut out what was asked for.
package llmcache
