package index

import (
	"bytes"
	"hash/maphash"
	"strconv"

	"github.com/aoa-dev/aoa/internal/event"
)

// Changed is one file of a change. A renamed file appears as a deleted and as a new one.
type Changed struct {
	Path    event.Path
	Was, Is *Source // the program before and after; nil if none exists or the file is not a program
	Gone    bool    // the change deletes the file
	Same    bool    // the content is the same; only the file's mode or the ends of its lines change
	Sketch  Sketch  // sketch of the difference between both contents
	// Identifies the content: two files with the same content have the same text here. It is "" if
	// the content is not known, and for files that the change neither adds nor deletes.
	Content string
}

// Compare returns the Changed for two contents of a file. before is nil for a new file, after for a
// deleted one.
func Compare(p event.Path, before, after []byte) Changed {
	c := Changed{Path: p, Gone: before != nil && after == nil, Sketch: SketchOf(before, after)}
	switch {
	case before != nil && after != nil:
		c.Same = bytes.Equal(before, after) || textHash(before) == textHash(after)
	case before != nil:
		c.Content = textHash(before)
	case after != nil:
		c.Content = textHash(after)
	}
	if before != nil {
		c.Was = ReadSource(p, before)
	}
	if after != nil {
		if c.Is = ReadSource(p, after); c.Is == nil {
			c.Was = nil // a version that cannot be read does not tell what is gone
		}
	}
	return c
}

// textHash returns a hash of a content. Texts that differ only in the ends of their lines (\n or
// \r\n) have the same.
func textHash(text []byte) string {
	var h maphash.Hash
	h.SetSeed(sketchSeed)
	for line := range bytes.Lines(text) {
		if end, found := bytes.CutSuffix(line, []byte("\r\n")); found {
			_, _ = h.Write(end)
			line = []byte("\n")
		}
		_, _ = h.Write(line)
	}
	return strconv.FormatUint(h.Sum64(), 16)
}

// Moved returns the files of a change that only get a new name: the deleted and the added ones that
// have the same content.
func Moved(change []Changed) map[event.Path]bool {
	gone, moved := map[string][]event.Path{}, map[event.Path]bool{}
	for _, c := range change {
		if c.Gone && c.Content != "" {
			gone[c.Content] = append(gone[c.Content], c.Path)
		}
	}
	for _, c := range change {
		if from := gone[c.Content]; !c.Gone && len(from) > 0 {
			moved[c.Path] = true
			for _, p := range from {
				moved[p] = true
			}
		}
	}
	return moved
}
