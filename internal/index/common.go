package index

// HasWord reports whether a file has that term.
func (c *Contents) HasWord(term string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for range c.saying(term) {
		return true
	}
	return false
}

// Defined reports whether a source file defines a name that contains a word with this stem.
func (c *Contents) Defined(stem string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for f, counts := range c.saying(stem) {
		if counts[definitionField] > 0 && KindOf(c.path(f)) == KindSource {
			return true
		}
	}
	return false
}

// HasName reports whether a file has that identifier, in plain form.
func (c *Contents) HasName(name string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for range c.having(termHash(name)) {
		return true
	}
	return false
}
