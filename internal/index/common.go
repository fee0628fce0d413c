package index

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed common.txt
var commonList string

// commonTerms are terms that requests about any program use: commonList, the synonyms, and the stop
// words.
var commonTerms = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, list := range append(synonymGroups, commonList) {
		for word := range strings.FieldsSeq(list) {
			set[Stem(word)] = true
		}
	}
	for word := range stopWords {
		set[Stem(word)] = true
	}
	return set
})

// Common reports whether requests about any program use a term (see Terms). Such a term says
// nothing about the project of the person who wrote it.
func Common(term string) bool { return commonTerms()[term] }

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
