package index

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

//go:embed words.txt
var wordFile string

// wordLists has the lists of words.txt by their names. They are parts of the file, not copies.
var wordLists = func() map[string]string {
	lists, name, begin, at := map[string]string{}, "", 0, 0
	for line := range strings.Lines(wordFile) {
		at += len(line)
		switch {
		case line[0] == ' ':
			lists[name] = wordFile[begin:at]
		case line[0] != '#':
			name, _, _ = strings.Cut(line, ":")
			begin = at
		}
	}
	return lists
}()

// wordSet returns the words of lists in words.txt as one set. It panics if one of the lists is
// missing or empty, so that a misspelled name is noticed.
func wordSet(lists ...string) map[string]bool {
	words := ""
	for _, name := range lists {
		if wordLists[name] == "" {
			panic("words.txt has no list " + name)
		}
		words += wordLists[name]
	}
	return event.WordSet(words)
}

// commonTerms are terms that requests about any program use: the list "common", the synonyms, and
// the stop words.
var commonTerms = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for word := range wordSet("common", "synonyms", "stop") {
		set[Stem(strings.Trim(word, ","))] = true
	}
	return set
})

// Common reports whether requests about any program use a term (see Terms). Such a term says
// nothing about the project of the person who wrote it.
func Common(term string) bool { return commonTerms()[term] }
