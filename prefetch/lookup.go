package prefetch

import (
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Suggest returns the suggestion of a file that was looked up for a hint of this kind, with the
// reason in words.
func (k HintKind) Suggest(f event.Path, text string) event.Suggestion {
	reason := event.Reason{Signal: string(k), Value: 1, Weight: 1, Text: text}
	return event.Suggestion{File: f, Score: 1, Reasons: []event.Reason{reason}}
}

// meant has the reason in words for each rule of the resolver by which a missing path may find a
// file.
var meant = map[index.Rung]string{
	index.Base:     " does not exist, this is the tracked file of that name",
	index.Form:     " does not exist, this file has that name in another form",
	index.Spelling: " does not exist, this file has nearly that name",
}

// Meant returns the one tracked file that was meant by an access to a path that does not exist or is
// a folder, with a reason in words. ok is false if no file or several may be meant, because a wrong
// answer is worse than none. why tells how the access failed. renamed returns the first later name of
// a file that exists. Meant only looks up names, which takes microseconds.
func Meant(tree *index.Tree, renamed func(event.Path) (event.Path, bool), wrong event.Path,
	why event.Failure) (s event.Suggestion, ok bool) {
	if tree == nil || wrong == "" || tree.Has(wrong) {
		return s, false
	}
	var f event.Path
	var text string // follows the wrong path in the reason
	switch why {
	case event.FailDir:
		f, _ = tree.Entrance(wrong)
		text = " is a folder"
	case event.FailMissing:
		if f, ok = renamed(wrong); ok && tree.Has(f) {
			text = " was renamed"
		} else {
			var at index.Rung
			f, at = (&index.Locator{Tree: tree}).Find(string(wrong), index.Base, index.Spelling)
			text = meant[at]
		}
	}
	if f == "" {
		return s, false
	}
	s = Rescue.Suggest(f, wrong.Display()+text)
	s.Reasons[0].With = wrong
	return s, true
}

// Limits for what a pattern may mean. A name that more files have means none of them.
const (
	mostDefiners = 2
	mostNamed    = 3
	leastPiece   = 4 // least number of letters of a name in a pattern
)

// Sought returns the files that a search meant if the search itself found no file, or too many:
// those that define an identifier of the pattern (in plain form), then those whose name is nearly in
// the pattern, at most MaxFiles. If contents is nil, it is not known what files define. Sought reads
// the names of all files once, which takes milliseconds.
func Sought(tree *index.Tree, contents *index.Contents, pattern string, identifiers []string) (out []event.Suggestion) {
	add := func(files []event.Path, text, with string) {
		for _, f := range files {
			known := slices.ContainsFunc(out, func(x event.Suggestion) bool { return x.File == f })
			if len(out) < MaxFiles && tree.Has(f) && !known {
				out = append(out, Search.Suggest(f, text+" "+event.Quote(with)))
			}
		}
	}
	if contents != nil {
		for _, name := range identifiers {
			add(contents.Definers(name, mostDefiners), "defines", name)
		}
	}
	for _, name := range namesIn(pattern) {
		called, nearly := tree.CalledLike(name)
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
