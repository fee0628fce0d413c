package index

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"maps"
	"slices"
	"strconv"

	"github.com/aoa-dev/aoa/internal/event"
)

// Sketch is a short description of the diff of one file: the hashes of the names and words in its
// changed lines, and of marks such as "added only". Hashes are sorted, each once. nil means that
// the diff is not known or the file is not text.
type Sketch []uint32

// FileSketch is the sketch of one file in a commit. File is the name that it had in that commit.
type FileSketch struct {
	File   event.Path
	Sketch Sketch
	Places Places
}

// Limits of a sketch. Twice as many words, from 400 lines, did not find better companions
// (docs/dev/measurements/ranking.md).
const (
	maxSketchLines = 150 // changed lines that are read, from the first on
	maxSketchWords = 60  // words that are kept, the most frequent ones
	maxSketchWord  = 48  // bytes; longer words are data
	mostPlaces     = 6   // hashes of lines that identify the place of the diff
)

// Differ makes a Sketch of the changed lines of a diff. The zero value is an empty diff.
type Differ struct {
	words          map[uint32]int // how often each word occurs, by its hash
	added, removed int
	places         Places
	begun          bool // a hunk has begun, and none of its added lines is in places yet
}

// Line adds a changed line, without its sign. added is false for a removed line.
func (d *Differ) Line(added bool, line []byte) {
	if added {
		d.added++
	} else {
		d.removed++
	}
	if d.added+d.removed > maxSketchLines {
		return
	}
	if added && d.begun && d.place(line) {
		d.begun = false
	}
	if d.words == nil {
		d.words = map[uint32]int{}
	}
	for word := range names(line) {
		if len(word) > 1 && len(word) <= maxSketchWord && (word[0] < '0' || word[0] > '9') {
			d.words[sketchHash(word)]++
		}
	}
}

// Sketch returns the sketch of the lines so far; nil if none exist.
func (d *Differ) Sketch() Sketch {
	if d.added+d.removed == 0 {
		return nil
	}
	out := slices.SortedFunc(maps.Keys(d.words),
		func(a, b uint32) int { return cmp.Or(cmp.Compare(d.words[b], d.words[a]), cmp.Compare(a, b)) })
	out = append(out[:min(len(out), maxSketchWords)], d.marks()...)
	slices.Sort(out)
	return slices.Clip(slices.Compact(out))
}

// marks returns hashes that describe the diff as a whole. The hashed texts begin with a byte that
// no word has.
func (d *Differ) marks() []uint32 {
	size := "\x00size 1"
	for _, lines := range [...]int{5, 21, 101} {
		if d.added+d.removed >= lines {
			size = "\x00size " + strconv.Itoa(lines)
		}
	}
	marks := []uint32{sketchHash([]byte(size))}
	switch {
	case d.removed == 0:
		marks = append(marks, sketchHash([]byte("\x00added only")))
	case d.added == 0:
		marks = append(marks, sketchHash([]byte("\x00removed only")))
	}
	return marks
}

// sketchHash returns the FNV-1a hash of a word in lower case. Sketches are kept on disk, so the
// hash must be the same in every process.
func sketchHash(word []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range word {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// sketchSeed hashes lines within one comparison. These hashes are never kept.
var sketchSeed = maphash.MakeSeed()

// SketchOf returns the sketch of the difference between two versions of a text, nil if there is
// none. A line counts as often as one version has it more often than the other, so a line that only
// moved does not count.
func SketchOf(before, after []byte) Sketch {
	if bytes.IndexByte(before, 0) >= 0 || bytes.IndexByte(after, 0) >= 0 {
		return nil
	}
	more := map[uint64]int{} // for each line, by its hash: how many more of it the text has afterwards
	for line := range bytes.Lines(after) {
		more[maphash.Bytes(sketchSeed, bytes.TrimRight(line, "\r\n"))]++
	}
	for line := range bytes.Lines(before) {
		more[maphash.Bytes(sketchSeed, bytes.TrimRight(line, "\r\n"))]--
	}
	var d Differ
	take := func(text []byte, added bool, sign int) {
		for line := range bytes.Lines(text) {
			line = bytes.TrimRight(line, "\r\n")
			if h := maphash.Bytes(sketchSeed, line); more[h]*sign > 0 {
				more[h] -= sign
				d.Line(added, line)
			}
		}
	}
	take(before, false, -1)
	take(after, true, 1)
	return d.Sketch()
}
