package index

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Sketch is what the diff of one file says, in short: the hashes of the names and words in its
// changed lines, and of marks such as "added only", rising, each once. nil: the diff is not known,
// or the file is no text.
type Sketch []uint32

// FileSketch is the sketch of a file of a commit, under the name that it had then.
type FileSketch struct {
	File   event.Path
	Sketch Sketch
	Places Places
}

// Bounds of a sketch. With 120 words of 400 lines companions were found no better
// (docs/measurements/ranking.md).
const (
	maxSketchLines = 150 // changed lines that are read, the first ones
	maxSketchWords = 60  // words that are kept, the most frequent
	maxSketchWord  = 48  // bytes; what is longer is data
	mostPlaces     = 6   // lines by which the place of a diff is found again
)

// Differ makes the Sketch of a diff from its changed lines. The zero value has none.
type Differ struct {
	words          map[uint32]int // hash → how often
	added, removed int
	places         Places
	begun          bool // a hunk has begun, and none of its added lines is among places
}

// Line takes in a line that was added or removed, without its sign.
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

// Sketch is that of the lines so far; nil without any.
func (d *Differ) Sketch() Sketch {
	if d.added+d.removed == 0 {
		return nil
	}
	out := make(Sketch, 0, len(d.words)+2)
	for w := range d.words {
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b uint32) int { return cmp.Or(cmp.Compare(d.words[b], d.words[a]), cmp.Compare(a, b)) })
	out = append(out[:min(len(out), maxSketchWords)], d.marks()...)
	slices.Sort(out)
	return slices.Clip(slices.Compact(out))
}

// marks are the hashes of what a diff is like as a whole. They begin with a byte that no word has.
func (d *Differ) marks() []uint32 {
	size := "\x00size 1"
	switch n := d.added + d.removed; {
	case n > 100:
		size = "\x00size 101"
	case n > 20:
		size = "\x00size 21"
	case n > 4:
		size = "\x00size 5"
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

// sketchHash is FNV-1a of a word in lower case: sketches are kept on the disk, so it is the same in
// every process.
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

// sketchSeed is for the lines of one comparison, which are kept nowhere.
var sketchSeed = maphash.MakeSeed()

// SketchOf is the sketch of two versions of a text, nil for none: of the lines that only one of
// them has, as often as it has more of them. A line that moved is none.
func SketchOf(before, after []byte) Sketch {
	if bytes.IndexByte(before, 0) >= 0 || bytes.IndexByte(after, 0) >= 0 {
		return nil
	}
	more := map[uint64]int{} // by the hash of a line: how many more of them the text after has
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
