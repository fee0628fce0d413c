package prefetch

import (
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Searcher finds the files that a search meant if the search itself found no file, or too many.
type Searcher struct {
	Tree     *index.Tree
	Contents *index.Contents // nil if it is not known what files define
}

// Limits for what a pattern may mean. A name that more files have means none of them.
const (
	mostDefiners = 2
	mostNamed    = 3
	leastPiece   = 4 // least number of letters of a name in a pattern
)

// Found returns the files that define an identifier of the pattern (in plain form), then those
// whose name is nearly in the pattern, at most MaxFiles. It reads the names of all files once,
// which takes milliseconds.
func (s Searcher) Found(pattern string, identifiers []string) (out []event.Suggestion) {
	add := func(files []event.Path, text, with string) {
		for _, f := range files {
			known := slices.ContainsFunc(out, func(x event.Suggestion) bool { return x.File == f })
			if len(out) < MaxFiles && s.Tree.Has(f) && !known {
				r := event.Reason{Signal: string(Search), Value: 1, Weight: 1, Text: text + " " + event.Quote(with)}
				out = append(out, event.Suggestion{File: f, Score: 1, Reasons: []event.Reason{r}})
			}
		}
	}
	if s.Contents != nil {
		for _, name := range identifiers {
			add(s.Contents.Definers(name, mostDefiners), "defines", name)
		}
	}
	for _, name := range namesIn(pattern) {
		called, nearly := s.Tree.CalledLike(name)
		if len(called)+len(nearly) <= mostNamed {
			add(called, "is called", name)
			add(nearly, "has nearly the name", name)
		}
	}
	return out
}

// namesIn returns the names of files that a pattern may mean: the last part of a path or of a glob,
// without special characters.
func namesIn(pattern string) (out []string) {
	for _, part := range strings.FieldsFunc(pattern, func(r rune) bool { return strings.ContainsRune(" |(){},\"'", r) }) {
		last := part[strings.LastIndexByte(part, '/')+1:]
		if !strings.ContainsAny(part, "/*.") && pattern != part {
			continue
		}
		name := index.PlainName(strings.NewReplacer("*", "", "?", "", "\\", "", "^", "", "$", "",
			"[", "", "]", "").Replace(last))
		if len(name) >= leastPiece && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
