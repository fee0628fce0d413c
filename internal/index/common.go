package index

import (
	_ "embed"
	"strings"
)

//go:embed common.txt
var commonList string

// commonTerms are terms of requests about any program: the list above, the words that mean the same, and stop words.
var commonTerms = func() map[string]bool {
	set := map[string]bool{}
	for _, list := range append(synonymGroups, commonList) {
		for word := range strings.FieldsSeq(list) {
			set[Stem(word)] = true
		}
	}
	for word := range textStops {
		set[Stem(word)] = true
	}
	return set
}()

// Common reports whether a term (see Terms) is a word of requests about any program: it tells nothing about who wrote it.
func Common(term string) bool { return commonTerms[Stem(term)] }

// HasWord reports whether a file has that term.
func (c *Contents) HasWord(term string) bool {
	term = Stem(term)
	return c.inSegment(func(s *segment, hash uint64) bool { return s.Words.listOf(term, hash) != nil }, term)
}

// HasName reports whether a file has that identifier, in plain form.
func (c *Contents) HasName(name string) bool {
	return c.inSegment(func(s *segment, hash uint64) bool { return s.Names.listOf(name, hash) != nil }, name)
}

func (c *Contents) inSegment(has func(s *segment, hash uint64) bool, text string) bool {
	hash := termHash(text)
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, s := range c.segments {
		if has(s, hash) {
			return true
		}
	}
	return false
}
