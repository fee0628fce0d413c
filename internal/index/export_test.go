package index

import "sync"

// Pack makes one segment.
func (c *Contents) Pack() { c.pack(true) }

// ForgetTokens frees what extraction knows of tokens.
func ForgetTokens() { extractors = sync.Pool{New: extractors.New} }
